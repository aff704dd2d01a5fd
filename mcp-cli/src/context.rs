//! What every command works with.

use std::path::PathBuf;

use mcp_client::config::{Environment, Severity};
use mcp_client::{Cause, CauseKind, Client, Error, ServerState, ServerStatus, chain, process_environment};

use crate::exit::{Exit, Failure};
use crate::terminal::{Line, Terminal, Tone};

/// The terminal, the surroundings, and the configuration a person named.
pub(crate) struct Context<'a> {
    pub(crate) terminal: &'a Terminal,
    pub(crate) environment: Environment,
    pub(crate) files: Vec<PathBuf>,
}

impl<'a> Context<'a> {
    pub(crate) fn of_this_process(terminal: &'a Terminal, files: Vec<PathBuf>) -> Result<Self, Failure> {
        Ok(Self { terminal, environment: process_environment().map_err(|error| Failure::from(&error))?, files })
    }

    /// A client for the configuration as it is now; what is wrong with it has been said.
    ///
    /// # Errors
    ///
    /// A file that the person named could not be read: going on without it is not what was asked for.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let client = self.silent_client();
        for problem in client.problems() {
            let tone = if problem.severity == Severity::Error { Tone::Bad } else { Tone::Warning };
            self.terminal.talk(Line::new().with(tone, problem.to_string()));
        }
        let unread =
            |problem: &&mcp_client::config::Problem| problem.severity == Severity::Error && problem.server.is_none();
        match client.problems().iter().find(unread) {
            Some(_) if !self.files.is_empty() => Err(Failure::usage("the named configuration cannot be read")),
            _ => Ok(client),
        }
    }

    /// A client whose problems are not printed, for a second look at the same files.
    pub(crate) fn silent_client(&self) -> Client {
        let builder = Client::builder(self.environment.clone());
        self.files.iter().fold(builder, mcp_client::ClientBuilder::config).build()
    }

    /// Says why servers are not there that the person might expect.
    pub(crate) fn report_absent(&self, client: &Client) {
        for status in absent(client) {
            let Some(cause) = &status.cause else { continue };
            self.terminal.talk(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(&cause.message));
            if let Some(fix) = &status.fix {
                self.terminal.hint(fix);
            }
        }
    }
}

/// Servers that are switched on and not connected.
pub(crate) fn absent(client: &Client) -> Vec<ServerStatus> {
    let mut all = client.glance();
    all.retain(|status| !matches!(status.state, ServerState::Connected | ServerState::Disabled));
    all
}

/// The exit code when nothing can be shown because no server is there: that of the first that is not.
pub(crate) fn exit_for_absence(client: &Client) -> Exit {
    let connected = client.glance().iter().any(|status| status.state == ServerState::Connected);
    match absent(client).first().and_then(|status| status.cause.as_ref()) {
        Some(cause) if !connected => exit_for(cause),
        _ => Exit::Ok,
    }
}

/// The exit code that a cause calls for.
pub(crate) fn exit_for(cause: &Cause) -> Exit {
    match cause.kind {
        CauseKind::Timeout => Exit::Timeout,
        CauseKind::LoginNeeded => Exit::LoginNeeded,
        CauseKind::Denied => Exit::Denied,
        CauseKind::Misconfigured => Exit::Usage,
        _ => Exit::Unreachable,
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let exit = if error.is_timeout() {
            Exit::Timeout
        } else if error.needs_login() {
            Exit::LoginNeeded
        } else if error.is_denied() {
            Exit::Denied
        } else if error.is_usage() {
            Exit::Usage
        } else {
            Exit::Unreachable
        };
        let failure = Self::new(exit, chain(error));
        let hints = match error {
            Error::UnknownTool { nearest, .. } if !nearest.is_empty() => {
                vec![format!("nearest: {}", nearest.join(", "))]
            }
            Error::AmbiguousTool { candidates, .. } => vec![format!("say which: {}", candidates.join(", "))],
            other => other.remedy().into_iter().collect(),
        };
        hints.into_iter().fold(failure, Self::with_hint)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<mcp_client::config::Error> for Failure {
    fn from(error: mcp_client::config::Error) -> Self {
        Self::usage(chain(&error))
    }
}
