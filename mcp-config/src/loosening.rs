//! What a project asks to have loosened: a setting, or a change to a server that it did not define.

use std::path::{Path, PathBuf};

use crate::facts::{Fact, Facts, Topic};
use crate::layer::{Layer, Overlay, OverlayChange};
use crate::server::Timeouts;
use crate::trust::Identity;

/// One thing that a project's file says and that has no effect until a person has approved exactly that.
///
/// Its [`facts`](Self::facts) are shown, and [`TrustStore::approve_loosening`](crate::TrustStore::approve_loosening) records
/// their digest: like a [`Plan`](crate::Plan), for what changes others instead of starting something.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loosening {
    /// The file that says it.
    pub path: PathBuf,
    pub(crate) identity: Identity,
    pub(crate) facts: Facts,
}

impl Loosening {
    /// Returns what it says, and all of it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Tells whether it is this allow rule.
    pub fn is_rule(&self, rule: &str) -> bool {
        self.key() == crate::settings::allow_key(rule)
    }

    /// Returns the key of the settings, or the server's name.
    pub(crate) fn key(&self) -> &str {
        self.identity.name()
    }

    /// A key of a project's settings, or one rule of a list.
    pub(crate) fn of_setting(workspace: &Path, path: &Path, key: &str, facts: Facts) -> Self {
        Self { path: path.to_path_buf(), identity: Identity::of_setting(workspace, path, key), facts }
    }

    /// What an overlay would let a server do that it may not otherwise; `None` if that is nothing.
    pub(crate) fn of_overlay(layer: &Layer, overlay: &Overlay) -> Option<Self> {
        // What restricts the tools always applies, and approving does not change that.
        let OverlayChange { enabled, timeouts: Timeouts { startup, call }, tools: _ } = &overlay.change;
        let mut facts = Facts::default();
        let mut bind = |text: String| facts.add(Fact::binding(Topic::Change, text).of(&overlay.name));
        if *enabled == Some(true) {
            bind("switched on".to_owned());
        }
        if let Some(time) = startup {
            bind(format!("may take {} ms to start", time.as_millis()));
        }
        if let Some(time) = call {
            bind(format!("may take {} ms for a call", time.as_millis()));
        }
        let identity = Identity::of_overlay(layer, &overlay.name);
        (facts.iter().len() > 0).then(|| Self { path: layer.path.clone(), identity, facts })
    }
}
