//! SHA-256 over several values, and over arguments.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::json::BorrowedMembers;

/// Returns the SHA-256 of the values, each preceded by its length, as 64 hexadecimal digits.
pub(crate) fn hex_digest<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest(values) {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
    }
    text
}

/// Returns the same as 43 characters, for files that hold many.
pub(crate) fn short_digest<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> String {
    URL_SAFE_NO_PAD.encode(digest(values))
}

fn digest<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> impl AsRef<[u8]> + IntoIterator<Item = u8> {
    let mut hasher = Sha256::new();
    for value in values {
        hasher.update((value.len() as u64).to_le_bytes());
        hasher.update(value);
    }
    hasher.finalize()
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
    hex_digest([canonical_text(raw).as_bytes()])
}

/// Returns JSON without the order of members, and what no reader sees, in it.
pub(crate) fn canonical_text(raw: &RawValue) -> String {
    let mut text = String::with_capacity(raw.get().len());
    write_canonical_text(raw, 0, &mut text);
    text
}

/// Returns the [`canonical_text`] of an object of these members.
pub(crate) fn canonical_object<'a>(members: impl IntoIterator<Item = (&'a str, &'a RawValue)>) -> String {
    let mut text = String::new();
    write_canonical_members(members.into_iter().collect(), 0, &mut text);
    text
}

fn write_canonical_text(raw: &RawValue, level: usize, text: &mut String) {
    // Every value is read anew at each level, so what is no list and no object is not tried as one.
    let first = raw.get().as_bytes().first().copied().filter(|_| level < MOST_LEVELS);
    let items = (first == Some(b'[')).then(|| serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok()).flatten();
    let members = (first == Some(b'{')).then(|| BorrowedMembers::parse(raw.get()).ok()).flatten();
    match (items, members) {
        (Some(items), _) => {
            text.push('[');
            for item in items {
                write_canonical_text(item, level + 1, text);
                text.push(',');
            }
            text.push(']');
        }
        (None, Some(members)) => write_canonical_members(members.iter().collect(), level, text),
        (None, None) => text.push_str(raw.get()),
    }
}

fn write_canonical_members(mut members: Vec<(&str, &RawValue)>, level: usize, text: &mut String) {
    members.sort_by_key(|(name, _)| *name);
    text.push('{');
    for (name, member) in members {
        text.push_str(&Value::from(name).to_string());
        text.push(':');
        write_canonical_text(member, level + 1, text);
        text.push(',');
    }
    text.push('}');
}
