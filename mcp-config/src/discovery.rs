//! Finds and reads the files: the one place where layers come from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::dialect::{Dialect, Reader};
use crate::disk;
use crate::document;
use crate::environment::Environment;
use crate::layer::{Entry, Layer, Script};
use crate::preset::{Place, PlaceKind, Preset, Surroundings};
use crate::problem::{Problem, ProblemKind, Severity};
use crate::server::LaunchTemplate;
use crate::source::{Host, Scope, Source};

/// How many problems one file may report; the rest of a hopeless file is summed up.
const MAX_PROBLEMS: usize = 200;

/// How many files of one command line are part of its approval.
const MAX_SCRIPTS: usize = 16;

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
/// for server in merge(&found.layers, &trust).servers {
///     println!("{} from {}", server.name(), server.origin());
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Discovery {
    environment: Environment,
    preset: Preset,
    explicit: Vec<PathBuf>,
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

    /// Reads everything there is.
    pub fn load(&self) -> Found {
        let mut found = Found::default();
        let cwd = disk::canonical(&self.environment.cwd);
        let home = self.environment.home.as_deref().map(disk::canonical);
        let projects = disk::project_directories(&cwd, home.as_deref());
        let context = Context {
            environment: &self.environment,
            workspace: projects.first().cloned().unwrap_or_else(|| cwd.clone()),
            home,
            projects: &projects,
        };
        let mut seen = BTreeSet::new();
        if self.explicit.is_empty() || self.also_discovered {
            let surroundings = Surroundings { environment: &self.environment, projects: &projects };
            for place in self.preset.places(&surroundings) {
                for place in expand_directories(place) {
                    // The same file by another name, or the home directory as a project.
                    if seen.insert((disk::canonical(&place.path), place.is_per_project_state())) {
                        context.read(&place, &mut found);
                    }
                }
            }
        }
        for path in &self.explicit {
            context.read_explicit(&self.environment.absolute(path), &mut found);
        }
        found
    }
}

impl Place {
    /// `~/.claude.json` is looked at twice: for the user, and for the project.
    fn is_per_project_state(&self) -> bool {
        self.dialect == Dialect::Claude && self.source.scope == Scope::Project
    }
}

fn expand_directories(place: Place) -> Vec<Place> {
    match place.kind {
        PlaceKind::File => vec![place],
        PlaceKind::Directory => disk::list(&place.path, &["json"])
            .into_iter()
            .map(|path| Place { path, kind: PlaceKind::File, ..place.clone() })
            .collect(),
    }
}

/// What reading a place depends on.
struct Context<'a> {
    environment: &'a Environment,
    workspace: PathBuf,
    home: Option<PathBuf>,
    projects: &'a [PathBuf],
}

