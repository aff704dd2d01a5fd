//! The record of every call.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use mcp_config::OwnFile;
use mcp_registry::{AuditLog, AuditRecord, Decision, Outcome, Request};

use crate::error::Error;

/// An append-only log of calls, one line of JSON each, chained so that a changed line shows.
#[derive(Debug)]
pub(crate) struct Audit {
    file: OwnFile,
    caller: String,
    /// Why a line could not be written, the first time that happened.
    failed: OnceLock<String>,
}

/// How large the log grows before a new one is begun; it has four earlier parts.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

impl Audit {
    pub(crate) fn new(path: impl Into<PathBuf>, caller: impl Into<String>) -> Self {
        Self { file: OwnFile::new(path), caller: caller.into(), failed: OnceLock::new() }
    }

    /// Why calls are not recorded: why one could not be, or the next could not.
    pub(crate) fn problem(&self) -> Option<String> {
        let check = || self.file.check_append().err().map(|error| crate::error::chain(&error));
        self.failed.get().cloned().or_else(check)
    }

    /// The record of a call that is about to be made or refused.
    pub(crate) fn record(&self, request: &Request<'_>, decision: &Decision) -> AuditRecord {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        AuditRecord::new(now, &self.caller, request, decision)
    }

    /// Writes a record, now that it is known how the call ended.
    ///
    /// # Errors
    ///
    /// [`Error::OwnFile`].
    pub(crate) fn append(&self, record: AuditRecord, outcome: Outcome) -> Result<(), Error> {
        let record = record.with_outcome(outcome);
        self.file
            .append_within(MOST_BYTES, |last| last.map_or_else(AuditLog::new, AuditLog::resume).append(&record))
            .map_err(|source| Error::OwnFile { source })
    }
}

/// A call that is being decided or made. One that nobody closes was given up by its caller, and is recorded as that.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    open: Option<(&'a Audit, AuditRecord)>,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(audit: Option<&'a Audit>, request: &Request<'_>, decision: &Decision) -> Self {
        Self { open: audit.map(|audit| (audit, audit.record(request, decision))) }
    }

    pub(crate) fn close(mut self, outcome: Outcome) {
        self.write(outcome);
    }

    fn write(&mut self, outcome: Outcome) {
        if let Some((audit, record)) = self.open.take()
            && let Err(error) = audit.append(record, outcome)
        {
            // The call is made and cannot be taken back; whoever runs the host is told.
            let error = crate::error::chain(&error);
            tracing::warn!(%error, "a call is missing in the audit log");
            audit.failed.get_or_init(|| error);
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.write(Outcome::Cancelled);
    }
}
