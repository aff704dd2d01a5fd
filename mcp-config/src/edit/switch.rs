//! Switches a server on or off in JSON, touching that word and nothing else.

use std::ops::Range;

use jsonc_parser::common::Ranged as _;
use jsonc_parser::cst::CstInputValue;
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::jsonc::{Container, add_to_map, map, with_root};
use crate::document::parse_options;

/// Writes `enabled` into an overlay, adding it where there is none.
pub(super) fn add_flag(text: &str, container: Container, name: &str, enabled: bool) -> String {
    if let Some(entry) = entry_range(text, container, name).filter(|entry| !entry.flags.is_empty()) {
        return with_flags(text, &entry.flags, enabled);
    }
    with_root(text, |root| {
        let Container::Map(key) = container else { return };
        let servers = map(root, Some(key));
        servers.ensure_multiline();
        match servers.get(name).and_then(|property| property.object_value()) {
            Some(entry) => drop(entry.append("enabled", CstInputValue::Bool(enabled))),
            None => add_to_map(
                &servers,
                name,
                CstInputValue::Object(vec![("enabled".to_owned(), CstInputValue::Bool(enabled))]),
            ),
        }
    })
}

/// Both words may be there, and both have to say the same.
fn with_flags(text: &str, flags: &[Flag], enabled: bool) -> String {
    let mut changed = text.to_owned();
    for flag in flags.iter().rev() {
        changed.replace_range(flag.value.clone(), flag_value(&flag.name, enabled));
    }
    changed
}

fn flag_value(word: &str, enabled: bool) -> &'static str {
    if (word == "enabled") == enabled { "true" } else { "false" }
}

/// Writes the word the file's host understands, and keeps the other where the entry already uses it.
pub(super) fn set_enabled(text: &str, container: Container, name: &str, enabled: bool, word: &str) -> String {
    let Some(EntryRange { first, separator, flags }) = entry_range(text, container, name) else {
        return text.to_owned();
    };
    let mut changed = text.to_owned();
    if flags.is_empty() && !enabled {
        changed.insert_str(first, &format!("{word:?}: {},{separator}", flag_value(word, enabled)));
    }
    // From the end, so that the places of those before stay what they are.
    for flag in flags.iter().rev() {
        match flag.until_next {
            // `"disabled": true` goes as it came.
            Some(next) if enabled && flag.name == "disabled" => changed.replace_range(flag.start..next, ""),
            _ => changed.replace_range(flag.value.clone(), flag_value(&flag.name, enabled)),
        }
    }
    changed
}

/// Where an entry's first member begins, what separates members there, and the flags it has, in order.
struct EntryRange {
    first: usize,
    separator: String,
    flags: Vec<Flag>,
}

/// One `enabled` or `disabled`.
struct Flag {
    name: String,
    start: usize,
    value: Range<usize>,
    /// Where the next member begins, when nothing but a comma and white space is between.
    until_next: Option<usize>,
}

fn entry_range(text: &str, container: Container, name: &str) -> Option<EntryRange> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &parse_options()).ok()?;
    let root = parsed.value?;
    let entry = container.find(root.as_object()?, name)?;
    let first = entry.properties.first()?.range.start;
    let before = text.get(entry.range.start + 1..first)?;
    // Members on lines of their own stay on lines of their own, indented alike.
    let separator = match before.rsplit_once('\n') {
        Some((above, indent)) if indent.trim().is_empty() => {
            format!("{}{indent}", if above.ends_with('\r') { "\r\n" } else { "\n" })
        }
        _ => " ".to_owned(),
    };
    let flags = entry.properties.iter().enumerate().filter_map(|(index, property)| {
        let name = property.name.as_str();
        if !matches!(name, "enabled" | "disabled") {
            return None;
        }
        let value = property.value.range();
        let next = entry.properties.get(index + 1).map(|next| next.range.start);
        let until_next = next.filter(|next| {
            let between = text.get(value.end..*next).unwrap_or("x");
            between.chars().all(|character| character == ',' || character.is_whitespace())
        });
        Some(Flag { name: name.to_owned(), start: property.range.start, value: value.start..value.end, until_next })
    });
    Some(EntryRange { first, separator, flags: flags.collect() })
}