impl Context<'_> {
    fn read_explicit(&self, path: &Path, found: &mut Found) {
        let source = Source::new(Host::Toolkit, Scope::Explicit);
        let place = Place { source, dialect: Dialect::Toolkit, path: path.to_path_buf(), kind: PlaceKind::File };
        self.read(&place, found);
        let missing = found.places.last().is_some_and(|looked| looked.state == LookedState::Missing);
        if missing {
            found
                .problems
                .push(Problem::new(Severity::Error, ProblemKind::Unreadable, "there is no such file").with_path(path));
        }
    }

    fn read(&self, place: &Place, found: &mut Found) {
        let source = self.standing(place);
        let (state, problems) = match read_document(place) {
            Ok(None) => (LookedState::Missing, Vec::new()),
            Err(problem) => (LookedState::Failed, vec![problem]),
            Ok(Some(document)) => {
                let mut reader = Reader::new(&place.path, source, self.projects);
                if let Some(document) = document {
                    place.dialect.read(&document, &mut reader);
                }
                let servers = reader.entries.len();
                let problems = std::mem::take(&mut reader.problems);
                found.layers.extend(self.layer(reader));
                (LookedState::Read { servers }, problems)
            }
        };
        found.places.push(Looked { source, path: place.path.clone(), state });
        found.problems.extend(capped(problems, &place.path));
    }

    /// Everything that lives inside the workspace is the project's, whichever host's user file it claims to be; unless the
    /// workspace holds the whole home directory, as it does when one works in it.
    fn standing(&self, place: &Place) -> Source {
        let Source { scope, host } = place.source;
        let workspace_holds_home = self.home.as_ref().is_some_and(|home| home.starts_with(&self.workspace));
        let inside = disk::canonical(&place.path).starts_with(&self.workspace) && !workspace_holds_home;
        match scope {
            Scope::Plugin | Scope::Imported | Scope::User if inside => Source::new(host, Scope::Project),
            Scope::Plugin | Scope::Imported | Scope::User | Scope::Project | Scope::Explicit => {
                Source::new(host, scope)
            }
        }
    }

    fn layer(&self, reader: Reader<'_>) -> Option<Layer> {
        if reader.entries.is_empty() && reader.overlays.is_empty() {
            return None;
        }
        let source = reader.source;
        let default_cwd = match source.scope {
            Scope::Project => self.workspace.clone(),
            Scope::Explicit => self.environment.cwd.clone(),
            Scope::User | Scope::Imported | Scope::Plugin => {
                self.environment.home.clone().unwrap_or_else(|| self.environment.cwd.clone())
            }
        };
        let mut entries = reader.entries;
        if source.scope == Scope::Project {
            for entry in &mut entries {
                entry.scripts = scripts(entry, &self.workspace);
            }
        }
        Some(Layer {
            source,
            path: reader.path.to_path_buf(),
            workspace: self.workspace.clone(),
            default_cwd,
            entries,
            overlays: reader.overlays,
        })
    }
}

/// Reads and parses a file: no file, no content, or a document.
fn read_document(place: &Place) -> Result<Option<Option<document::Node>>, Problem> {
    let limit = match place.dialect {
        Dialect::Claude => disk::MAX_STATE_FILE,
        _ => disk::MAX_FILE,
    };
    let Some(bytes) = disk::read(&place.path, limit)? else { return Ok(None) };
    document::decode(&bytes)
        .and_then(|text| document::parse(&text.content, place.dialect.notation()))
        .map(Some)
        .map_err(|problem| problem.with_path(&place.path))
}

fn capped(mut problems: Vec<Problem>, path: &Path) -> Vec<Problem> {
    let rest = problems.len().saturating_sub(MAX_PROBLEMS);
    if rest > 0 {
        problems.truncate(MAX_PROBLEMS);
        let message = format!("{rest} more problems in this file are not shown");
        problems.push(Problem::new(Severity::Note, ProblemKind::Syntax, message).with_path(path));
    }
    problems
}

/// Returns the files inside the workspace that a command line names, with the hash of what they hold now: an approval of
/// `./run.sh` is worth nothing when the script may change afterwards.
fn scripts(entry: &Entry, workspace: &Path) -> Vec<Script> {
    let LaunchTemplate::Stdio(stdio) = &entry.config.launch else { return Vec::new() };
    let base =
        stdio.cwd.as_ref().map_or_else(|| workspace.to_path_buf(), |cwd| workspace.join(in_workspace(cwd.raw())));
    let mut scripts: Vec<Script> = Vec::new();
    for word in std::iter::once(&stdio.command).chain(&stdio.args).map(|template| in_workspace(template.raw())) {
        // `--config=./x.js` names a file as well.
        let candidates = [word, word.split_once('=').map_or("", |(_, value)| value)];
        for candidate in candidates.into_iter().filter(|candidate| !candidate.is_empty()) {
            let path = disk::canonical(&base.join(candidate));
            let known = scripts.iter().any(|script| script.path == path);
            if !known && scripts.len() < MAX_SCRIPTS && path.starts_with(workspace) && disk::is_file(&path) {
                let content = disk::digest(&path);
                scripts.push(Script { path, content });
            }
        }
    }
    scripts
}

fn in_workspace(word: &str) -> &str {
    ["${workspaceFolder}/", "${workspaceFolder}\\", "${CLAUDE_PROJECT_DIR}/"]
        .iter()
        .find_map(|prefix| word.strip_prefix(prefix))
        .unwrap_or(word)
}
