//! What one file defines.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::dialect::{Dialect, Reader};
use crate::document;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::server::{ServerConfig, Timeouts, ToolFilter};
use crate::source::{Host, Origin, Scope, Source};

/// What one file defines, in the order of the file.
///
/// The definitions are private; [`merge`](crate::merge) turns layers into [`Resolved`](crate::Resolved) servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    pub(crate) source: Source,
    pub(crate) path: PathBuf,
    /// The canonical workspace, for the sources whose entries need approval.
    pub(crate) workspace: PathBuf,
    /// Where a server runs that names no directory.
    pub(crate) default_cwd: PathBuf,
    /// Whether it belongs to another host than the one whose world is reproduced.
    pub(crate) is_foreign: bool,
    /// Whether it holds the user's settings, whose overlays have the last word on every server.
    pub(crate) is_settings: bool,
    pub(crate) entries: Vec<Entry>,
    pub(crate) overlays: Vec<Overlay>,
    /// The administrator's rules that its entries are judged by.
    pub(crate) policy: Option<Arc<Policy>>,
}

impl Layer {
    /// Reads what one file defines from its bytes, in the dialect that `source`'s host uses for a file of that name.
    ///
    /// ```
    /// use mcp_config::{Host, Layer, Scope, Source};
    ///
    /// let source = Source::new(Host::Codex, Scope::User);
    /// let (layer, problems) = Layer::parse(source, "config.toml", b"[mcp_servers.a]\ncommand = 'a'\n");
    /// assert_eq!(layer.names().collect::<Vec<_>>(), ["a"]);
    /// assert!(problems.is_empty());
    /// ```
    pub fn parse(source: Source, path: impl Into<PathBuf>, bytes: &[u8]) -> (Self, Vec<Problem>) {
        let path = path.into();
        let dialect = Dialect::of(source.host, &path);
        let mut reader = Reader::new(&path, source, &[]);
        let document = document::decode(bytes).and_then(|text| document::parse(&text.content, dialect.notation()));
        match document {
            Ok(Some(document)) => dialect.read(&document, &mut reader),
            Ok(None) => {}
            Err(problem) => reader.problems.push(problem.with_path(&path)),
        }
        let Reader { entries, overlays, problems, .. } = reader;
        let problems = problems.into_list(&path, usize::MAX);
        let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let is_foreign = !matches!(source.host, Host::Toolkit);
        let is_settings = dialect == Dialect::Settings && source.scope != Scope::Project;
        let (workspace, default_cwd) = (directory.clone(), directory);
        let policy = None;
        (Self { source, path, workspace, default_cwd, is_foreign, is_settings, entries, overlays, policy }, problems)
    }

    /// Returns the kind of source.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the names of the servers it defines, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// Returns the number of servers it defines.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tells whether it defines no server.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// One server's definition in one file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    /// Shared with what it becomes when layers are merged.
    pub(crate) config: Arc<ServerConfig>,
    /// The hash of the definition as it stands in the file.
    pub(crate) definition: String,
    /// For a plugin: its directory and the directory for its data.
    pub(crate) plugin: Option<PluginDirectories>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PluginDirectories {
    pub(crate) root: PathBuf,
    pub(crate) data: PathBuf,
}

/// An entry without a transport, which changes the entry of the same name in a lower layer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Overlay {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) definition: String,
    pub(crate) change: OverlayChange,
}

/// What an overlay may change: whether the server runs, how long it may take, and which tools it offers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct OverlayChange {
    pub(crate) enabled: Option<bool>,
    pub(crate) timeouts: Timeouts,
    pub(crate) tools: ToolFilter,
}
