//! Collects what a file defines, and what is wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::fields::Fields;
use crate::document::{Member, Node, pointer_join};
use crate::layer::{Entry, Overlay, OverlayChange};
use crate::problem::{Position, Problem, ProblemKind, Severity};
use crate::problems::Problems;
use crate::secret::sha256;
use crate::server::ServerConfig;
use crate::source::{Origin, Source};

/// What one entry turned out to be.
pub(super) enum Draft {
    Server(Box<ServerConfig>),
    Overlay(OverlayChange),
}

/// What an entry is called, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'a> {
    pub(super) name: &'a str,
    pub(super) position: Position,
    pub(super) pointer: &'a str,
}

/// Reads one entry's fields. `None` is an entry that cannot be used; the fields hold the reason.
pub(super) type ReadEntry = fn(&mut Fields<'_>) -> Option<Draft>;

/// Collects the servers of one file.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) path: &'a Path,
    pub(crate) source: Source,
    /// The directories that count as the current project, nearest last.
    pub(crate) projects: &'a [PathBuf],
    pub(crate) entries: Vec<Entry>,
    pub(crate) overlays: Vec<Overlay>,
    pub(crate) problems: Problems,
    /// How often the file asks to be looked at again.
    pub(crate) poll_interval: Option<Duration>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(path: &'a Path, source: Source, projects: &'a [PathBuf]) -> Self {
        Self {
            path,
            source,
            projects,
            entries: Vec::new(),
            overlays: Vec::new(),
            problems: Problems::default(),
            poll_interval: None,
        }
    }

    /// Reports a document that is not an object.
    pub(super) fn wrong_root(&mut self, document: &Node) {
        let message = format!("expected an object at the top, found {}", document.type_name());
        self.error(ProblemKind::Shape, message, document.position, "");
    }

    /// Reads the map of servers at `key`; an absent or null map is no servers.
    pub(super) fn map_at(&mut self, parent: &Node, pointer: &str, key: &str, read: ReadEntry) {
        let Some(member) = parent.member(key) else { return };
        let pointer = pointer_join(pointer, key);
        self.report_duplicates(parent, key, &pointer);
        self.map(&member.node, &pointer, read);
    }

    /// Reads a map from names to servers.
    pub(super) fn map(&mut self, map: &Node, pointer: &str, read: ReadEntry) {
        let Some(members) = map.members() else {
            // To PHP the empty map is an empty list, and so it is written.
            if !matches!(map.value, crate::document::Value::Null) && !map.is_empty_list() {
                let message = format!("expected an object that maps names to servers, found {}", map.type_name());
                self.error(ProblemKind::Shape, message, map.position, pointer);
            }
            return;
        };
        let overridden = map.overridden_members();
        for (member, last) in &overridden {
            self.duplicate(member, *last, &pointer_join(pointer, &member.key));
        }
        let overridden: BTreeSet<Position> = overridden.into_iter().map(|(member, _)| member.position).collect();
        // `$schema` says what the file is; it is no server.
        let is_server = |member: &&Member| !(member.key.starts_with('$') && member.node.as_str().is_some());
        for member in members.iter().filter(is_server).filter(|member| !overridden.contains(&member.position)) {
            let pointer = pointer_join(pointer, &member.key);
            let key = Key { name: &member.key, position: member.position, pointer: &pointer };
            self.entry(key, &member.node, read);
        }
    }

    /// Reads an array of servers that hold their own `name`; of two of one name the first wins.
    pub(super) fn list(&mut self, list: &Node, pointer: &str, read: ReadEntry) {
        let Some(items) = list.items() else {
            let message = format!("expected an array of servers, found {}", list.type_name());
            return self.error(ProblemKind::Shape, message, list.position, pointer);
        };
        let mut seen: BTreeMap<&str, Position> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let Some(name) = item.child("name").and_then(Node::as_str) else {
                let message = "expected an object with a `name`".to_owned();
                self.error(ProblemKind::Shape, message, item.position, &pointer);
                continue;
            };
            if let Some(first) = seen.get(name) {
                let message =
                    format!("`{name}` is already defined on line {}, and the first definition wins", first.line);
                self.warn(ProblemKind::Duplicate, message, item.position, &pointer);
                continue;
            }
            seen.insert(name, item.position);
            self.entry(Key { name, position: item.position, pointer: &pointer }, item, read);
        }
    }

    /// Switches off the servers whose names are in an array.
    pub(super) fn switch_off(&mut self, parent: &Node, pointer: &str, key: &str) {
        let nodes = parent.child(key).and_then(Node::items).unwrap_or_default();
        let names: BTreeSet<&str> = nodes.iter().filter_map(Node::as_str).collect();
        for entry in self.entries.iter_mut().filter(|entry| names.contains(entry.name.as_str())) {
            Arc::make_mut(&mut entry.config).enabled = false;
        }
        for (index, node) in nodes.iter().enumerate() {
            let Some(name) = node.as_str() else { continue };
            let origin = Origin {
                source: self.source,
                path: self.path.to_path_buf(),
                line: node.position.line,
                column: node.position.column,
                pointer: format!("{}/{index}", pointer_join(pointer, key)),
            };
            let change = OverlayChange { enabled: Some(false), ..OverlayChange::default() };
            let definition = sha256(origin.pointer.as_bytes());
            self.overlays.push(Overlay { name: name.to_owned(), origin, definition, change });
        }
    }

    /// Reads one server.
    pub(super) fn entry(&mut self, key: Key<'_>, node: &Node, read: ReadEntry) {
        let Key { name, position, pointer } = key;
        if let Some(reason) = bad_name(name) {
            self.error(ProblemKind::Shape, reason.to_owned(), position, pointer);
            return;
        }
        let mut fields = Fields::new(node, name, pointer, self.path);
        let draft = fields.is_object().then(|| read(&mut fields)).flatten();
        let failed = fields.failed();
        let mut problems = fields.finish();
        let origin = Origin {
            source: self.source,
            path: self.path.to_path_buf(),
            line: position.line,
            column: position.column,
            pointer: pointer.to_owned(),
        };
        let definition = sha256(format!("{} {name:?} {}", self.source.host, node.to_canonical_json()).as_bytes());
        let name = name.to_owned();
        match draft {
            Some(Draft::Server(config)) if !failed => {
                self.entries.push(Entry { name, origin, config: config.into(), definition, plugin: None });
            }
            Some(Draft::Overlay(change)) if !failed => self.overlays.push(Overlay { name, origin, definition, change }),
            // What is switched off is not worth an error: it stays switched off, and says so.
            _ if is_disabled(node) => {
                problems.soften();
                let change = OverlayChange { enabled: Some(false), ..OverlayChange::default() };
                self.overlays.push(Overlay { name, origin, definition, change });
            }
            _ => {}
        }
        self.problems.append(problems);
    }

    /// Warns of something in this file.
    pub(super) fn warn(&mut self, kind: ProblemKind, message: String, position: Position, pointer: &str) {
        self.report(Problem::new(Severity::Warning, kind, message), position, pointer);
    }

    /// Says something worth knowing about this file.
    pub(super) fn note(&mut self, kind: ProblemKind, message: String, position: Position, pointer: &str) {
        self.report(Problem::new(Severity::Note, kind, message), position, pointer);
    }

    /// Reports something that is lost.
    pub(super) fn error(&mut self, kind: ProblemKind, message: String, position: Position, pointer: &str) {
        self.report(Problem::new(Severity::Error, kind, message), position, pointer);
    }

    fn report(&mut self, problem: Problem, position: Position, pointer: &str) {
        self.problems.push(problem.with_path(self.path).with_pointer(pointer).at_position(position));
    }

    fn duplicate(&mut self, member: &Member, later: Position, pointer: &str) {
        let message =
            format!("`{}` is defined again on line {}, and the later definition wins", member.key, later.line);
        let problem = Problem::new(Severity::Warning, ProblemKind::Duplicate, message)
            .with_path(self.path)
            .with_pointer(pointer)
            .with_server(member.key.as_str())
            .with_fix("remove one of the two")
            .at_position(member.position);
        self.problems.push(problem);
    }

    fn report_duplicates(&mut self, parent: &Node, key: &str, pointer: &str) {
        for (member, last) in parent.overridden_members() {
            if member.key == key {
                let message = format!("`{key}` appears again on line {}, and the later one wins", last.line);
                self.warn(ProblemKind::Duplicate, message, member.position, pointer);
            }
        }
    }
}

/// The longest name of a server, in bytes.
pub(super) const MAX_NAME: usize = 256;

/// Says why a name cannot be a server's.
pub(crate) fn bad_name(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("expected a name for the server, found an empty one")
    } else if name.chars().any(char::is_control) {
        Some("expected a server name without control characters")
    } else if name.len() > MAX_NAME {
        Some("expected a server name of at most 256 bytes")
    } else {
        None
    }
}

fn is_disabled(node: &Node) -> bool {
    let flag = |key| node.child(key).and_then(Node::as_bool);
    flag("disabled") == Some(true) || flag("enabled") == Some(false)
}
