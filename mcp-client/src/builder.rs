//! What a client works with.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_config::{Environment, Preset};
use mcp_registry::{Mode, NameStyle, Rules};

use crate::call::Approve;
use crate::client::{Client, Shared};
use crate::configuration::{Configuration, Sources};

/// Chooses what a [`Client`] works with: [`Client::builder`].
#[derive(Debug)]
pub struct ClientBuilder {
    environment: Environment,
    sources: Sources,
    mode: Mode,
    rules: Rules,
    approver: Option<Arc<dyn Approve>>,
}

impl ClientBuilder {
    pub(crate) fn new(environment: Environment) -> Self {
        Self {
            environment,
            sources: Sources::default(),
            mode: Mode::default(),
            rules: Rules::default(),
            approver: None,
        }
    }

    /// Reads this file instead of looking for any; naming it approves what is in it. Call again for more files.
    #[must_use]
    pub fn config(mut self, file: impl Into<PathBuf>) -> Self {
        self.sources.files.push(file.into());
        self
    }

    /// Whose files to read, in which order, and how that system spells tool ids; [`Preset::Toolkit`] by default.
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.sources.preset = preset;
        self
    }

    /// Where approvals are remembered; [`Environment::trust_file`] by default.
    #[must_use]
    pub fn trust_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.sources.trust_file = Some(file.into());
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
        let style = name_style(self.sources.preset);
        let configuration = Configuration::load(self.environment, self.sources);
        let shared = Shared::new(configuration, style);
        Client { shared: Arc::new(Shared { mode: self.mode, rules: self.rules, approver: self.approver, ..shared }) }
    }
}

fn name_style(preset: Preset) -> NameStyle {
    if preset.tool_id_template().starts_with("mcp__") {
        NameStyle::DoubleUnderscore
    } else {
        NameStyle::SingleUnderscore
    }
}
