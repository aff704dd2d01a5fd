//! Tells whether anything has changed, and what.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::disk::{self, Stamp};
use crate::merge::Merged;
use crate::resolved::Resolved;

/// The state of a set of files: length, time of change and identity of each, or that it is not there.
///
/// See [`Discovery::fingerprint`](crate::Discovery::fingerprint).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint {
    files: BTreeMap<PathBuf, Option<Stamp>>,
}

impl Fingerprint {
    pub(crate) fn of(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let files = paths.into_iter().map(|path| {
            let stamp = disk::stamp(&path);
            (path, stamp)
        });
        Self { files: files.collect() }
    }

    /// Returns the files whose state differs, sorted.
    pub fn changed_since<'a>(&'a self, earlier: &'a Self) -> Vec<&'a Path> {
        let mut paths: Vec<&Path> = self.files.keys().chain(earlier.files.keys()).map(PathBuf::as_path).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.retain(|path| self.files.get(*path) != earlier.files.get(*path));
        paths
    }
}

/// The difference between two merged configurations, by server; each list is sorted.
///
/// ```
/// use mcp_config::{Changes, Merged};
///
/// assert!(Changes::between(&Merged::default(), &Merged::default()).is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Servers that only the new configuration has.
    pub added: Vec<String>,
    /// Servers that only the old configuration has.
    pub removed: Vec<String>,
    /// Servers that both have, and that would be started differently, or are allowed to now, or no longer.
    pub changed: Vec<String>,
}

impl Changes {
    /// Compares two configurations.
    pub fn between(old: &Merged, new: &Merged) -> Self {
        let mut changes = Self::default();
        for server in &new.servers {
            match old.server(server.name()) {
                None => changes.added.push(server.name().to_owned()),
                Some(before) if !is_same(before, server) => changes.changed.push(server.name().to_owned()),
                Some(_) => {}
            }
        }
        let gone = old.servers.iter().filter(|server| new.server(server.name()).is_none());
        changes.removed.extend(gone.map(|server| server.name().to_owned()));
        changes
    }

    /// Tells whether there is no difference.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// Where a definition stands in its file does not matter; what it says and whether it may run does.
fn is_same(before: &Resolved, after: &Resolved) -> bool {
    before.config == after.config
        && before.trust == after.trust
        && before.origin.source == after.origin.source
        && before.context == after.context
}
