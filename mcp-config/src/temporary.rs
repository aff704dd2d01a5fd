//! Files that are written before they take another's place, and what becomes of those whose writer was killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

/// No file that somebody else names begins and ends like this.
const PREFIX: &str = ".mcp-toolkit-";
const SUFFIX: &str = ".tmp";

/// Nobody writes one file for as long as this: its writer is gone.
const ABANDONED: Duration = Duration::from_hours(1);

/// How many entries of a directory are looked at.
const MOST_ENTRIES: usize = 10_000;

/// Creates a file in a directory, readable by its owner only, and removes those that were abandoned there.
pub(crate) fn create_in(directory: &Path) -> io::Result<NamedTempFile> {
    for abandoned in abandoned(directory, SystemTime::now()) {
        // Somebody else may be quicker, or it is not ours to remove.
        fs::remove_file(abandoned).unwrap_or_default();
    }
    tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempfile_in(directory)
}

fn abandoned(directory: &Path, now: SystemTime) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let entries = entries.take(MOST_ENTRIES).flatten();
    let named = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
    });
    // A link's own metadata, so that what it leads to is left alone.
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|found| found.modified().ok());
        modified.and_then(|modified| now.duration_since(modified).ok()).is_some_and(|age| age > ABANDONED)
    };
    named.filter(is_old).map(|entry| entry.path()).collect()
}
