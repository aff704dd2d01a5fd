//! Edits JSON with comments through a concrete syntax tree.

use jsonc_parser::ast;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value as Json;

use crate::document::{Node, Value, parse_options};
use crate::problem::{Problem, ProblemKind, Severity};

/// Where a file keeps its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// In an object under this key.
    Map(&'static str),
    /// In the file itself: every member is a server.
    Root,
    /// In an array under these two keys, each server with its `name`.
    List(&'static str, &'static str),
    /// The file is the server.
    Single,
}

impl Container {
    /// Finds an entry.
    pub(super) fn find<'a, 'b>(self, root: &'b ast::Object<'a>, name: &str) -> Option<&'b ast::Object<'a>> {
        let last = |object: &'b ast::Object<'a>, key: &str| {
            object
                .properties
                .iter()
                .rev()
                .find(|property| property.name.as_str() == key)
                .map(|property| &property.value)
        };
        match self {
            Self::Map(key) => last(last(root, key)?.as_object()?, name)?.as_object(),
            Self::Root => last(root, name)?.as_object(),
            Self::List(outer, inner) => {
                let list = last(last(root, outer)?.as_object()?, inner)?.as_array()?;
                list.elements.iter().filter_map(ast::Value::as_object).find(|element| {
                    last(element, "name").and_then(ast::Value::as_string_lit).is_some_and(|found| found.value == name)
                })
            }
            Self::Single => Some(root),
        }
    }

    /// Tells whether servers can be added where they belong.
    pub(super) fn check(self, document: &Node) -> Result<(), Problem> {
        let is_object = |node: &Node| node.members().is_some() || node.value == Value::Null;
        match self {
            Self::Map(key) => {
                check_once(document, key)?;
                expect(document.child(key), key, "an object", is_object)
            }
            Self::List(outer, inner) => {
                check_once(document, outer)?;
                expect(document.child(outer), outer, "an object", is_object)?;
                let Some(section) = document.child(outer) else { return Ok(()) };
                check_once(section, inner)?;
                let is_array = |node: &Node| node.items().is_some() || node.value == Value::Null;
                expect(section.child(inner), inner, "an array", is_array)
            }
            Self::Root | Self::Single => Ok(()),
        }
    }

    pub(super) fn contains(self, document: &Node, name: &str) -> bool {
        let named = |node: &Node| node.child("name").and_then(Node::as_str) == Some(name);
        match self {
            Self::Map(key) => document.child(key).is_some_and(|servers| servers.member(name).is_some()),
            Self::Root => document.member(name).is_some(),
            Self::List(outer, inner) => {
                let items = document.child(outer).and_then(|section| section.child(inner)).and_then(Node::items);
                items.is_some_and(|items| items.iter().any(named))
            }
            Self::Single => named(document),
        }
    }
}

fn expect(node: Option<&Node>, key: &str, expected: &str, is: impl Fn(&Node) -> bool) -> Result<(), Problem> {
    match node {
        Some(node) if !is(node) => {
            let message = format!("expected `{key}` to be {expected}, found {}", node.type_name());
            Err(Problem::new(Severity::Error, ProblemKind::Shape, message).at_position(node.position))
        }
        _ => Ok(()),
    }
}

/// Which of two containers a host reads is anybody's guess, so neither is written to.
pub(super) fn check_once(document: &Node, key: &str) -> Result<(), Problem> {
    match document.overridden_members().into_iter().find(|(member, _)| member.key == key) {
        Some((member, _)) => {
            let problem = Problem::new(Severity::Error, ProblemKind::Duplicate, format!("`{key}` appears twice"));
            Err(problem.at_position(member.position).with_fix("merge the two"))
        }
        None => Ok(()),
    }
}

/// Finds the object that holds the servers of a map, creating it.
pub(super) fn map(root: &CstRootNode, key: Option<&str>) -> CstObject {
    let document = root.object_value_or_set();
    match key {
        Some(key) => document.object_value_or_set(key),
        None => document,
    }
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
        Container::Map(key) => add_to_map(&map(root, Some(key)), name, entry),
        Container::Root => add_to_map(&map(root, None), name, entry),
        Container::List(outer, inner) => {
            let list = list(root, outer, inner);
            list.ensure_multiline();
            // Replaced in its place, an element would lose its indentation.
            let old = elements(&list, name).into_iter().next();
            match old.as_ref().and_then(CstNode::element_index) {
                Some(index) => drop(list.insert(index, entry)),
                None => drop(list.append(entry)),
            }
            if let Some(old) = old {
                old.remove();
            }
        }
        Container::Single => root.set_value(entry),
    })
}

pub(super) fn add_to_map(servers: &CstObject, name: &str, entry: CstInputValue) {
    // Of two entries of one name the last is the one that hosts read.
    let named = |property: &CstObjectProp| property.decoded_name().as_deref() == Some(name);
    if let Some(property) = servers.properties().into_iter().rev().find(named) {
        property.set_value(entry);
    } else {
        servers.ensure_multiline();
        servers.append(name, entry);
    }
}

/// Removes a server, and the comments that belong to it. A name that stands there twice is gone afterwards.
pub(super) fn remove(text: &str, container: Container, name: &str) -> String {
    with_root(text, |root| match container {
        Container::Map(key) => remove_from_map(&map(root, Some(key)), name),
        Container::Root => remove_from_map(&map(root, None), name),
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
