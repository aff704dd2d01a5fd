//! Edits JSON with comments through a concrete syntax tree.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value as Json;

use crate::document::{Node, Value, parse_options};
use crate::problem::{Problem, ProblemKind, Severity};

/// Where a file keeps its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// In an object under this key.
    Map(&'static str),
    /// In an object under this key, or, where the file has servers and no such key, in the file itself.
    MapOrBare(&'static str),
    /// In an array under these two keys, each server with its `name`.
    List(&'static str, &'static str),
    /// The file is the server.
    Single,
}

impl Container {
    /// Tells whether servers can be added where they belong.
    pub(super) fn check(self, document: &Node) -> Result<(), Problem> {
        let wrong = |node: &Node, key: &str, expected: &str| {
            let message = format!("expected `{key}` to be {expected}, found {}", node.type_name());
            Err(Problem::new(Severity::Error, ProblemKind::Shape, message).at_position(node.position))
        };
        let is_object = |node: &Node| node.members().is_some() || node.value == Value::Null;
        match self {
            Self::Map(key) | Self::MapOrBare(key) => match document.child(key) {
                Some(node) if !is_object(node) => wrong(node, key, "an object"),
                _ => Ok(()),
            },
            Self::List(outer, inner) => {
                match (document.child(outer), document.child(outer).and_then(|node| node.child(inner))) {
                    (Some(node), _) if !is_object(node) => wrong(node, outer, "an object"),
                    (_, Some(node)) if node.items().is_none() && node.value != Value::Null => {
                        wrong(node, inner, "an array")
                    }
                    _ => Ok(()),
                }
            }
            Self::Single => Ok(()),
        }
    }

    pub(super) fn contains(self, document: &Node, name: &str) -> bool {
        match self {
            Self::Map(key) => document.child(key).is_some_and(|servers| servers.member(name).is_some()),
            Self::MapOrBare(key) => match document.child(key) {
                Some(servers) => servers.member(name).is_some(),
                None => is_bare(document) && document.child(name).is_some_and(|node| node.members().is_some()),
            },
            Self::List(outer, inner) => {
                document.child(outer).and_then(|node| node.child(inner)).and_then(Node::items).is_some_and(|items| {
                    items.iter().any(|item| item.child("name").and_then(Node::as_str) == Some(name))
                })
            }
            Self::Single => document.child("name").and_then(Node::as_str) == Some(name),
        }
    }
}

fn is_bare(document: &Node) -> bool {
    let is_server = |node: &Node| node.member("command").is_some() || node.member("url").is_some();
    document.members().unwrap_or_default().iter().any(|member| is_server(&member.node))
}

/// Finds the object that holds the servers of a map, creating it.
fn map(root: &CstRootNode, key: &str, may_be_bare: bool) -> CstObject {
    let document = root.object_value_or_set();
    let is_server = |entry: CstObject| entry.get("command").is_some() || entry.get("url").is_some();
    let is_bare = may_be_bare
        && document.get(key).is_none()
        && document.properties().iter().any(|property| property.object_value().is_some_and(is_server));
    if is_bare { document } else { document.object_value_or_set(key) }
}

fn list(root: &CstRootNode, outer: &str, inner: &str) -> CstArray {
    root.object_value_or_set().object_value_or_set(outer).array_value_or_set(inner)
}

/// Returns the elements of that name, in order.
fn elements(list: &CstArray, name: &str) -> Vec<CstNode> {
    list.elements().into_iter().filter(|element| element_name(element).as_deref() == Some(name)).collect()
}

fn element_name(element: &CstNode) -> Option<String> {
    element.as_object()?.get("name")?.value()?.as_string_lit()?.decoded_value().ok()
}

/// Adds or replaces a server.
pub(super) fn add(text: &str, container: Container, name: &str, entry: Json) -> String {
    let entry = input(entry);
    with_root(text, |root| match container {
        Container::Map(key) => add_to_map(&map(root, key, false), name, entry),
        Container::MapOrBare(key) => add_to_map(&map(root, key, true), name, entry),
        Container::List(outer, inner) => {
            let list = list(root, outer, inner);
            if let Some(element) = elements(&list, name).into_iter().find_map(|element| element.as_object()) {
                element.replace_with(entry);
            } else {
                list.ensure_multiline();
                list.append(entry);
            }
        }
        Container::Single => root.set_value(entry),
    })
}

fn add_to_map(servers: &CstObject, name: &str, entry: CstInputValue) {
    if let Some(property) = servers.get(name) {
        property.set_value(entry);
    } else {
        servers.ensure_multiline();
        servers.append(name, entry);
    }
}

/// Removes a server, and the comments that belong to it. A name that stands there twice is gone afterwards.
pub(super) fn remove(text: &str, container: Container, name: &str) -> String {
    with_root(text, |root| match container {
        Container::Map(key) => remove_from_map(&map(root, key, false), name),
        Container::MapOrBare(key) => remove_from_map(&map(root, key, true), name),
        Container::List(outer, inner) => {
            for element in elements(&list(root, outer, inner), name) {
                element.remove();
            }
        }
        Container::Single => root.clear_children(),
    })
}

fn remove_from_map(servers: &CstObject, name: &str) {
    while let Some(property) = servers.get(name) {
        property.remove();
    }
}

/// Writes the word the file's host understands, and keeps the other where the entry already uses it.
pub(super) fn set_enabled(text: &str, container: Container, name: &str, enabled: bool, word: &str) -> String {
    with_root(text, |root| {
        let entry = match container {
            Container::Map(key) => map(root, key, false).get(name).and_then(|property| property.object_value()),
            Container::MapOrBare(key) => map(root, key, true).get(name).and_then(|property| property.object_value()),
            Container::List(outer, inner) => {
                elements(&list(root, outer, inner), name).into_iter().next().and_then(|element| element.as_object())
            }
            Container::Single => root.object_value(),
        };
        let Some(entry) = entry else { return };
        let (is_enabled, is_disabled) = (entry.get("enabled"), entry.get("disabled"));
        let needs_word = is_enabled.is_none() && is_disabled.is_none();
        if let Some(property) = is_enabled {
            property.set_value(CstInputValue::Bool(enabled));
        }
        match is_disabled {
            Some(property) if enabled => property.remove(),
            Some(property) => property.set_value(CstInputValue::Bool(true)),
            None => {}
        }
        if needs_word && !enabled {
            entry.append(word, CstInputValue::Bool(word == "disabled"));
        }
    })
}

/// Parses, edits, prints. A text that does not parse comes back unchanged: the caller has checked it.
fn with_root(text: &str, edit: impl FnOnce(&CstRootNode)) -> String {
    let is_new = text.trim().is_empty();
    let source = if is_new { "{}\n" } else { text };
    let Ok(root) = CstRootNode::parse(source, &parse_options()) else { return text.to_owned() };
    if is_new {
        root.object_value_or_set().ensure_multiline();
    }
    edit(&root);
    root.to_string()
}

fn input(json: Json) -> CstInputValue {
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
