//! What a server's tools were when a person approved it.

mod examine;
mod folder;
mod policy;
mod refused;
mod review;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_registry::{Baseline, Basis, Difference, Drift, DriftEntry, DriftKind, MemoryPins, Pin, PinStore, Surface};

pub use self::examine::{forget_pins, pin_problems};
pub(crate) use self::folder::FolderPins;
pub(crate) use self::policy::{Policies, problems};
use self::refused::RefusedPins;
pub use self::review::Review;

use crate::configuration::Configuration;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The folder of the state directory that baselines are kept in.
const FOLDER: &str = "pins";

/// Where a client keeps baselines: in the process alone where there is no place, or none that can be believed.
pub(crate) fn store(configuration: &Configuration) -> Box<dyn PinStore + Send> {
    match (configuration.kept(FOLDER), configuration.refused_state()) {
        (Some(folder), _) => Box::new(FolderPins::new(folder)),
        (None, Some(problem)) => Box::new(RefusedPins::new(problem.clone())),
        (None, None) => Box::new(MemoryPins::default()),
    }
}

/// The baselines of a client's servers.
pub(crate) struct Pins {
    store: Mutex<Box<dyn PinStore + Send>>,
    policies: Policies,
}

impl std::fmt::Debug for Pins {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pins").field("policies", &self.policies).finish_non_exhaustive()
    }
}

/// Why a tool is held back.
pub(crate) fn because(drift: &Drift, tool: &str) -> &'static str {
    let is_it = |entry: &&DriftEntry| entry.pin == Pin::Tool(tool.to_owned());
    match drift.entries.iter().find(is_it).map(|entry| entry.kind) {
        None => "it cannot be told what was approved of its server",
        Some(DriftKind::Added) => "it is new since its server was approved",
        Some(DriftKind::Changed) => "what it takes or returns changed since its server was approved",
        Some(_) => "it is described otherwise than when its server was approved, and the approved words are not kept",
    }
}

/// A server whose surface is to be compared or approved.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Its name.
    pub(crate) server: &'a str,
    /// What its state is kept under.
    pub(crate) key: String,
    /// The hash of its definition.
    pub(crate) definition: &'a str,
    /// What it offers now.
    pub(crate) surface: Surface<'a>,
}

/// How a server stands against its baseline.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) drift: Drift,
    /// Why the baseline could not be read, or a first one not be kept.
    pub(crate) trouble: Option<Cause>,
}

impl Pins {
    pub(crate) fn new(store: Box<dyn PinStore + Send>, policies: Policies) -> Self {
        Self { store: Mutex::new(store), policies }
    }

    /// How a server differs from its baseline. Whoever has none gets one now: the person who lets a server run for the first
    /// time, or lets it run under another definition, takes it as it is.
    ///
    /// State of ours stops no server. One whose baseline cannot be read is treated as new in everything it says; one whose
    /// first baseline cannot be kept is used as it is.
    pub(crate) fn check(&self, subject: &Subject<'_>) -> Checked {
        let policy = self.policies.of(subject.server);
        let drift = match self.load(subject) {
            Ok(Some(baseline)) => baseline.compare(subject.definition, subject.surface, policy),
            Ok(None) => return self.first_contact(subject),
            Err(cause) => return Checked { drift: Drift::unknown(subject.surface, policy), trouble: Some(cause) },
        };
        if drift.basis == Basis::Redefined { self.first_contact(subject) } else { Checked { drift, trouble: None } }
    }

    fn first_contact(&self, subject: &Subject<'_>) -> Checked {
        Checked { drift: Drift::default(), trouble: self.approve(subject).err() }
    }

    /// Takes a server as it is now for approved.
    ///
    /// # Errors
    ///
    /// The store's; then what was approved before still counts.
    pub(crate) fn approve(&self, subject: &Subject<'_>) -> Result<(), Cause> {
        self.save(subject, &Baseline::take(subject.definition, subject.surface))
    }

    /// Takes some tools of a server as they are now for approved. Where nobody can tell what else was, nothing else is.
    ///
    /// # Errors
    ///
    /// As for [`approve`](Self::approve).
    pub(crate) fn approve_tools(&self, subject: &Subject<'_>, tools: &BTreeSet<&str>) -> Result<(), Cause> {
        let mut baseline = self.approved(subject);
        baseline.approve(tools, subject.surface);
        self.save(subject, &baseline)
    }

    /// What of a server is not as it was approved. Where nobody can tell what was approved, that is everything.
    pub(crate) fn differences(&self, subject: &Subject<'_>) -> Vec<Difference> {
        self.approved(subject).differences(subject.surface)
    }

    /// The names of the tools that a server had when it was approved under this definition; none if that is not known.
    pub(crate) fn tools(&self, key: &str, definition: &str) -> Option<Vec<String>> {
        let baseline = self.store().load(key).ok().flatten();
        let baseline = baseline.filter(|baseline| baseline.definition() == definition)?;
        Some(baseline.tools()?.map(ToOwned::to_owned).collect())
    }

    fn approved(&self, subject: &Subject<'_>) -> Baseline {
        let baseline = self.load(subject).ok().flatten();
        let baseline = baseline.filter(|baseline| baseline.definition() == subject.definition);
        baseline.unwrap_or_else(|| Baseline::empty(subject.definition))
    }

    fn load(&self, subject: &Subject<'_>) -> Result<Option<Baseline>, Cause> {
        self.store().load(&subject.key)
    }

    fn save(&self, subject: &Subject<'_>, baseline: &Baseline) -> Result<(), Cause> {
        self.store().save(&subject.key, baseline)
    }

    fn store(&self) -> MutexGuard<'_, Box<dyn PinStore + Send>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
