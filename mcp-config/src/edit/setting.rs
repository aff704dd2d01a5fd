//! Changes values of a settings file that are no servers: lists of texts, and members of any kind.

use jsonc_parser::cst::{CstObject, CstRootNode};
use serde_json::Value as Json;

use super::jsonc::{add_to_map, check_once, input, with_root};
use crate::document::{Node, Value, pointer_join};
use crate::problem::{Problem, ProblemKind, Severity};

/// A change of something that the keys lead to from the top.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) keys: Vec<String>,
    pub(super) change: SettingChange,
}

#[derive(Debug, Clone)]
pub(super) enum SettingChange {
    Include(String),
    Exclude(String),
    Set(Json),
    Unset,
}

impl Setting {
    /// Tells whether the change would change anything.
    ///
    /// # Errors
    /// Something else stands where an object or a list belongs, or a key on the way appears twice.
    pub(super) fn is_news(&self, document: Option<&Node>) -> Result<bool, Problem> {
        let found = self.found(document)?;
        match &self.change {
            SettingChange::Include(item) => match found.filter(|node| node.value != Value::Null) {
                None => Ok(true),
                Some(node) => {
                    let items = node.items().ok_or_else(|| self.misshapen(node, self.keys.len(), "an array"))?;
                    Ok(!items.iter().any(|found| is_item(found, item)))
                }
            },
            SettingChange::Exclude(item) => Ok(found.is_some_and(|node| match node.items() {
                Some(items) => items.iter().any(|found| is_item(found, item)),
                None => is_json(node, item),
            })),
            SettingChange::Set(value) => Ok(found.is_none_or(|node| node.to_json() != *value)),
            SettingChange::Unset => Ok(found.is_some()),
        }
    }

    /// Makes a change that [is news](Self::is_news).
    pub(super) fn apply(&self, text: &str, document: Option<&Node>) -> String {
        let Some((last, parents)) = self.keys.split_last() else { return text.to_owned() };
        let found = self.found(document).ok().flatten();
        with_root(text, |root| {
            let parent = object(root, parents);
            match &self.change {
                SettingChange::Include(item) => include(&parent, last, item),
                SettingChange::Exclude(item) => match found.and_then(Node::items) {
                    Some(items) => exclude(&parent, last, items, item),
                    None => remove(&parent, last),
                },
                SettingChange::Set(value) => add_to_map(&parent, last, input(value.clone())),
                SettingChange::Unset => remove(&parent, last),
            }
        })
    }

    /// Finds what the keys lead to.
    fn found<'a>(&self, document: Option<&'a Node>) -> Result<Option<&'a Node>, Problem> {
        let mut found = document;
        for (depth, key) in self.keys.iter().enumerate() {
            let Some(node) = found.filter(|node| node.value != Value::Null) else { return Ok(None) };
            if node.members().is_none() {
                return Err(self.misshapen(node, depth, "an object"));
            }
            check_once(node, key)?;
            found = node.child(key);
        }
        Ok(found)
    }

    fn misshapen(&self, node: &Node, depth: usize, expected: &str) -> Problem {
        let pointer = self.keys.iter().take(depth).fold(String::new(), |pointer, key| pointer_join(&pointer, key));
        let message = format!("expected {expected}, found {}", node.type_name());
        let problem = Problem::new(Severity::Error, ProblemKind::Shape, message);
        problem.with_pointer(pointer).at_position(node.position)
    }
}

/// A text is named by itself, anything else by its JSON.
fn is_item(found: &Node, item: &str) -> bool {
    found.as_str().map_or_else(|| is_json(found, item), |text| text.trim() == item.trim())
}

fn is_json(found: &Node, json: &str) -> bool {
    serde_json::from_str::<Json>(json).is_ok_and(|json| json == found.to_json())
}

/// Finds an object, creating it and those around it.
fn object(root: &CstRootNode, keys: &[String]) -> CstObject {
    let mut object = root.object_value_or_set();
    for key in keys {
        let is_new = object.object_value(key).is_none();
        let inner = object.object_value_or_set(key);
        if is_new {
            inner.ensure_multiline();
        }
        object = inner;
    }
    object
}

fn include(parent: &CstObject, key: &str, item: &str) {
    let is_new = parent.array_value(key).is_none_or(|list| list.elements().is_empty());
    let list = parent.array_value_or_set(key);
    if is_new {
        list.ensure_multiline();
    }
    list.append(input(Json::from(item)));
}

fn exclude(parent: &CstObject, key: &str, items: &[Node], item: &str) {
    let Some(list) = parent.array_value(key) else { return };
    let is_tight = list.child_at_index(1).is_some_and(|first| !first.is_trivia());
    for (element, found) in list.elements().into_iter().zip(items).rev() {
        if is_item(found, item) {
            element.remove();
        }
    }
    // The space that stood before the second entry, in a list that had none before the first.
    if let Some(space) = list.child_at_index(1).filter(|_| is_tight).and_then(|first| first.as_whitespace()) {
        space.remove();
    }
}

fn remove(parent: &CstObject, key: &str) {
    if let Some(property) = parent.get(key) {
        property.remove();
    }
}
