//! A home and a project in a temporary directory.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_config::{Discovery, Environment, Found, Merged, Plan, Platform, Preset, Problem, TrustStore, merge};

pub(crate) struct World {
    _directory: tempfile::TempDir,
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    pub(crate) environment: Environment,
    pub(crate) trust: TrustStore,
}

impl World {
    /// An empty home, and an empty repository elsewhere.
    pub(crate) fn new() -> Self {
        // In memory where that is possible: hundreds of durable writes to a disk take longer than all else.
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("project"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(project.join(".git")).unwrap();
        let environment = Environment::new(&project).with_home(&home).with_platform(Platform::Linux);
        let (trust, problems) = TrustStore::load(root.join("state/trust.json"));
        assert_eq!(problems, []);
        Self { _directory: directory, home, project, environment, trust }
    }

    /// Writes a file below the home directory.
    pub(crate) fn home(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.home.join(path), content);
        self
    }

    /// Writes a file below the project.
    pub(crate) fn project(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.project.join(path), content);
        self
    }

    pub(crate) fn vars<const N: usize>(mut self, vars: [(&str, &str); N]) -> Self {
        self.environment = self.environment.with_vars(vars);
        self
    }

    pub(crate) fn discovery(&self) -> Discovery {
        Discovery::new(&self.environment)
    }

    pub(crate) fn found(&self, preset: Preset) -> Found {
        self.discovery().with_preset(preset).load()
    }

    pub(crate) fn merged(&self) -> Merged {
        self.merged_as(Preset::Toolkit)
    }

    pub(crate) fn merged_as(&self, preset: Preset) -> Merged {
        merge(&self.found(preset).layers, &self.trust, &self.environment)
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        self.texts(&self.found(Preset::Toolkit).problems)
    }

    /// Writes problems with the temporary directories replaced.
    pub(crate) fn texts(&self, problems: &[Problem]) -> Vec<String> {
        problems.iter().map(|problem| self.text(problem)).collect()
    }

    pub(crate) fn text(&self, value: &dyn std::fmt::Display) -> String {
        value.to_string().replace(&*self.project.to_string_lossy(), ".").replace(&*self.home.to_string_lossy(), "~")
    }

    /// Approves a server as it stands now.
    pub(crate) fn approve(&mut self, name: &str) {
        let plan = self.plan(name);
        self.trust.approve(&plan, at(1)).unwrap();
    }

    /// What starting a server would do now.
    pub(crate) fn plan(&self, name: &str) -> Plan {
        self.merged().server(name).unwrap().plan(&self.environment)
    }
}

pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A moment.
pub(crate) fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}
