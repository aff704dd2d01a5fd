//! Whether a result's text says what its structured content says.

use serde_json::Value;
use serde_json::value::RawValue;

/// The most comparisons of a value with a text, counted in bytes of text looked at; beyond, only equal JSON counts.
const MOST_WORK: usize = 64 * 1024 * 1024;

/// Shorter values stand in a text by chance.
const SHORTEST_TELLING: usize = 4;

/// How text and structured content relate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Carried {
    /// The part of the structured content that the text does not carry, as JSON; none if it carries all.
    pub(super) missing: Option<String>,
    /// Whether the text carries a value that does not stand in it by chance.
    pub(super) repeats: bool,
}

/// Compares a result's whole text, and its blocks, with its structured content.
pub(super) fn compare(text: &str, blocks: &[&str], structured: &RawValue) -> Carried {
    let whole = |repeats| Carried { missing: Some(structured.get().to_owned()), repeats };
    // A value nested deeper than the parser goes is nothing a text would carry.
    let Ok(value) = serde_json::from_str::<Value>(structured.get()) else { return whole(false) };
    let first = structured.get().chars().next();
    // Most text is not JSON of that kind, which its first character tells without reading all of it.
    let same_json = |block: &str| {
        block.trim_start().chars().next() == first
            && serde_json::from_str::<Value>(block).is_ok_and(|read| read == value)
    };
    if blocks.iter().any(|block| same_json(block)) || (blocks.len() > 1 && same_json(text)) {
        return Carried { missing: None, repeats: true };
    }
    let mut leaves = Vec::new();
    collect_leaves(&value, &mut leaves);
    if leaves.len().saturating_mul(text.len()) > MOST_WORK {
        return whole(false);
    }
    let telling = |leaf: &&Value| (leaf.is_string() || leaf.is_number()) && leaf_text(leaf).len() >= SHORTEST_TELLING;
    let repeats = leaves.iter().filter(|leaf| telling(leaf)).any(|leaf| says(text, leaf));
    Carried { missing: missing(text, &value), repeats }
}

/// Returns what the text does not carry: an object's members one by one, anything else as a whole.
fn missing(text: &str, value: &Value) -> Option<String> {
    let carries = |value: &Value| {
        let mut leaves = Vec::new();
        collect_leaves(value, &mut leaves);
        leaves.iter().all(|leaf| says(text, leaf))
    };
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, member)| !carries(member));
            let kept: serde_json::Map<String, Value> =
                kept.map(|(name, member)| (name.clone(), member.clone())).collect();
            (!kept.is_empty()).then(|| Value::Object(kept).to_string())
        }
        other => (!carries(other)).then(|| other.to_string()),
    }
}

/// Collects the values that hold no others. An empty list is one too: that there is nothing may be the answer.
fn collect_leaves<'a>(value: &'a Value, leaves: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.values().for_each(|member| collect_leaves(member, leaves));
        }
        Value::Array(items) if !items.is_empty() => items.iter().for_each(|item| collect_leaves(item, leaves)),
        leaf => leaves.push(leaf),
    }
}

fn leaf_text(leaf: &Value) -> String {
    match leaf {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether the value stands in the text as a word of its own: `1` does not stand in `10`.
fn says(text: &str, leaf: &Value) -> bool {
    let wanted = leaf_text(leaf);
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return true;
    }
    let joins = |outside: Option<char>, inside: Option<char>| {
        let part_of_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
        part_of_word(outside) && part_of_word(inside)
    };
    text.match_indices(wanted).any(|(start, found)| {
        let (before, rest) = text.split_at_checked(start).unwrap_or_default();
        let after = rest.strip_prefix(found).unwrap_or_default();
        !joins(before.chars().next_back(), wanted.chars().next())
            && !joins(after.chars().next(), wanted.chars().next_back())
    })
}
