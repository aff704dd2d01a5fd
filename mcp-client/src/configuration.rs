//! What a user has configured: found, merged, and as far as it is trusted.

use std::path::PathBuf;

use mcp_config::{
    Discovery, Environment, Found, FoundSettings, Loosening, Merged, Preset, Problem, Resolved, Trust, TrustStore,
    merge,
};

/// Where to look for configuration, and what was approved.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Sources {
    /// Files to read instead of looking for any; naming them approves what is in them.
    pub files: Vec<PathBuf>,
    /// Whose files to look for otherwise.
    pub preset: Preset,
    /// Where approvals are remembered; [`Environment::trust_file`] when `None`.
    pub trust_file: Option<PathBuf>,
}

/// A user's configuration as it stands on disk at one moment.
#[derive(Debug)]
#[non_exhaustive]
pub struct Configuration {
    /// The surroundings it was read in.
    pub environment: Environment,
    /// The files that were found.
    pub found: Found,
    /// One definition per server, and those it shadows.
    pub merged: Merged,
    /// The user's settings and the project's.
    pub settings: FoundSettings,
    /// What a person has approved.
    pub trust: TrustStore,
    /// Where state is kept; `None` without a home, or when what is there cannot be believed.
    state: Option<PathBuf>,
    /// Why state is not kept in the place there is for it.
    refused_state: Option<Problem>,
    /// What is wrong with the place where state is kept, with the record of approvals, and with who may write the user's files.
    state_problems: Vec<Problem>,
    /// What is wrong with the policies for tools that changed.
    policy_problems: Vec<Problem>,
}

impl Configuration {
    /// Reads and merges. Connects to nothing and cannot fail: what is wrong is among the [`problems`](Self::problems).
    pub fn load(environment: Environment, sources: Sources) -> Self {
        let discovery = Discovery::new(&environment).with_preset(sources.preset);
        let found = sources.files.into_iter().fold(discovery, Discovery::with_explicit).load();
        let (state, refused_state) = match environment.state_directory() {
            Ok(state) => (state, None),
            Err(problem) => (None, Some(problem)),
        };
        let (trust, trust_problems) = match (sources.trust_file, environment.trust_file(), &refused_state) {
            (Some(file), _, _) | (None, Some(file), None) => TrustStore::load(file),
            (None, Some(file), Some(problem)) => (TrustStore::refused(file, problem.clone()), Vec::new()),
            (None, None, _) => (TrustStore::default(), Vec::new()),
        };
        let exposed = environment.exposed_files();
        let state_problems = refused_state.iter().cloned().chain(trust_problems).chain(exposed).collect();
        let settings = FoundSettings::load(&environment);
        let trust = trust.with_allowed_imports(settings.user.imports.iter().copied());
        let merged = merge(&found.layers, &trust, &environment);
        let policy_problems = crate::pins::problems(&settings, environment.settings_file().as_deref());
        Self { environment, found, merged, settings, trust, state, refused_state, state_problems, policy_problems }
    }

    /// Every definition of every server: those in force by name, then those that are shadowed or wait behind them, highest
    /// precedence first.
    pub fn definitions(&self) -> impl Iterator<Item = &Resolved> {
        self.merged.servers.iter().chain(self.merged.shadowed.iter().map(|shadowed| &shadowed.server))
    }

    /// The definitions that a person must approve before they may run.
    ///
    /// One that waits takes no part in precedence: a trusted definition of the same name is in force meanwhile.
    pub fn waiting(&self) -> impl Iterator<Item = &Resolved> {
        self.definitions().filter(|server| matches!(server.trust(), Trust::NeedsApproval { .. }))
    }

    /// What the project would loosen, and has not been allowed to: settings, and changes to servers.
    pub fn loosenings(&self) -> impl Iterator<Item = &Loosening> {
        let settings = self.settings.projects.iter().flat_map(|project| &project.loosenings);
        let overlays = self.merged.withheld.iter().filter_map(|withheld| withheld.loosening.as_ref());
        settings.filter(|loosening| !self.trust.has_approved(loosening)).chain(overlays)
    }

    /// What is wrong with the settings: the user's and the project's.
    pub fn settings_problems(&self) -> impl Iterator<Item = &Problem> {
        self.settings.problems.iter().chain(&self.policy_problems)
    }

    /// Everything that is wrong: with the files, with how they fit together, with the settings, with the approvals.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.found.problems.iter().chain(&self.merged.problems).chain(self.own_problems())
    }

    /// What is wrong with the settings, with the place where state is kept, and with the record of approvals.
    pub(crate) fn own_problems(&self) -> impl Iterator<Item = &Problem> {
        self.settings_problems().chain(&self.state_problems)
    }

    /// Where something of the state is kept; the one way to a path of it.
    pub(crate) fn kept(&self, name: &str) -> Option<PathBuf> {
        self.state.as_ref().map(|directory| directory.join(name))
    }

    /// Why state is not kept in the place there is for it.
    pub(crate) fn refused_state(&self) -> Option<&Problem> {
        self.refused_state.as_ref()
    }

    /// What is wrong with the place where state is kept, and with the record of approvals; nothing is approved by such a record.
    pub fn state_problems(&self) -> &[Problem] {
        &self.state_problems
    }
}
