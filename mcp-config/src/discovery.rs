//! Finds and reads the files: the one place where layers come from.

mod installed;
mod plugin;
mod policy;
mod read;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::dialect::Dialect;
use crate::disk;
use crate::environment::Environment;
use crate::fingerprint::Fingerprint;
use crate::layer::Layer;
use crate::place::{Place, PlaceKind, Surroundings};
use crate::preset::Preset;
use crate::problem::Problem;
use crate::source::{Host, Source};
use crate::workspace::destination;
use read::Context;

/// Finds a user's configuration files and reads them.
///
/// Nothing here is fatal: [`load`](Self::load) returns what could be read, and a [`Problem`] for everything else.
///
/// ```no_run
/// use mcp_config::{Discovery, Environment, TrustStore, merge};
///
/// let environment = Environment::new("/work/project").with_home("/home/ada");
/// let found = Discovery::new(&environment).load();
/// let (trust, _) = TrustStore::load("/home/ada/.local/state/mcp-toolkit/trust.json");
/// for server in merge(&found.layers, &trust, &environment).servers {
///     println!("{} from {}", server.name(), server.origin());
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Discovery {
    environment: Environment,
    preset: Preset,
    explicit: Vec<PathBuf>,
    plugins: Vec<PathBuf>,
    also_discovered: bool,
}

/// What was found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Found {
    /// The files that define something, lowest precedence first.
    pub layers: Vec<Layer>,
    /// What is wrong with them, in the same order.
    pub problems: Vec<Problem>,
    /// Every place that was looked at, in the same order.
    pub places: Vec<Looked>,
    /// How often a file asks to be looked at again (`FreeCode`'s `pollInterval`); the shortest, when several do.
    pub poll_interval: Option<Duration>,
}

/// A place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Looked {
    /// Whose place it is.
    #[serde(flatten)]
    pub source: Source,
    /// The file, or the directory when it holds none.
    pub path: PathBuf,
    /// What was there.
    pub state: LookedState,
}

/// What was found at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LookedState {
    /// Nothing.
    Missing,
    /// A file that could not be read or understood.
    Failed,
    /// A file that was read, with the number of servers it defines.
    Read {
        /// The number of servers.
        servers: usize,
    },
}

impl Discovery {
    /// Looks from the environment's working directory and home, with the preset [`Preset::Toolkit`].
    pub fn new(environment: &Environment) -> Self {
        Self {
            environment: environment.clone(),
            preset: Preset::default(),
            explicit: Vec::new(),
            plugins: Vec::new(),
            also_discovered: false,
        }
    }

    /// Chooses whose files are looked at.
    #[must_use]
    pub fn with_preset(mut self, preset: Preset) -> Self {
        self.preset = preset;
        self
    }

    /// Reads this file, in the dialect of `.mcp.json`, **instead of** looking for others. Naming a file is approval: its
    /// servers may run. Several files may be named; the later ones win. A relative path is below the working directory.
    #[must_use]
    pub fn with_explicit(mut self, path: impl Into<PathBuf>) -> Self {
        self.explicit.push(path.into());
        self
    }

    /// Looks for the preset's files as well as the named ones, which win over them.
    #[must_use]
    pub fn with_discovered(mut self) -> Self {
        self.also_discovered = true;
        self
    }

    /// Reads the servers of the plugin in this directory as well, below everything else. Of several plugins the first wins.
    ///
    /// A plugin that the user installed may run; one inside the workspace is the project's, and waits for approval.
    #[must_use]
    pub fn with_plugin(mut self, directory: impl Into<PathBuf>) -> Self {
        self.plugins.push(directory.into());
        self
    }

    /// Reads everything there is.
    pub fn load(&self) -> Found {
        let mut found = Found::default();
        let context = Context::new(&self.environment, self.preset);
        let places = self.places(&context);
        // What may be read of a project is spent from the highest precedence down, so that no file starves one that it does not
        // win over.
        let contents: Vec<_> = places.iter().rev().map(|place| context.document(place)).collect();
        for (host, directory) in self.plugin_directories().into_iter().rev() {
            plugin::read(&context, host, &directory, &mut found);
        }
        for (place, content) in places.iter().zip(contents.into_iter().rev()) {
            context.add(place, content, None, &mut found);
        }
        for path in &self.explicit {
            context.read_explicit(&self.environment.absolute(path), &mut found);
        }
        policy::apply(&self.environment, self.preset, &mut found);
        found
    }

