//! Differences from what was approved, for a person to read.

use std::fmt;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use similar::TextDiff;

use crate::pin::archive::Definitions;
use crate::pin::baseline::Baseline;
use crate::pin::changes::{Changed, changes};
use crate::pin::drift::{DriftKind, Pin};
use crate::pin::surface::{Named, Surface};
use crate::pin::tool::{Words, without_words};

/// Longer texts are not compared line by line: the time grows with the product of length and difference.
const MOST_LINES: usize = 4_000;

/// How many lines around a difference are shown.
const CONTEXT: usize = 2;

/// One difference from what was approved, line by line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Difference {
    /// What changed.
    pub pin: Pin,
    /// How.
    pub kind: DriftKind,
    /// The lines, as a unified diff without a header; none for what was removed. Where what was approved is not kept, they
    /// show what is there now, and say so.
    pub lines: String,
}

impl fmt::Display for Difference {
    /// Writes the lines under a heading.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}\n{}", self.pin, self.kind, self.lines)
    }
}

impl Baseline {
    /// Returns what changed since the baseline was taken: tools, prompts, instructions; each sorted by name.
    pub fn differences(&self, surface: Surface<'_>) -> Vec<Difference> {
        let now = Named::from(surface);
        let changed = changes(self, &now);
        let approved = if changed.is_empty() { Definitions::default() } else { self.archive.open() };
        let difference = |Changed { pin, kind }| {
            let lines = if kind == DriftKind::Removed { String::new() } else { self.lines(&pin, &now, &approved) };
            Difference { pin, kind, lines }
        };
        changed.into_iter().map(difference).collect()
    }

    fn lines(&self, pin: &Pin, now: &Named<'_>, approved: &Definitions) -> String {
        match pin {
            Pin::Tool(name) => {
                let before = self.tools.as_ref().and_then(|tools| tools.get(name));
                let rest = approved.tools.get(name).map(|rest| &**rest);
                let now = now.tools.get(name.as_str()).map(|tool| &*tool.raw);
                let text = before.and_then(|pinned| pinned.words()).zip(rest).map(|(words, rest)| shown(words, rest));
                let shown = compared(before.is_some(), text.as_deref(), &now.map(shown_tool).unwrap_or_default());
                // What a parser takes for the same may be written otherwise, such as a member twice.
                let as_written = || {
                    let now = now.and_then(without_words);
                    lines(rest.map_or("", RawValue::get), now.as_deref().map_or("", RawValue::get))
                };
                if shown.is_empty() { as_written() } else { shown }
            }
            Pin::Prompt(name) => {
                let before = approved.prompts.get(name).map(|raw| pretty(raw));
                let now = now.prompts.get(name.as_str()).map(|raw| pretty(raw)).unwrap_or_default();
                compared(self.prompts.contains_key(name), before.as_deref(), &now)
            }
            Pin::Instructions => {
                let before = self.instructions.as_ref();
                let text = before.and_then(|pinned| pinned.text());
                compared(before.is_some(), text, now.instructions.unwrap_or_default())
            }
        }
    }
}

/// Compares two texts, the first of which may never have been there, or not be kept.
fn compared(was_approved: bool, before: Option<&str>, now: &str) -> String {
    match before {
        None if was_approved => format!("(what was approved is not kept; this is there now)\n{}", lines("", now)),
        before => lines(before.unwrap_or_default(), now),
    }
}

/// Returns a unified diff without a header.
fn lines(before: &str, now: &str) -> String {
    let most = before.lines().count().max(now.lines().count());
    if most > MOST_LINES {
        return format!("({most} lines, too many to compare)\n");
    }
    let (before, now) = (with_line_break(before), with_line_break(now));
    let difference = TextDiff::from_lines(&before, &now);
    difference.unified_diff().context_radius(CONTEXT).missing_newline_hint(false).to_string()
}

/// Ends the last line, so that a line added behind it leaves it unchanged.
fn with_line_break(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Writes a definition as [`shown`] does the one that was approved.
fn shown_tool(raw: &RawValue) -> String {
    match without_words(raw) {
        Some(rest) => shown(&Words::read(raw), &rest),
        None => raw.get().to_owned(),
    }
}

/// Writes the words of a tool and the rest of its definition: the words first, then the other members by name, so that only
/// what counts makes a difference.
fn shown(words: &Words, raw: &RawValue) -> String {
    let texts = [words.title().map(|title| ("title", title)), words.description().map(|text| ("description", text))];
    let mut members: Map<String, Value> =
        texts.into_iter().flatten().map(|(name, text)| (name.to_owned(), text.into())).collect();
    let rest = value(raw);
    members.extend(words.annotations().map(|annotations| ("annotations".to_owned(), sorted(value(annotations)))));
    let Value::Object(rest) = sorted(rest) else { return pretty(raw) };
    members.extend(rest);
    serde_json::to_string_pretty(&members).unwrap_or_default()
}

/// Writes JSON over several lines; what nests too deeply to be read stays as it is.
fn pretty(raw: &RawValue) -> String {
    match value(raw) {
        Value::Null => raw.get().to_owned(),
        value => serde_json::to_string_pretty(&sorted(value)).unwrap_or_else(|_| raw.get().to_owned()),
    }
}

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> =
                members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            members.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        scalar => scalar,
    }
}
