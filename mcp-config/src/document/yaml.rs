//! YAML, as the JSON data model: keys become text, and what JSON has no number for becomes its text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

use super::{Member, Node, Value};
use crate::problem::{Position, Problem, ProblemKind, Severity};

pub(super) fn parse(text: &str) -> Result<Option<Node>, Problem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    // The parser's own budget bounds nesting, aliases and events, so no anchor can be blown up.
    let parsed: Spanned<Tree> = serde_saphyr::from_str(text).map_err(|error| {
        let message = error.without_snippet().to_string();
        let message = message.lines().next().unwrap_or_default();
        let problem = Problem::new(Severity::Error, ProblemKind::Syntax, format!("not valid YAML: {message}"));
        match error.location() {
            Some(location) => problem.at_position(position(location)),
            None => problem,
        }
    })?;
    let node = node(parsed);
    Ok((node.value != Value::Null).then_some(node))
}

/// A value whose parts know their places.
struct Tree(Value);

fn node(spanned: Spanned<Tree>) -> Node {
    Node { position: position(spanned.referenced), value: spanned.value.0 }
}

fn position(location: Location) -> Position {
    let saturate = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).max(1);
    Position { line: saturate(location.line()), column: saturate(location.column()) }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree(Value::Number(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree(Value::Number(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        let number = serde_json::Number::from_f64(value);
        Ok(Tree(number.map_or_else(|| Value::String(value.to_string()), Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree(Value::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Tree, E> {
        Ok(Tree(Value::String(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut nodes = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Tree>>()? {
            nodes.push(node(item));
        }
        Ok(Tree(Value::Array(nodes)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = entries.next_entry::<Spanned<String>, Spanned<Tree>>()? {
            members.push(Member { position: position(key.referenced), key: key.value, node: node(value) });
        }
        Ok(Tree(Value::Object(members)))
    }
}
