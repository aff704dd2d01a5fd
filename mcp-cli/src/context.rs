//! What every command works with.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::pin::Pin;

use mcp_client::config::{Discovery, Environment, Preset, Severity};
use mcp_client::oauth::Account;
use mcp_client::{
    Cause, CauseKind, Client, ClientBuilder, Configuration, Error, LoginOptions, ServerState, ServerStatus, Sources,
    chain, process_environment,
};

use crate::arguments::Arguments;
use crate::exit::{Exit, Failure};
use crate::hint::Hint;
use crate::terminal::{Line, Terminal, Tone};

/// The terminal, the surroundings, and whose configuration is meant.
pub(crate) struct Context<'a> {
    pub(crate) terminal: &'a Terminal,
    pub(crate) environment: Environment,
    pub(crate) preset: Preset,
    files: Vec<PathBuf>,
    account: Option<String>,
    /// What was said, so that it is not said again.
    said: RefCell<BTreeSet<String>>,
    /// What ends when nothing of a client may be lost any more.
    settling: RefCell<Vec<Pin<Box<dyn Future<Output = ()>>>>>,
}

/// What stands before the reason why there is no record of calls.
pub(crate) const AUDIT: &str = "calls are not recorded: ";

impl<'a> Context<'a> {
    pub(crate) fn of_this_process(terminal: &'a Terminal, arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            terminal,
            environment: process_environment()?,
            preset: arguments.preset,
            files: std::mem::take(&mut arguments.config),
            account: arguments.account.take(),
            said: RefCell::default(),
            settling: RefCell::default(),
        })
    }

    /// A client for the configuration as it is now; what is wrong with it has been said.
    ///
    /// # Errors
    ///
    /// A file that the person named could not be read: going on without it is not what was asked for.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let client = self.silent_client();
        self.report(client.configuration())?;
        self.report_rules(&client);
        self.report_audit(&client);
        Ok(client)
    }

    /// Says once that calls are not recorded.
    pub(crate) fn report_audit(&self, client: &Client) {
        let Some(problem) = client.audit_problem() else { return };
        if self.said.borrow_mut().insert(AUDIT.to_owned()) {
            self.terminal.talk(Line::new().with(Tone::Warning, AUDIT).plain(problem));
        }
    }

    /// A client, for whoever says what is wrong with the configuration.
    pub(crate) fn silent_client(&self) -> Client {
        let client = self.files.iter().fold(Client::builder(self.environment.clone()), ClientBuilder::config);
        let mut logins = LoginOptions::default();
        logins.account = self.account.as_deref().map(Account::new);
        let client = client.preset(self.preset).caller("mcpctl").logins(logins).configured_dense().build();
        self.settling.borrow_mut().push(Box::pin(client.settled()));
        client
    }

    /// Waits for what the command has left: a login that is being renewed is lost with the answer.
    pub(crate) async fn settle(&self) {
        for settling in self.settling.take() {
            settling.await;
        }
    }

    /// Says what is wrong with the permission rules, as far as it was not said yet: once servers are connected, more is known.
    pub(crate) fn report_rules(&self, client: &Client) {
        let strays = client.stray_rules();
        let stray = strays.rules.iter().map(ToString::to_string);
        let cut = strays.is_cut.then(|| "there are too many to tell which of them are about nothing".to_owned());
        let unreadable = client.rule_problems().iter().map(ToString::to_string);
        for problem in unreadable.chain(stray).chain(cut) {
            if self.said.borrow_mut().insert(problem.clone()) {
                self.terminal.talk(Line::new().with(Tone::Warning, "permission rules: ").plain(problem));
            }
        }
    }

    /// Warns of something once, however often it comes up.
    pub(crate) fn warn_once(&self, warning: &str) {
        if self.said.borrow_mut().insert(warning.to_owned()) {
            self.terminal.talk(Line::new().with(Tone::Warning, warning));
        }
    }

    /// A failure whose hint to log in is meant for the account that the person has named.
    pub(crate) fn for_account(&self, failure: Failure) -> Failure {
        match &self.account {
            Some(account) if failure.exit == Exit::LoginNeeded => {
                failure.with_hint(Hint::added("for this account, add", "--account", account))
            }
            _ => failure,
        }
    }

    /// The configuration as it is now; what is wrong with it has been said.
    ///
    /// # Errors
    ///
    /// As for [`client`](Self::client).
    pub(crate) fn configuration(&self) -> Result<Configuration, Failure> {
        let configuration = self.silent_configuration();
        self.report(&configuration)?;
        Ok(configuration)
    }

    /// Which files make up the configuration.
    pub(crate) fn discovery(&self) -> Discovery {
        let discovery = Discovery::new(&self.environment).with_preset(self.preset);
        self.files.iter().fold(discovery, Discovery::with_explicit)
    }

    /// What makes the configuration another than the toolkit's own, as it was typed.
    pub(crate) fn whose(&self) -> String {
        if self.files.is_empty() { format!("--preset {}", self.preset.name()) } else { "--config".to_owned() }
    }

    /// The configuration, for whoever says what is wrong with it, or has just said it.
    pub(crate) fn silent_configuration(&self) -> Configuration {
        let mut sources = Sources::default();
        sources.files.clone_from(&self.files);
        sources.preset = self.preset;
        Configuration::load(self.environment.clone(), sources)
    }

    fn report(&self, configuration: &Configuration) -> Result<(), Failure> {
        let mut unreadable = false;
        for problem in configuration.problems().filter(|problem| problem.severity > Severity::Note) {
            let tone = if problem.severity == Severity::Error { Tone::Bad } else { Tone::Warning };
            let (words, hint) = Hint::beside(problem);
            self.terminal.talk(Line::new().with(tone, words));
            if let Some(hint) = hint {
                self.terminal.hint(hint);
            }
            unreadable |= problem.severity == Severity::Error && problem.server.is_none();
        }
        if unreadable && !self.files.is_empty() {
            return Err(Failure::usage("the named configuration cannot be read"));
        }
        Ok(())
    }

    /// Warns of names that could be taken for others.
    pub(crate) fn report_suspicious_names(&self, client: &Client) {
        for problem in client.tools().suspicious_names() {
            self.terminal.talk(Line::new().with(Tone::Warning, "suspicious name: ").plain(problem.to_string()));
        }
    }

    /// Says what is missing of the tools of connected servers.
    pub(crate) fn report_left_out(&self, client: &Client) {
        for status in client.glance() {
            for left_out in &status.left_out {
                self.terminal.talk(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(left_out));
            }
        }
    }

    /// Says why servers are not there that the person might expect.
    pub(crate) fn report_absent(&self, client: &Client) {
        for status in absent(client) {
            let Some(cause) = &status.cause else { continue };
            self.terminal.talk(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(&cause.message));
            if let Some(fix) = &status.fix {
                self.terminal.hint(Hint::from(fix));
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
        let hint = match error {
            Error::UnknownTool { nearest, .. } if !nearest.is_empty() => {
                Some(Hint::advice(format!("nearest: {}", nearest.join(", "))))
            }
            Error::AmbiguousTool { candidates, .. } => {
                Some(Hint::advice(format!("say which: {}", candidates.join(", "))))
            }
            other => Hint::of(&other.remedies()),
        };
        hint.into_iter().fold(failure, Self::with_hint)
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
