//! Puts layers on top of each other.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::environment::Environment;
use crate::layer::{Entry, Layer, Overlay};
use crate::overlay::{self, Withheld};
use crate::problem::{Problem, ProblemKind, Severity};
use crate::remedy::Remedy;
use crate::resolved::{LaunchContext, Resolved, Trust, Why};
use crate::source::{Origin, Scope};
use crate::trust::{Identity, TrustStore};

/// The merged configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Merged {
    /// One server per name, sorted by name.
    pub servers: Vec<Resolved>,
    /// Every other definition, sorted by name and then from the highest layer to the lowest.
    pub shadowed: Vec<Shadowed>,
    /// Overlays that are not applied, because nobody approved them or no server has their name.
    pub withheld: Vec<Withheld>,
    /// What is wrong with the combination.
    pub problems: Vec<Problem>,
}

/// A definition that is not the one in use.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Shadowed {
    /// The definition.
    pub server: Resolved,
    /// The definition in use.
    pub by: Origin,
}

impl Merged {
    /// Returns the definitions of that name that wait for approval, those in use and those that are not, highest first.
    ///
    /// A project's entry that would replace the user's is among [`shadowed`](Self::shadowed) until it is approved.
    pub fn awaiting<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Resolved> {
        let shadowed = self.shadowed.iter().map(|shadowed| &shadowed.server);
        let all = self.server(name).into_iter().chain(shadowed);
        all.filter(move |server| server.name == name && matches!(server.trust, Trust::NeedsApproval { .. }))
    }

    /// Returns the server of that name.
    pub fn server(&self, name: &str) -> Option<&Resolved> {
        self.servers
            .binary_search_by(|server| server.name.as_str().cmp(name))
            .ok()
            .and_then(|index| self.servers.get(index))
    }
}

/// Merges layers, given lowest precedence first.
///
/// An approval holds for what a definition would start in this environment, so that of approved definitions, and of no
/// others, the [plan](crate::Plan) is made. Nothing else is read.
///
/// 1. An entry replaces an entry of the same name in a lower layer as a whole; fields are never mixed.
/// 2. Only an entry that may run takes part: what nobody has approved, what was not imported and what is refused hides
///    nothing. When no entry of a name may run, the one in the highest layer is listed.
/// 3. An entry without a command or a URL is an overlay: it changes whether the server of a lower layer runs, its time-outs
///    and its tools. From a project nobody has approved, only what makes the server do less is applied. The user's settings
///    come last, and change the servers of every layer.
///
/// ```
/// use mcp_config::{Environment, Discovery, TrustStore, merge};
///
/// let environment = Environment::new("/nonexistent");
/// let found = Discovery::new(&environment).load();
/// assert!(merge(&found.layers, &TrustStore::default(), &environment).servers.is_empty());
/// ```
pub fn merge(layers: &[Layer], trust: &TrustStore, environment: &Environment) -> Merged {
    let mut merged = Merged::default();
    for candidates in by_name(layers).values() {
        resolve(candidates, trust, environment, &mut merged);
    }
    let mut ranked: Vec<(usize, &Layer)> = layers.iter().enumerate().collect();
    ranked.sort_by_key(|(_, layer)| layer.is_settings);
    for (rank, layer) in ranked {
        for overlay in &layer.overlays {
            overlay::apply(&Placed { rank, layer, overlay }, trust, &mut merged);
        }
    }
    merged
}

/// An overlay and the layer it stands in.
pub(crate) struct Placed<'a> {
    pub(crate) rank: usize,
    pub(crate) layer: &'a Layer,
    pub(crate) overlay: &'a Overlay,
}

/// An entry, the layer it stands in, and whether it may run.
struct Candidate<'a> {
    rank: usize,
    layer: &'a Layer,
    entry: &'a Entry,
}

/// Groups the entries of all layers by name, highest layer first.
fn by_name(layers: &[Layer]) -> BTreeMap<&str, Vec<Candidate<'_>>> {
    let mut names: BTreeMap<&str, Vec<Candidate<'_>>> = BTreeMap::new();
    for (rank, layer) in layers.iter().enumerate().rev() {
        for entry in &layer.entries {
            names.entry(&entry.name).or_default().push(Candidate { rank, layer, entry });
        }
    }
    names
}

fn resolve(candidates: &[Candidate<'_>], trust: &TrustStore, environment: &Environment, merged: &mut Merged) {
    let mut resolved: Vec<Resolved> =
        candidates.iter().map(|candidate| candidate.resolve(trust, environment)).collect();
    let winner = resolved.iter().position(|server| server.trust.is_trusted()).unwrap_or(0);
    let mut in_use = resolved.remove(winner);
    in_use.shadows = resolved.iter().skip(winner).map(|server| server.origin.clone()).collect();
    let by = in_use.origin.clone();
    let waiting = resolved.iter().take(winner).filter(|server| matches!(server.trust, Trust::NeedsApproval { .. }));
    merged.problems.extend(waiting.map(|server| waits(server, &by)));
    merged.shadowed.extend(resolved.into_iter().map(|server| Shadowed { server, by: by.clone() }));
    merged.servers.push(in_use);
}

/// Says why the entry of a higher layer is not the one in use.
fn waits(server: &Resolved, in_use: &Origin) -> Problem {
    let message = format!("it waits for approval, and until then the entry at {in_use} is used");
    Problem::new(Severity::Note, ProblemKind::Approval, message)
        .with_path(&server.origin.path)
        .at(server.origin.line, server.origin.column)
        .with_pointer(server.origin.pointer.as_str())
        .with_server(server.name.as_str())
        .with_fix(Remedy::trust(server.name.as_str()))
}

impl Candidate<'_> {
    fn resolve(&self, trust: &TrustStore, environment: &Environment) -> Resolved {
        let Self { rank, layer, entry } = self;
        let identity = (layer.source.scope == Scope::Project).then(|| Identity::new(layer, &entry.name));
        let mut server = Resolved {
            name: entry.name.clone(),
            origin: entry.origin.clone(),
            shadows: Vec::new(),
            trust: Trust::NeedsApproval { changed: false },
            defined: entry.config.clone(),
            config: entry.config.clone(),
            definition: entry.definition.clone(),
            identity,
            approval: None,
            context: LaunchContext::new(layer, entry),
            overridden_by: Vec::new(),
            rank: *rank,
        };
        match &entry.config.refusal {
            Some(reason) => server.trust = Trust::Denied { reason: reason.clone() },
            None => judge(&mut server, layer, trust, environment),
        }
        server
    }
}

/// Says whether a server may run. What it would run is looked at only if it was approved before.
fn judge(server: &mut Resolved, layer: &Layer, trust: &TrustStore, environment: &Environment) {
    server.trust = match layer.source.scope {
        Scope::User => Trust::Trusted { why: Why::UserFile },
        Scope::Explicit => Trust::Trusted { why: Why::Explicit },
        Scope::Plugin if !layer.is_foreign => Trust::Trusted { why: Why::Plugin },
        Scope::Plugin | Scope::Imported if trust.allows_imports_of(layer.source.host) => {
            Trust::Trusted { why: Why::AllowedImport }
        }
        Scope::Plugin | Scope::Imported => Trust::Imported,
        Scope::Project => match server.identity.as_ref().and_then(|identity| trust.find(identity)) {
            None => Trust::NeedsApproval { changed: false },
            Some(approval) if approval.plan == server.plan(environment).facts().digest() => {
                server.approval = Some(approval.clone());
                Trust::Trusted { why: Why::Approved }
            }
            Some(_) => Trust::NeedsApproval { changed: true },
        },
    };
}
