//! One JSON-RPC message at a time: shallow, tolerant where it is safe, and never deeper than needed.
//!
//! Only the envelope is parsed; `result`, `params` and `data` stay text, so key order, unknown members and nesting
//! depth are the peer's own. See [JSON-RPC 2.0](https://www.jsonrpc.org/specification).

mod compose;
mod members;
mod scan;

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

pub(crate) use compose::{error_response, notification, request, response, with_meta};
pub(crate) use members::Members;
pub(crate) use scan::ReplyScanner;

use crate::RpcError;

/// A message, as far as it could be understood.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// An answer.
    Reply { id: ReplyId, outcome: Result<&'a RawValue, Failure> },
    /// A question of the peer. Its id is echoed as it came.
    Request { id: &'a RawValue, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// News of the peer.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// Several messages in one, as 2025-03-26 allowed.
    Batch(Vec<&'a RawValue>),
    /// Nothing that JSON-RPC knows; `id` is what a scan of the text found.
    Malformed { id: Option<u64>, reason: String },
}

/// Whom an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyId {
    /// This request of ours.
    Ours(u64),
    /// `null` or nothing: the peer could not tell, or it answers a notification.
    Missing,
    /// Something we never sent, such as an object.
    Foreign,
}

/// Why a reply is not a result.
#[derive(Debug)]
pub(crate) enum Failure {
    Refused(RpcError),
    Invalid(String),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from "not there": a `null` result is malformed, a missing one as well, and the text says which.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads one message. Never fails: what cannot be understood is [`Message::Malformed`].
pub(crate) fn decode(bytes: &[u8]) -> Message<'_> {
    let trimmed = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    if trimmed.first() == Some(&b'[')
        && let Ok(batch) = serde_json::from_slice::<Vec<&RawValue>>(trimmed)
    {
        return Message::Batch(batch);
    }
    match serde_json::from_slice::<Envelope<'_>>(trimmed) {
        Ok(envelope) => classify(envelope),
        Err(error) => Message::Malformed { id: ReplyScanner::scan(trimmed), reason: error.to_string() },
    }
}

fn classify(envelope: Envelope<'_>) -> Message<'_> {
    let Envelope { id, method, params, result, error } = envelope;
    match (method, id) {
        (Some(method), Some(id)) if id.get() != "null" => Message::Request { id, method, params },
        (Some(method), _) => Message::Notification { method, params },
        (None, None) if result.is_none() && error.is_none() => {
            Message::Malformed { id: None, reason: "neither a request nor an answer".to_owned() }
        }
        (None, id) => Message::Reply { id: reply_id(id), outcome: outcome(result, error) },
    }
}

fn outcome<'a>(result: Option<&'a RawValue>, error: Option<&'a RawValue>) -> Result<&'a RawValue, Failure> {
    match (result, error.filter(|error| error.get() != "null")) {
        (Some(_), Some(_)) => Err(Failure::Invalid("both `result` and `error` are present".to_owned())),
        (None, None) => Err(Failure::Invalid("neither `result` nor `error` is present".to_owned())),
        (None, Some(error)) => Err(rpc_error(error)),
        (Some(result), None) if result.get().starts_with('{') => Ok(result),
        (Some(result), None) => {
            Err(Failure::Invalid(format!("`result` must be an object, found `{}`", preview(result.get(), 40))))
        }
    }
}

fn rpc_error(raw: &RawValue) -> Failure {
    #[derive(Deserialize)]
    struct Wire<'a> {
        code: i64,
        #[serde(borrow, default)]
        message: Cow<'a, str>,
        #[serde(borrow, default)]
        data: Option<&'a RawValue>,
    }
    match serde_json::from_str::<Wire<'_>>(raw.get()) {
        Ok(wire) => Failure::Refused(RpcError {
            code: wire.code,
            message: wire.message.into_owned(),
            data: wire.data.map(|data| data.get().to_owned()),
            http_status: None,
        }),
        Err(error) => {
            Failure::Invalid(format!("`error` is not a JSON-RPC error ({error}): {}", preview(raw.get(), 200)))
        }
    }
}

fn reply_id(id: Option<&RawValue>) -> ReplyId {
    match id.map(RawValue::get) {
        None | Some("null") => ReplyId::Missing,
        Some(id) => parse_id(id.as_bytes()).map_or(ReplyId::Foreign, ReplyId::Ours),
    }
}

/// The id of one of our requests: a whole number, however the peer spells it (`7`, `7.0`, `"7"`).
fn parse_id(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let whole =
        text.split_once('.').map_or(Some(text), |(whole, zeros)| zeros.bytes().all(|b| b == b'0').then_some(whole));
    whole?.parse().ok()
}

/// At most `limit` bytes of `text`, and an ellipsis where more was cut off. No word is cut in two: half a credential is one
/// that nobody recognises.
pub(crate) fn preview(text: &str, limit: usize) -> Cow<'_, str> {
    let (head, rest) = text.split_at(text.floor_char_boundary(limit));
    if rest.is_empty() {
        return Cow::Borrowed(text);
    }
    let in_word = |character: char| character.is_alphanumeric() || "-_.~+/=%".contains(character);
    let head = if rest.starts_with(in_word) { head.trim_end_matches(in_word) } else { head };
    Cow::Owned(format!("{head}…"))
}

#[cfg(test)]
mod tests;
