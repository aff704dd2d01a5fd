//! SHA-256 over several values, and over arguments.

use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::json::Members;

/// Returns the SHA-256 of the values, each preceded by its length, as 64 hexadecimal digits.
pub(crate) fn hex_digest<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for value in values {
        hasher.update((value.len() as u64).to_le_bytes());
        hasher.update(value);
    }
    let mut text = String::with_capacity(64);
    for byte in hasher.finalize() {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
    }
    text
}

/// Returns the SHA-256 of a call's arguments, the same whatever the order in which an object's members are written.
pub(crate) fn arguments_digest(arguments: &Value) -> String {
    let mut text = String::new();
    write_canonical(arguments, &mut text);
    hex_digest([text.as_bytes()])
}

/// Writes JSON without space and with the members of objects sorted by name.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, member) in sorted {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_canonical(member, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

/// Objects nested deeper are compared by their bytes.
const MOST_LEVELS: usize = 64;

/// Returns the SHA-256 of a JSON text, the same whatever the order in which an object's members are written.
///
/// Members of one name all count, in their order: readers differ in which of them they take, so hiding a change behind
/// another member of that name must not go unnoticed.
pub(crate) fn canonical_digest(raw: &RawValue) -> String {
    let mut text = String::with_capacity(raw.get().len());
    write_canonical_text(raw, 0, &mut text);
    hex_digest([text.as_bytes()])
}

fn write_canonical_text(raw: &RawValue, level: usize, text: &mut String) {
    let items = if level < MOST_LEVELS && raw.get().starts_with('[') {
        serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok()
    } else {
        None
    };
    let members = if level < MOST_LEVELS { Members::parse(raw.get()).ok() } else { None };
    match (items, members) {
        (Some(items), _) => {
            text.push('[');
            for item in items {
                write_canonical_text(item, level + 1, text);
                text.push(',');
            }
            text.push(']');
        }
        (None, Some(members)) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, member) in sorted {
                text.push_str(&Value::from(name).to_string());
                text.push(':');
                write_canonical_text(member, level + 1, text);
                text.push(',');
            }
            text.push('}');
        }
        (None, None) => text.push_str(raw.get()),
    }
}