    /// Returns the state of every file that [`load`](Self::load) would read, without reading any.
    ///
    /// Two equal fingerprints mean that loading again is not worth it. It costs one `stat` per place.
    pub fn fingerprint(&self) -> Fingerprint {
        let context = Context::new(&self.environment, self.preset);
        let mut paths: Vec<PathBuf> = self.places(&context).into_iter().map(|place| place.path).collect();
        paths.extend(self.explicit.iter().map(|path| self.environment.absolute(path)));
        for (_, directory) in self.plugin_directories() {
            paths.extend(plugin::files(&directory));
        }
        paths.extend(installed::files(&self.environment));
        paths.extend(policy::files(&self.environment));
        Fingerprint::of(paths)
    }

    /// Tells whether [`load`](Self::load) would read this file, or will once it is there.
    pub fn reads(&self, path: &Path) -> bool {
        let path = destination(&self.environment.absolute(path));
        let leads_there = |other: &Path| path.is_some() && destination(other) == path;
        let context = Context::new(&self.environment, self.preset);
        let is_explicit = self.explicit.iter().any(|named| leads_there(&self.environment.absolute(named)));
        is_explicit
            || self.unexpanded_places(&context).iter().any(|place| match place.kind {
                PlaceKind::File => leads_there(&place.path),
                PlaceKind::Directory(extensions) => path.as_deref().is_some_and(|path| {
                    path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
                        && path.parent().map(Path::to_path_buf) == destination(&place.path)
                }),
                PlaceKind::Below { .. } => false,
            })
    }

    fn looks_around(&self) -> bool {
        self.explicit.is_empty() || self.also_discovered
    }

    /// Returns the plugins to read, highest precedence first: those that were named, then those Claude Code has installed.
    fn plugin_directories(&self) -> Vec<(Host, PathBuf)> {
        if !self.looks_around() {
            return Vec::new();
        }
        // Whoever names a plugin means it for the world that is reproduced.
        let named = self.plugins.iter().map(|directory| (self.preset.host(), self.environment.absolute(directory)));
        let installed = match self.preset {
            Preset::Toolkit | Preset::Only(Host::ClaudeCode) => installed::directories(&self.environment),
            Preset::Hoocode | Preset::Freecode | Preset::Only(_) => Vec::new(),
        };
        named.chain(installed.into_iter().map(|directory| (Host::ClaudeCode, directory))).collect()
    }

    /// Returns the places to look at, directories as they are, lowest precedence first.
    fn unexpanded_places(&self, context: &Context<'_>) -> Vec<Place> {
        if !self.looks_around() {
            return Vec::new();
        }
        let surroundings = Surroundings { environment: &self.environment, projects: context.workspace.directories() };
        self.preset.places(&surroundings)
    }

    /// Returns the files to read, lowest precedence first, each once.
    fn places(&self, context: &Context<'_>) -> Vec<Place> {
        let places = self.unexpanded_places(context).into_iter().flat_map(expand);
        // The home directory may be the project, and two names may lead to one file: of two standings the lower is kept,
        // which is the user's. `~/.claude.json` is looked at twice, for the user and for the project.
        let mut seen = BTreeSet::new();
        places
            .filter(|place| seen.insert((disk::canonical(&place.path), place.dialect == Dialect::ClaudeLocal)))
            .collect()
    }
}

/// Turns a directory into its files; one that holds none stays, so that it can be reported as looked at.
fn expand(place: Place) -> Vec<Place> {
    let paths: Vec<PathBuf> = match place.kind {
        PlaceKind::File => return vec![place],
        // The first by name wins, and what comes later in the list of places wins.
        PlaceKind::Directory(extensions) => disk::list(&place.path, extensions).into_iter().rev().collect(),
        PlaceKind::Below { prefix, file } => disk::subdirectories(&place.path)
            .into_iter()
            .filter(|directory| directory.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)))
            .map(|directory| directory.join(file))
            .filter(|path| disk::is_file(path))
            .collect(),
    };
    if paths.is_empty() {
        return vec![place];
    }
    paths.into_iter().map(|path| Place { path, kind: PlaceKind::File, ..place.clone() }).collect()
}
