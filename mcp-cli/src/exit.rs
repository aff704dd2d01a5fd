//! Exit codes: a script that calls `mcpctl` can tell what happened without reading prose.

use std::process::ExitCode;

use crate::hint::Hint;

/// What the process ends with. The numbers are part of the interface: documented in `--help` and the README.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Ok = 0,
    /// The tool answered with an error.
    ToolError = 1,
    /// Usage or configuration.
    Usage = 2,
    /// A server could not be reached.
    Unreachable = 3,
    /// A server asks for a login.
    LoginNeeded = 4,
    /// Denied by trust or permission.
    Denied = 5,
    /// Something took too long.
    Timeout = 6,
}

/// The table as `--help` shows it.
pub(crate) const HELP: &str = "\
Exit codes:
  0  ok
  1  the tool answered with an error
  2  usage or configuration
  3  server unreachable
  4  login needed
  5  denied by trust or permission
  6  timeout";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command ends early: one sentence, what to do next, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hints: Vec<Hint>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }
}
