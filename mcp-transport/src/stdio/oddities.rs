//! Lines of a server that are nearly messages: read where that is safe, named where it is not.

use serde_json::value::RawValue;

use crate::inbox::Inbox;
use crate::wire::{self, Message};

/// So many places in a line are tried as the begin of a message.
const TRIES: usize = 8;

/// Messages that one line may hold.
const MESSAGES: usize = 100;

/// Takes in one line: a message, or what can be read of a line that is more than one.
pub(super) fn take_line(inbox: &Inbox, line: &[u8]) {
    let looks_right = looks_like_json(line);
    if looks_right && inbox.receive_whole(line) {
        return;
    }
    let messages = messages_in(line);
    inbox.note_unread(line);
    if !messages.is_empty() {
        inbox.count_noise();
        for message in messages {
            inbox.receive(message.get().as_bytes());
        }
    } else if looks_right {
        // It may still say whom it answers.
        inbox.receive(line);
    } else {
        inbox.count_noise();
    }
}

/// Servers print greetings and logs to stdout; a message starts with a brace or, for a batch, a bracket.
fn looks_like_json(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The messages of a line that begins with something else, or holds more than one: only what says of itself that it is one.
fn messages_in(line: &[u8]) -> Vec<&RawValue> {
    let begins = memchr::memchr_iter(b'{', line).take(TRIES);
    let found = begins.map(|begin| {
        let rest = line.get(begin..).unwrap_or_default();
        let values = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
        values.take(MESSAGES).map_while(Result::ok).take_while(|value| is_message(value)).collect::<Vec<_>>()
    });
    found.into_iter().find(|messages| !messages.is_empty()).unwrap_or_default()
}

fn is_message(value: &RawValue) -> bool {
    let text = value.get();
    text.contains(r#""jsonrpc""#)
        && !matches!(wire::decode(text.as_bytes()), Message::Malformed { .. } | Message::Batch(_))
}

/// What a line that is no message tells of its server, as the end of a sentence.
pub(crate) fn explanation(line: &str) -> &'static str {
    let begin = line.trim_start();
    let starts_with = |prefix: &str| begin.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let is_cut_json =
        || serde_json::from_str::<&RawValue>(begin).is_err_and(|error| error.is_eof()) && begin.starts_with(['{', '[']);
    if starts_with("Content-Length:") {
        "it frames messages as language servers do; MCP wants one message a line"
    } else if starts_with("<!doctype") || starts_with("<html") || starts_with("<?xml") {
        "that is a web page or XML; MCP wants one JSON message a line"
    } else if is_cut_json() {
        "it spreads a message over several lines; MCP wants each on one line"
    } else {
        "that is no MCP message; what it logs belongs on stderr"
    }
}

#[cfg(test)]
mod tests;
