//! How much is read of files that nobody has approved.

use std::cell::Cell;
use std::path::Path;

use crate::disk;
use crate::problem::{Problem, ProblemKind, Severity};

/// How much the files of one project may hold together, in bytes: fifty times what the largest real ones do.
///
/// What is made of them in memory is up to 170 times as large, and all of it is made before anybody is asked.
pub(crate) const MAX_PROJECT: u64 = 512 * 1024;

/// What is left to be read of a project's files in one pass.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// Allows this many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { left: Cell::new(bytes) }
    }

    /// Reads a file of at most `limit` bytes, if there is as much left; `None` is a file that is not there.
    pub(crate) fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Problem> {
        let left = self.left.get();
        if disk::length(path).is_some_and(|length| length > left && length <= limit) {
            let message = format!("not read: a project's files may hold {} KiB together", MAX_PROJECT / 1024);
            return Err(Problem::new(Severity::Error, ProblemKind::Refused, message).with_path(path));
        }
        // What has grown meanwhile is too large by itself.
        let bytes = disk::read(path, limit.min(left))?;
        self.left.set(left.saturating_sub(bytes.as_ref().map_or(0, Vec::len) as u64));
        Ok(bytes)
    }
}
