//! Entries that change another entry instead of defining one.

use serde::Serialize;

use crate::layer::OverlayChange;
use crate::merge::{Merged, Placed};
use crate::resolved::Resolved;
use crate::source::{Host, Origin, Scope};
use crate::trust::{Subject, TrustStore};

/// An overlay that is not applied, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Withheld {
    /// The server it is about.
    pub name: String,
    /// Where it stands.
    pub origin: Origin,
    /// Why it is not applied.
    pub reason: String,
    #[serde(skip)]
    pub(crate) subject: Option<Subject>,
}

/// How much of an overlay is applied.
enum Reach {
    /// All of it.
    Whole,
    /// Only what makes the server do less.
    Tightening(Option<Subject>),
    /// Nothing.
    Nothing,
}

pub(crate) fn apply(placed: &Placed<'_>, trust: &TrustStore, merged: &mut Merged) {
    let overlay = placed.overlay;
    let mut withhold = |reason: &str, subject| {
        let (name, origin) = (overlay.name.clone(), overlay.origin.clone());
        merged.withheld.push(Withheld { name, origin, reason: reason.to_owned(), subject });
    };
    let index = merged.servers.binary_search_by(|server| server.name.cmp(&overlay.name)).ok();
    let Some(server) = index
        .and_then(|index| merged.servers.get_mut(index))
        .filter(|server| server.rank < placed.rank || placed.layer.is_settings)
        .filter(|server| concerns(placed, server))
    else {
        return withhold("no file of lower precedence defines a server of that name", None);
    };
    match reach(placed, trust) {
        Reach::Whole => {
            change(server, &overlay.change);
            server.overridden_by.push(overlay.origin.clone());
        }
        Reach::Tightening(subject) => {
            if tighten(server, &overlay.change) {
                server.overridden_by.push(overlay.origin.clone());
            }
            if loosens(&overlay.change) {
                withhold(
                    "it stands in a project that has not been approved, and would let the server do more",
                    subject,
                );
            }
        }
        Reach::Nothing => withhold("it belongs to another host", None),
    }
}

/// A host's switches are for its own servers; this toolkit's are for all.
fn concerns(placed: &Placed<'_>, server: &Resolved) -> bool {
    let host = placed.layer.source.host;
    host == Host::Toolkit || host == server.origin.source.host
}

fn reach(placed: &Placed<'_>, trust: &TrustStore) -> Reach {
    let source = placed.layer.source;
    match source.scope {
        Scope::User | Scope::Explicit | Scope::Plugin => Reach::Whole,
        Scope::Imported if trust.allows_imports_of(source.host) => Reach::Whole,
        Scope::Imported => Reach::Nothing,
        Scope::Project => {
            let overlay = placed.overlay;
            let subject = Subject::new(placed.layer, &overlay.name, &overlay.definition, &[]);
            match subject {
                Some(subject) if trust.approval(&subject).is_some() => Reach::Whole,
                subject => Reach::Tightening(subject),
            }
        }
    }
}

/// Applies everything an overlay says.
fn change(server: &mut Resolved, change: &OverlayChange) {
    let config = &mut server.config;
    config.enabled = change.enabled.unwrap_or(config.enabled);
    config.timeouts.startup = change.timeouts.startup.or(config.timeouts.startup);
    config.timeouts.call = change.timeouts.call.or(config.timeouts.call);
    if change.tools.allow.is_some() {
        config.tools.allow.clone_from(&change.tools.allow);
    }
    if !change.tools.deny.is_empty() {
        config.tools.deny.clone_from(&change.tools.deny);
    }
}

/// Applies what makes the server do less; tells whether there was any of that.
fn tighten(server: &mut Resolved, change: &OverlayChange) -> bool {
    let config = &mut server.config;
    let before = (config.enabled, config.tools.clone());
    config.enabled &= change.enabled != Some(false);
    config.tools.deny.extend(change.tools.deny.iter().cloned());
    if let Some(wanted) = &change.tools.allow {
        config.tools.allow = Some(match &config.tools.allow {
            None => wanted.clone(),
            // Of two lists of patterns only what stands in both is certain to be allowed by both.
            Some(allowed) => allowed.iter().filter(|pattern| wanted.contains(pattern)).cloned().collect(),
        });
    }
    before != (config.enabled, config.tools.clone())
}

/// Whether an overlay holds anything that [`tighten`] leaves out.
fn loosens(change: &OverlayChange) -> bool {
    change.enabled == Some(true) || change.timeouts != crate::server::Timeouts::default()
}
