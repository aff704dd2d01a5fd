//! What a client works with.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_config::{Discovery, Environment, Found, Merged, Preset, TrustStore, merge};
use mcp_registry::{Mode, Rules};

use crate::call::Approve;
use crate::client::{Client, Shared};
use crate::server::Server;

/// Chooses what a [`Client`] works with: [`Client::builder`].
#[derive(Debug)]
pub struct ClientBuilder {
    environment: Environment,
    files: Vec<PathBuf>,
    preset: Preset,
    trust_file: Option<PathBuf>,
    mode: Mode,
    rules: Rules,
    approver: Option<Arc<dyn Approve>>,
}

impl ClientBuilder {
    pub(crate) fn new(environment: Environment) -> Self {
        Self {
            environment,
            files: Vec::new(),
            preset: Preset::default(),
            trust_file: None,
            mode: Mode::default(),
            rules: Rules::default(),
            approver: None,
        }
    }

    /// Reads this file instead of looking for any; naming it approves what is in it. Call again for more files.
    #[must_use]
    pub fn config(mut self, file: impl Into<PathBuf>) -> Self {
        self.files.push(file.into());
        self
    }

    /// Whose files to read, in which order; [`Preset::Toolkit`] by default.
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.preset = preset;
        self
    }

    /// Where approvals are remembered; [`Environment::trust_file`] by default.
    #[must_use]
    pub fn trust_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.trust_file = Some(file.into());
        self
    }

    /// The mode of work, which decides where no rule does; [`Mode::Build`] by default.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// The permission rules; none by default.
    #[must_use]
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Who is asked before a call that changes something; nobody by default, and then such a call is denied.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approve>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Reads and merges the configuration. Connects to nothing, and cannot fail: what is wrong with a file is among the
    /// client's [`problems`](Client::problems).
    pub fn build(self) -> Client {
        let discovery = Discovery::new(&self.environment).with_preset(self.preset);
        let found = self.files.into_iter().fold(discovery, Discovery::with_explicit).load();
        let (trust, mut problems) = match self.trust_file.or_else(|| self.environment.trust_file()) {
            Some(file) => TrustStore::load(file),
            None => (TrustStore::default(), Vec::new()),
        };
        let Found { layers, problems: unreadable, .. } = found;
        let Merged { servers, problems: conflicts, .. } = merge(&layers, &trust);
        problems.splice(0..0, unreadable);
        problems.extend(conflicts);
        let servers = servers.into_iter().map(Server::new).collect();
        let shared = Shared::new(self.environment, servers, trust);
        let shared = Shared { mode: self.mode, rules: self.rules, approver: self.approver, problems, ..shared };
        Client { shared: Arc::new(shared) }
    }
}
