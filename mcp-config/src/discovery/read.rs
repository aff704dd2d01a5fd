//! Reads one place into a layer.

use std::path::{Path, PathBuf};

use super::{Found, Looked, LookedState};
use crate::budget::{Budget, MAX_PROJECT};
use crate::dialect::{Dialect, Reader};
use crate::disk;
use crate::document::{self, Node};
use crate::environment::Environment;
use crate::layer::{Layer, PluginDirectories};
use crate::place::{Place, PlaceKind};
use crate::preset::Preset;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::problems::Problems;
use crate::source::{Host, Scope, Source};
use crate::workspace::Workspace;

/// How many problems all files together may report; beyond that each says how many it has.
const MAX_PROBLEMS: usize = 1000;

/// What a file holds.
#[derive(Debug)]
pub(super) enum Content {
    /// There is no file.
    Missing,
    /// There is a file, and nothing in it.
    Empty,
    /// A document.
    Document(Node),
}

/// What reading a place depends on.
pub(super) struct Context<'a> {
    environment: &'a Environment,
    preset: Preset,
    pub(super) workspace: Workspace,
    budget: Budget,
}

impl<'a> Context<'a> {
    pub(super) fn new(environment: &'a Environment, preset: Preset) -> Self {
        Self { environment, preset, workspace: Workspace::of(environment), budget: Budget::new(MAX_PROJECT) }
    }

    /// Where a plugin may keep what it writes.
    pub(super) fn plugin_data(&self, root: &Path) -> PathBuf {
        let state = self.environment.state_home().unwrap_or_else(|| self.environment.cwd.clone());
        state.join("mcp-toolkit/plugins").join(root.file_name().unwrap_or_default())
    }

    pub(super) fn read_explicit(&self, path: &Path, found: &mut Found) {
        let source = Source::new(Host::Toolkit, Scope::Explicit);
        let place = place(source, Dialect::Toolkit, path);
        self.read(&place, found);
        if found.places.last().is_some_and(|looked| looked.state == LookedState::Missing) {
            let problem = Problem::new(Severity::Error, ProblemKind::Unreadable, "there is no such file");
            found.problems.push(problem.with_path(path));
        }
    }

    pub(super) fn read(&self, place: &Place, found: &mut Found) {
        self.add(place, self.document(place), None, found);
    }

    /// Reads and parses a file. What a project's files may cost is bounded for all of them.
    pub(super) fn document(&self, place: &Place) -> Result<Content, Problem> {
        if place.kind != PlaceKind::File {
            return Ok(Content::Missing);
        }
        let limit = match place.dialect {
            Dialect::Claude | Dialect::ClaudeLocal => disk::MAX_STATE_FILE,
            _ => disk::MAX_FILE,
        };
        let bytes = match self.standing(place).scope {
            Scope::Project => self.budget.read(&place.path, limit)?,
            Scope::Explicit | Scope::User | Scope::Imported | Scope::Plugin => disk::read(&place.path, limit)?,
        };
        let Some(bytes) = bytes else { return Ok(Content::Missing) };
        match parse(&bytes, place.dialect) {
            Ok(content) => Ok(content),
            // Hosts that do not replace their file in one step may be caught in the middle of writing it.
            Err(first) => match disk::read(&place.path, limit)?.map(|bytes| parse(&bytes, place.dialect)) {
                Some(Ok(content)) => Ok(content),
                Some(Err(_)) | None => Err(first.with_path(&place.path)),
            },
        }
    }

    /// Adds what a document says to what was found.
    pub(super) fn add(
        &self,
        place: &Place,
        content: Result<Content, Problem>,
        plugin: Option<&PluginDirectories>,
        found: &mut Found,
    ) {
        let source = self.standing(place);
        let (state, problems) = match content {
            Ok(Content::Missing) => (LookedState::Missing, Problems::default()),
            Ok(Content::Empty) => (LookedState::Read { servers: 0 }, Problems::default()),
            Err(problem) => (LookedState::Failed, Problems::from(problem)),
            Ok(Content::Document(document)) => {
                let mut reader = Reader::new(&place.path, source, self.workspace.directories());
                place.dialect.read(&document, &mut reader);
                for entry in &mut reader.entries {
                    entry.plugin = plugin.cloned();
                }
                let problems = std::mem::take(&mut reader.problems);
                let interval = [found.poll_interval, reader.poll_interval].into_iter().flatten().min();
                found.poll_interval = interval;
                let servers = reader.entries.len();
                found.layers.extend(self.layer(reader, place));
                (LookedState::Read { servers }, problems)
            }
        };
        found.places.push(Looked { source, path: place.path.clone(), state });
        let most = MAX_PROBLEMS.saturating_sub(found.problems.len());
        found.problems.extend(problems.into_list(&place.path, most));
    }

    /// What the workspace owns is the project's, whichever host's user file it claims to be.
    fn standing(&self, place: &Place) -> Source {
        let Source { scope, host } = place.source;
        match scope {
            Scope::Plugin | Scope::Imported | Scope::User if self.workspace.owns(&place.path) => {
                Source::new(host, Scope::Project)
            }
            Scope::Plugin | Scope::Imported | Scope::User | Scope::Project | Scope::Explicit => {
                Source::new(host, scope)
            }
        }
    }

    fn layer(&self, reader: Reader<'_>, place: &Place) -> Option<Layer> {
        if reader.entries.is_empty() && reader.overlays.is_empty() {
            return None;
        }
        let source = reader.source;
        Some(Layer {
            source,
            path: reader.path.to_path_buf(),
            workspace: self.workspace.root().to_path_buf(),
            default_cwd: self.default_cwd(source.scope),
            is_foreign: self.preset.host() != place.source.host,
            is_settings: place.dialect == Dialect::Settings && source.scope != Scope::Project,
            entries: reader.entries,
            overlays: reader.overlays,
            policy: None,
        })
    }

    /// The directory a server runs in that names none: the workspace for a project's, home for a user's. hoocode and
    /// `FreeCode` start everything in their own working directory, and so does a file named on the command line.
    fn default_cwd(&self, scope: Scope) -> PathBuf {
        let cwd = || disk::canonical(&self.environment.cwd);
        match (self.preset.host(), scope) {
            (Host::Hoocode | Host::FreeCode, _) | (_, Scope::Explicit) => cwd(),
            (_, Scope::Project) => self.workspace.root().to_path_buf(),
            (_, Scope::User | Scope::Imported | Scope::Plugin) => self.environment.home.clone().unwrap_or_else(cwd),
        }
    }
}

pub(super) fn place(source: Source, dialect: Dialect, path: &Path) -> Place {
    Place { source, dialect, path: path.to_path_buf(), kind: PlaceKind::File, is_machine_wide: false }
}

fn parse(bytes: &[u8], dialect: Dialect) -> Result<Content, Problem> {
    let text = document::decode(bytes)?;
    let document = document::parse(&text.content, dialect.notation())?;
    Ok(document.map_or(Content::Empty, Content::Document))
}
