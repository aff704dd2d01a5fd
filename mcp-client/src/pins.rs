//! What a server's tools were when a person approved it.

mod folder;

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_config::Identity;
use mcp_registry::{Baseline, Drift, PinPolicy, PinStore, Surface};

pub(crate) use self::folder::FolderPins;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The baselines of a client's servers.
pub(crate) struct Pins {
    store: Mutex<Box<dyn PinStore + Send>>,
    policy: PinPolicy,
}

impl std::fmt::Debug for Pins {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pins").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// A server whose surface is to be compared or approved.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Which entry of which file it is.
    pub(crate) identity: Identity,
    /// The hash of what the entry says.
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
    pub(crate) fn new(store: Box<dyn PinStore + Send>, policy: PinPolicy) -> Self {
        Self { store: Mutex::new(store), policy }
    }

    /// How a server differs from its baseline. Whoever has none gets one now: the person who lets a server run for the first
    /// time, or lets it run under another definition, takes it as it is.
    ///
    /// State of ours stops no server. One whose baseline cannot be read is treated as changed in every tool; one whose first
    /// baseline cannot be kept is used as it is.
    pub(crate) fn check(&self, subject: &Subject<'_>) -> Checked {
        let loaded = self.store().load(&subject.identity.key());
        let drift = match loaded {
            Ok(Some(baseline)) => baseline.compare(subject.definition, subject.surface, self.policy),
            Ok(None) => return Checked { drift: Drift::default(), trouble: self.approve(subject).err() },
            Err(cause) => {
                return Checked { drift: Drift::unknown(subject.surface, self.policy), trouble: Some(cause) };
            }
        };
        if drift.redefined {
            return Checked { drift: Drift::default(), trouble: self.approve(subject).err() };
        }
        Checked { drift, trouble: None }
    }

    /// Takes a server as it is now for approved.
    ///
    /// # Errors
    ///
    /// The store's; then what was approved before still counts.
    pub(crate) fn approve(&self, subject: &Subject<'_>) -> Result<(), Cause> {
        let baseline = Baseline::take(subject.definition, subject.surface);
        self.store().save(&subject.identity.key(), &baseline)
    }

    /// The names of the tools that a server had when it was approved under this definition; none if that is not known.
    pub(crate) fn tools(&self, identity: &Identity, definition: &str) -> Option<Vec<String>> {
        let baseline = self.store().load(&identity.key()).ok().flatten();
        let baseline = baseline.filter(|baseline| baseline.definition() == definition)?;
        Some(baseline.tool_hashes().map(|(name, _)| name.to_owned()).collect())
    }

    fn store(&self) -> MutexGuard<'_, Box<dyn PinStore + Send>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
