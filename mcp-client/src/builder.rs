//! What a client works with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use mcp_config::{Environment, Preset};
use mcp_registry::{Mode, NameStyle, OutputLimits, OutputStore, PinPolicy, RuleLayer, Rules};
use mcp_transport::EraMemory;
use mcp_transport::Handler;

use crate::audit::Audit;
use crate::call::Approve;
use crate::client::{Client, Shared};
use crate::configuration::{Configuration, Sources};
use crate::embed::{DenseLeg, NOT_CONFIGURED, configured_leg};
use crate::eras::FileEras;
use crate::logins::{LoginOptions, Logins};
use crate::permissions;
use crate::pins::{self, Pins, Policies};
use crate::proxies::Proxies;
use crate::secrets::Secrets;

/// Chooses what a [`Client`] works with: [`Client::builder`].
#[derive(Debug)]
pub struct ClientBuilder {
    environment: Environment,
    sources: Sources,
    mode: Mode,
    rules: Vec<RuleLayer>,
    dense: Dense,
    pin_policy: PinPolicy,
    caller: String,
    logins: LoginOptions,
    output_limits: OutputLimits,
    approver: Option<Arc<dyn Approve>>,
    handler: Option<Arc<dyn Handler>>,
}

/// Where the leg that searches by meaning comes from.
#[derive(Debug)]
enum Dense {
    Without,
    Given(Box<DenseLeg>),
    Configured,
}

impl ClientBuilder {
    pub(crate) fn new(environment: Environment) -> Self {
        Self {
            environment,
            sources: Sources::default(),
            mode: Mode::default(),
            rules: Vec::new(),
            dense: Dense::Without,
            pin_policy: PinPolicy::default(),
            caller: "agent".to_owned(),
            logins: LoginOptions::default(),
            output_limits: OutputLimits::default(),
            approver: None,
            handler: None,
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

    /// Adds permission rules to those of the settings files, in front of them.
    #[must_use]
    pub fn rules(mut self, layer: RuleLayer) -> Self {
        self.rules.push(layer);
        self
    }

    /// What becomes of a tool that changed, or joined, after its server was approved, where the settings do not say;
    /// [`PinPolicy::Hold`] by default. A project's settings may only protect more.
    #[must_use]
    pub fn pin_policy(mut self, policy: PinPolicy) -> Self {
        self.pin_policy = policy;
        self
    }

    /// Who calls, in the audit log; `agent` by default.
    #[must_use]
    pub fn caller(mut self, caller: impl Into<String>) -> Self {
        self.caller = caller.into();
        self
    }

    /// How much of an output a model sees at once, and how much of the rest is kept to be read;
    /// [`OutputLimits::default`] by default.
    #[must_use]
    pub fn output_limits(mut self, limits: OutputLimits) -> Self {
        self.output_limits = limits.with_reader(Client::OUTPUT_TOOL);
        self
    }

    /// How to log in to servers that ask for it; by default nobody is asked, and such a server needs a login first.
    #[must_use]
    pub fn logins(mut self, options: LoginOptions) -> Self {
        self.logins = options;
        self
    }

    /// Who is asked before a call that changes something; nobody by default, and then such a call is denied.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approve>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Who answers what servers ask while they work: data from a person, a model's text, the folders to work in.
    ///
    /// Nobody by default, and then no server is told that it may ask. The handler learns which server asks; for a form
    /// it may start from [`form_defaults`](crate::form_defaults).
    #[must_use]
    pub fn handler(mut self, handler: Arc<dyn Handler>) -> Self {
        self.handler = Some(handler);
        self
    }

    /// Searches by meaning too; by names and words alone by default.
    #[must_use]
    pub fn dense(mut self, leg: DenseLeg) -> Self {
        self.dense = Dense::Given(Box::new(leg));
        self
    }

    /// Searches by meaning with what [the settings choose](crate::embed). A backend they describe wrongly is none, and answers
    /// say so.
    #[must_use]
    pub fn configured_dense(mut self) -> Self {
        self.dense = Dense::Configured;
        self
    }

    /// Reads and merges the configuration. Connects to nothing, and cannot fail: what is wrong with a file is among the
    /// client's [`problems`](Client::problems).
    pub fn build(self) -> Client {
        let preset = self.sources.preset;
        let is_whole = self.sources.files.is_empty() && !matches!(preset, Preset::Only(_));
        let configuration = Configuration::load(self.environment, self.sources);
        let (from_files, rule_problems) = permissions::rules(&configuration, preset);
        let rules = Rules::new(self.rules.into_iter().chain(from_files.layers().iter().cloned()))
            .in_surroundings(&permissions::surroundings(&configuration.environment));
        let kept = |name: &str| configuration.kept(name);
        let dense = match self.dense {
            Dense::Without => Err(NOT_CONFIGURED.to_owned()),
            Dense::Given(leg) => Ok(*leg),
            Dense::Configured => configured_leg(&configuration),
        };
        let shared = Shared {
            preset,
            mode: self.mode,
            rules: Mutex::new(rules),
            rule_problems,
            is_whole,
            approver: self.approver,
            handler: self.handler,
            pins: Pins::new(pins::store(&configuration), Policies::new(&configuration, self.pin_policy)),
            outputs: Mutex::new(OutputStore::new(self.output_limits)),
            secrets: Arc::new(Secrets::new(kept("secrets"), self.logins.store)),
            logins: Arc::new(Logins::new(kept("logins"), self.logins, Proxies::of(&configuration.environment))),
            eras: kept("eras.json").map(|file| Arc::new(FileEras::new(file)) as Arc<dyn EraMemory>),
            audit: kept("audit.jsonl").map(|file| Audit::new(file, self.caller)),
            dense,
            vectors: kept("vectors"),
            ..Shared::new(configuration, name_style(preset))
        };
        Client { shared: Arc::new(shared) }
    }
}

pub(crate) fn name_style(preset: Preset) -> NameStyle {
    if preset.tool_id_template().starts_with("mcp__") {
        NameStyle::DoubleUnderscore
    } else {
        NameStyle::SingleUnderscore
    }
}
