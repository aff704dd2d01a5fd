//! Edits JSON with comments through a concrete syntax tree.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value as Json;

use crate::document::{Node, Value, parse_options};
use crate::problem::{Problem, ProblemKind, Severity};

/// Where a file keeps its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// In an object under this key, or, where the file has servers and no such key, in the file itself.
    MapOrBare(&'static str),
}

impl Container {
    /// Tells whether servers can be added where they belong.
    pub(super) fn check(self, document: &Node) -> Result<(), Problem> {
        let Self::MapOrBare(key) = self;
        match document.child(key) {
            Some(node) if node.members().is_none() && node.value != Value::Null => {
                let message = format!("expected `{key}` to be an object, found {}", node.type_name());
                Err(Problem::new(Severity::Error, ProblemKind::Shape, message).at_position(node.position))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn contains(self, document: &Node, name: &str) -> bool {
        let Self::MapOrBare(key) = self;
        match document.child(key) {
            Some(servers) => servers.member(name).is_some(),
            None => is_bare(document) && document.child(name).is_some_and(|node| node.members().is_some()),
        }
    }

    /// Finds the object that holds the servers, creating it.
    fn object(self, root: &CstRootNode) -> CstObject {
        let Self::MapOrBare(key) = self;
        let document = root.object_value_or_set();
        let bare = document.get(key).is_none()
            && document.properties().iter().any(|property| {
                property
                    .object_value()
                    .is_some_and(|entry| entry.get("command").is_some() || entry.get("url").is_some())
            });
        if bare { document } else { document.object_value_or_set(key) }
    }
}

fn is_bare(document: &Node) -> bool {
    document
        .members()
        .unwrap_or_default()
        .iter()
        .any(|member| member.node.member("command").is_some() || member.node.member("url").is_some())
}

/// Adds or replaces a server.
pub(super) fn add(text: &str, container: Container, name: &str, entry: Json) -> String {
    with_root(text, |root| {
        let servers = container.object(root);
        match servers.get(name) {
            Some(property) => property.set_value(input(entry)),
            None => {
                servers.ensure_multiline();
                servers.append(name, input(entry));
            }
        }
    })
}

/// Removes a server, and the comments that belong to it.
pub(super) fn remove(text: &str, container: Container, name: &str) -> String {
    with_root(text, |root| {
        let servers = container.object(root);
        // A name that stands there twice is gone afterwards.
        while let Some(property) = servers.get(name) {
            property.remove();
        }
    })
}

/// Writes `disabled`, the word most hosts understand, and keeps `enabled` where the entry already uses it.
pub(super) fn set_enabled(text: &str, container: Container, name: &str, enabled: bool) -> String {
    with_root(text, |root| {
        let Some(entry) = container.object(root).get(name).and_then(|property| property.object_value()) else { return };
        if let Some(property) = entry.get("enabled") {
            property.set_value(CstInputValue::Bool(enabled));
        }
        match (entry.get("disabled"), enabled) {
            (Some(property), true) => property.remove(),
            (Some(property), false) => property.set_value(CstInputValue::Bool(true)),
            (None, false) if entry.get("enabled").is_none() => {
                entry.append("disabled", CstInputValue::Bool(true));
            }
            (None, _) => {}
        }
    })
}

/// Parses, edits, prints. A text that does not parse comes back unchanged: the caller has checked it.
pub(super) fn with_root(text: &str, edit: impl FnOnce(&CstRootNode)) -> String {
    let is_new = text.trim().is_empty();
    let source = if is_new { "{}\n" } else { text };
    let Ok(root) = CstRootNode::parse(source, &parse_options()) else { return text.to_owned() };
    if is_new {
        root.object_value_or_set().ensure_multiline();
    }
    edit(&root);
    root.to_string()
}

pub(super) fn input(json: Json) -> CstInputValue {
    match json {
        Json::Null => CstInputValue::Null,
        Json::Bool(value) => CstInputValue::Bool(value),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text),
        Json::Array(items) => CstInputValue::Array(items.into_iter().map(input).collect()),
        Json::Object(members) => {
            CstInputValue::Object(members.into_iter().map(|(key, value)| (key, input(value))).collect())
        }
    }
}
