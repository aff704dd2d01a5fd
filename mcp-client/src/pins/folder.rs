//! Baselines on disk, a file a server.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mcp_config::OwnFile;
use mcp_registry::{Baseline, PinStore};

use super::Cause;

/// The largest file that is written here, and so the largest that is read: three times what 5,000 ordinary tools take.
pub(crate) const LARGEST: usize = 16 * 1024 * 1024;

/// How many servers are remembered. Of more, those go that were not started for the longest time.
const MOST: usize = 1_000;

/// How exactly it is known when a server was last started.
const DAY: Duration = Duration::from_hours(24);

/// A folder with a file for each server, so that a broken one concerns no other. What belongs to another definition of a
/// server is replaced, not kept beside it.
#[derive(Debug)]
pub(crate) struct FolderPins {
    folder: PathBuf,
}

impl FolderPins {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn file(&self, key: &str) -> OwnFile {
        OwnFile::new(self.folder.join(key).with_extension("json"))
    }

    /// Forgets the servers that were not started for the longest time, where there are too many, and the one file that earlier
    /// versions kept for all of them.
    fn sweep(&self) {
        remove(&self.folder.with_extension("json"))
            .unwrap_or_else(|error| tracing::debug!(%error, "an old file stays"));
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let is_ours = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
        let used = |path: PathBuf| Some((path.metadata().ok()?.modified().ok()?, path));
        let paths = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<(SystemTime, PathBuf)> = paths.filter(|path| is_ours(path)).filter_map(used).collect();
        files.sort_unstable();
        for (_, path) in files.iter().take(files.len().saturating_sub(MOST)) {
            remove(path).unwrap_or_else(|error| tracing::debug!(%error, "an old baseline could not be removed"));
        }
    }
}

impl PinStore for FolderPins {
    fn load(&self, key: &str) -> Result<Option<Baseline>, Cause> {
        let file = self.file(key);
        // Whoever can write a baseline approves what a server's tools became.
        file.check_private()?;
        let bytes = file.read_bytes(LARGEST as u64)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        touch(file.path());
        let damaged = |source| Damaged { path: file.path().to_path_buf(), source };
        Ok(Some(serde_json::from_slice(&bytes).map_err(damaged)?))
    }

    fn save(&mut self, key: &str, baseline: &Baseline) -> Result<(), Cause> {
        let file = self.file(key);
        let is_new = !file.path().exists();
        file.replace(&within_the_limit(baseline)?)?;
        if is_new {
            self.sweep();
        }
        Ok(())
    }

    fn forget(&mut self, key: &str) -> Result<(), Cause> {
        Ok(remove(self.file(key).path())?)
    }
}

/// A baseline in as much detail as its reader accepts. What has no detail at all is far smaller.
fn within_the_limit(baseline: &Baseline) -> Result<Vec<u8>, serde_json::Error> {
    let bytes = serde_json::to_vec(baseline)?;
    match baseline.reduced() {
        Some(less) if bytes.len() > LARGEST => within_the_limit(&less),
        _ => Ok(bytes),
    }
}

/// Notes that a server was started.
fn touch(path: &Path) {
    let now = SystemTime::now();
    let is_old = |modified: SystemTime| now.duration_since(modified).is_ok_and(|age| age > DAY);
    if path.metadata().and_then(|metadata| metadata.modified()).is_ok_and(is_old) {
        // If that cannot be noted, the server is forgotten earlier than others.
        std::fs::File::open(path).and_then(|file| file.set_modified(now)).ok();
    }
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// A file of ours that holds something else.
#[derive(Debug, thiserror::Error)]
#[error("`{}` holds no baseline", .path.display())]
struct Damaged {
    path: PathBuf,
    source: serde_json::Error,
}
