//! Which files are looked at, in which order.

use std::path::{Path, PathBuf};

use crate::dialect::Dialect;
use crate::environment::Environment;
use crate::source::{Host, Scope, Source};

/// Whose world is reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Preset {
    /// This toolkit: its own files as the user's, every other host's as imports. In the order of [`Scope`].
    #[default]
    Toolkit,
    /// One host alone: its user files are the user's own.
    Only(Host),
}

/// A file, or a directory of files, to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) source: Source,
    pub(crate) dialect: Dialect,
    pub(crate) path: PathBuf,
    pub(crate) kind: PlaceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    File,
    /// Every file of the directory with the notation's extension, sorted by name.
    Directory,
}

/// The directories of the current project, outermost first.
pub(crate) struct Surroundings<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) projects: &'a [PathBuf],
}

impl Preset {
    /// Returns the places, lowest precedence first.
    pub(crate) fn places(self, surroundings: &Surroundings<'_>) -> Vec<Place> {
        match self {
            Self::Toolkit => {
                let mut places: Vec<Place> =
                    Host::ALL.into_iter().rev().flat_map(|host| surroundings.of(host, Scope::Imported)).collect();
                // The sort is stable: within one scope the order of the hosts stays.
                places.sort_by_key(|place| place.source.scope);
                places
            }
            Self::Only(host) => surroundings.of(host, Scope::User),
        }
    }
}

impl Surroundings<'_> {
    /// Returns one host's places, lowest precedence first. `standing` is that of its user-level files.
    fn of(&self, host: Host, standing: Scope) -> Vec<Place> {
        match host {
            Host::Toolkit => {
                let user = self.user(host, Scope::User, Dialect::Toolkit, self.environment.user_file());
                let agents = self.project(host, Dialect::Toolkit, ".agents/mcp.json");
                let own = self.project(host, Dialect::Toolkit, ".mcp.json");
                [user, agents, own].concat()
            }
            Host::ClaudeCode => self.claude(host, standing),
            _ => Vec::new(),
        }
    }

    /// 1. user (lowest); 2. `.mcp.json` of the project, when Claude Code is looked at alone; 3. its own entries for this
    ///    project.
    fn claude(&self, host: Host, standing: Scope) -> Vec<Place> {
        let directory = self.environment.directory_var("CLAUDE_CONFIG_DIR").or_else(|| self.environment.home.clone());
        let file = directory.map(|directory| directory.join(".claude.json"));
        let user = self.user(host, standing, Dialect::Claude, file.clone());
        let shared = match standing {
            Scope::User => self.project(host, Dialect::Toolkit, ".mcp.json"),
            _ => Vec::new(),
        };
        let local = self.user(host, Scope::Project, Dialect::Claude, file);
        [user, shared, local].concat()
    }

    fn user(&self, host: Host, scope: Scope, dialect: Dialect, path: Option<PathBuf>) -> Vec<Place> {
        path.map(|path| file(Source::new(host, scope), dialect, path)).into_iter().collect()
    }

    fn project(&self, host: Host, dialect: Dialect, path: &str) -> Vec<Place> {
        let source = Source::new(host, Scope::Project);
        self.projects.iter().map(|directory| file(source, dialect, directory.join(Path::new(path)))).collect()
    }
}

fn file(source: Source, dialect: Dialect, path: PathBuf) -> Place {
    Place { source, dialect, path, kind: PlaceKind::File }
}
