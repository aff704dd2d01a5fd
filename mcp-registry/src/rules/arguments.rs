//! Conditions on the arguments of a call.

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use crate::error::RuleFault;
use crate::rules::rule::{Reach, unescaped};

/// Longer globs are refused, as each is compiled.
const LONGEST_GLOB: usize = 256;

/// A condition on one top-level argument.
#[derive(Clone, Debug)]
pub(super) struct ArgumentPattern {
    name: String,
    glob: GlobMatcher,
}

impl ArgumentPattern {
    /// Reads what stands between the parentheses of a rule.
    pub(super) fn parse_list(text: &str) -> Result<Vec<Self>, RuleFault> {
        if text.trim() == "*" {
            return Ok(Vec::new());
        }
        let mut start = 0;
        let ends: Vec<usize> = unescaped(text, ",").chain([text.len()]).collect();
        ends.into_iter()
            .map(|end| {
                let item = text.get(start..end).unwrap_or_default();
                start = end + 1;
                Self::parse(item)
            })
            .collect()
    }

    fn parse(item: &str) -> Result<Self, RuleFault> {
        let (name, glob) = item.split_once('=').ok_or(RuleFault::Arguments)?;
        let (name, glob) = (name.trim(), glob.trim());
        if name.is_empty() || glob.is_empty() {
            return Err(RuleFault::Arguments);
        }
        if glob.len() > LONGEST_GLOB {
            return Err(RuleFault::TooLong);
        }
        let glob = GlobBuilder::new(&glob.replace("\\,", ","))
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|_cause| RuleFault::Glob)?;
        Ok(Self { name: name.to_owned(), glob: glob.compile_matcher() })
    }

    /// Whether the argument meets the condition; an argument that is not given does not.
    pub(super) fn matches(&self, arguments: &Value, reach: Reach) -> bool {
        match arguments.get(&self.name) {
            None | Some(Value::Null) => false,
            Some(Value::Array(items)) if reach == Reach::Widest => {
                items.iter().any(|item| self.matches_item(item, reach))
            }
            Some(Value::Array(items)) => !items.is_empty() && items.iter().all(|item| self.matches_item(item, reach)),
            Some(item) => self.matches_item(item, reach),
        }
    }

    fn matches_item(&self, item: &Value, reach: Reach) -> bool {
        match (item, reach) {
            (Value::String(text), Reach::Widest) => {
                self.glob.is_match(text) || self.glob.is_match(resolve_segments(text.trim()))
            }
            (Value::String(text), Reach::Narrowest) => {
                is_unmistakable(text) && self.glob.is_match(text.strip_prefix("./").unwrap_or(text))
            }
            (Value::Number(_) | Value::Bool(_), _) => self.glob.is_match(item.to_string()),
            // Nobody can compare these, so the condition is taken for met where that is the careful side.
            (Value::Null | Value::Array(_) | Value::Object(_), _) => reach == Reach::Widest,
        }
    }
}

/// Whether a server can hardly take the text for another path than it seems to be.
fn is_unmistakable(text: &str) -> bool {
    let climbs = text.split(['/', '\\']).any(|segment| segment == "..");
    let encoded = text.as_bytes().windows(3).any(|window| {
        matches!(window, [b'%', b'2', b'e' | b'E' | b'f' | b'F'] | [b'%', b'5', b'c' | b'C'] | [b'%', b'0', b'0'])
    });
    !climbs && !encoded && !text.chars().any(char::is_control)
}

/// Resolves empty, `.` and `..` segments, with a backslash taken for a slash, as most servers would.
fn resolve_segments(text: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in text.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    let root = if text.starts_with(['/', '\\']) { "/" } else { "" };
    format!("{root}{}", segments.join("/"))
}
