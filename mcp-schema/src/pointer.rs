//! JSON pointers (RFC 6901), also as URI fragments.

use serde_json::Value;

/// Appends one reference token to a pointer, escaped.
pub(crate) fn join(pointer: &str, token: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + token.len() + 1);
    joined.push_str(pointer);
    push(&mut joined, token);
    joined
}

/// Appends one reference token in place, escaped.
pub(crate) fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Undoes the escaping of one token: `~1` is `/`, `~0` is `~`, in that order (RFC 6901 §4).
pub(crate) fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Undoes percent-encoding; what is not a valid escape, or not UTF-8 after decoding, stays as written.
pub(crate) fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut position = 0;
    while let Some(&byte) = bytes.get(position) {
        let escaped = (byte == b'%').then(|| hex_pair(bytes.get(position + 1), bytes.get(position + 2))).flatten();
        decoded.push(escaped.unwrap_or(byte));
        position += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

fn hex_pair(high: Option<&u8>, low: Option<&u8>) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high?)? * 16 + digit(low?)?).ok()
}

/// Follows a pointer from `start` and returns the canonical pointer of what it reaches.
///
/// Tokens are tried as the RFC reads them first. Where that reaches nothing, the key is looked up as written (old
/// generators forget to escape `~`) and then joined with the tokens that follow (they forget to escape `/` too).
pub(crate) fn follow(start: &Value, fragment: &str) -> Option<String> {
    let tokens: Vec<&str> = fragment.split('/').skip(1).collect();
    let mut current = start;
    let mut reached = String::new();
    let mut position = 0;
    while let Some(token) = tokens.get(position) {
        let (key, next, taken) = step(current, token, tokens.get(position..)?)?;
        push(&mut reached, &key);
        current = next;
        position += taken;
    }
    Some(reached)
}

fn step<'a>(current: &'a Value, token: &str, rest: &[&str]) -> Option<(String, &'a Value, usize)> {
    match current {
        Value::Array(items) => {
            let index: usize = token.parse().ok()?;
            items.get(index).map(|item| (token.to_owned(), item, 1))
        }
        Value::Object(entries) => {
            let exact = unescape(token);
            let candidates = [(exact, 1), ((*token).to_owned(), 1)];
            let joined = (2..=rest.len()).filter_map(|taken| Some((unescape(&rest.get(..taken)?.join("/")), taken)));
            candidates
                .into_iter()
                .chain(joined)
                .find_map(|(key, taken)| entries.get(&key).map(|entry| (key.clone(), entry, taken)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
