//! Differences between two definitions, for a person to read.

use serde_json::Value;
use serde_json::value::RawValue;
use similar::TextDiff;

/// Longer texts are not compared line by line: the time grows with the product of length and difference.
const MOST_LINES: usize = 4_000;

/// How many lines around a difference are shown.
const CONTEXT: usize = 2;

/// Returns what is new in a definition.
pub(super) fn added(now: &RawValue) -> String {
    lines("", &pretty(now))
}

/// Returns what changed in a definition; without what it was before, what it is now.
pub(super) fn changed(before: Option<&RawValue>, now: &RawValue) -> String {
    match before {
        Some(before) => lines(&pretty(before), &pretty(now)),
        None => format!("(what was approved is not kept)\n{}", added(now)),
    }
}

/// Returns a unified diff without a header.
pub(super) fn lines(before: &str, now: &str) -> String {
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

/// Writes JSON over several lines; what nests too deeply to be read stays as it is.
fn pretty(raw: &RawValue) -> String {
    let read = serde_json::from_str::<Value>(raw.get());
    let pretty = read.ok().and_then(|value| serde_json::to_string_pretty(&value).ok());
    pretty.unwrap_or_else(|| raw.get().to_owned())
}
