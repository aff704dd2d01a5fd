//! One tree for JSON with comments, TOML and YAML, in which every value knows its place.

mod jsonc;
mod text;
mod toml;
#[cfg(feature = "yaml")]
mod yaml;

pub(crate) use jsonc::parse_options;
pub(crate) use text::{Text, decode};

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::problem::{Position, Problem};

/// The notation a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// JSON, with comments and trailing commas allowed: strict JSON is read the same way, and hosts that only read strict
    /// JSON are no reason to lose a user's servers over a comment.
    Jsonc,
    Toml,
    #[cfg(feature = "yaml")]
    Yaml,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) position: Position,
    pub(crate) value: Value,
}

/// The data model of JSON, keeping the members of an object in order, duplicates included.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) position: Position,
    pub(crate) node: Node,
}

impl Node {
    /// Returns the members, when this is an object.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the last member of that name, as every JSON parser does.
    pub(crate) fn member(&self, key: &str) -> Option<&Member> {
        self.members()?.iter().rev().find(|member| member.key == key)
    }

    /// Returns the members that a later one of the same name replaces, each with the place of the last.
    pub(crate) fn overridden_members(&self) -> Vec<(&Member, Position)> {
        let members = self.members().unwrap_or_default();
        let last: BTreeMap<&str, usize> =
            members.iter().enumerate().map(|(index, member)| (member.key.as_str(), index)).collect();
        if last.len() == members.len() {
            return Vec::new();
        }
        let overridden = members.iter().enumerate().filter_map(|(index, member)| {
            let last = *last.get(member.key.as_str())?;
            let winner = members.get(last)?;
            (last != index).then_some((member, winner.position))
        });
        overridden.collect()
    }

    /// Tells whether it is `[]`.
    pub(crate) fn is_empty_list(&self) -> bool {
        matches!(&self.value, Value::Array(items) if items.is_empty())
    }

    /// Returns the value of the last member of that name.
    pub(crate) fn child(&self, key: &str) -> Option<&Self> {
        self.member(key).map(|member| &member.node)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Names the value's type with its article, for a message.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    /// Returns the value as plain JSON; of duplicate keys the last wins.
    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.clone()),
            Value::String(text) => Json::String(text.clone()),
            Value::Array(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Object(members) => {
                Json::Object(members.iter().map(|member| (member.key.clone(), member.node.to_json())).collect())
            }
        }
    }

    /// Returns JSON text that is equal for equal values: keys sorted, no white space.
    pub(crate) fn to_canonical_json(&self) -> String {
        sorted(self.to_json()).to_string()
    }
}

fn sorted(json: Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.into_iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<_> = members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            members.sort_by(|left, right| left.0.cmp(&right.0));
            Json::Object(members.into_iter().collect())
        }
        scalar => scalar,
    }
}

/// Parses a text. `None` is a text that holds nothing: empty, or white space and comments only.
///
/// # Errors
/// Returns the first place where the text departs from its notation.
pub(crate) fn parse(text: &str, notation: Notation) -> Result<Option<Node>, Problem> {
    match notation {
        Notation::Jsonc => jsonc::parse(text),
        Notation::Toml => toml::parse(text),
        #[cfg(feature = "yaml")]
        Notation::Yaml => yaml::parse(text),
    }
}

/// Appends a reference token to an RFC 6901 pointer.
pub(crate) fn pointer_join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}
