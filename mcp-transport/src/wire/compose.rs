//! Messages of ours, as one line of text each.

use serde_json::value::RawValue;

use super::members::{Members, quoted};
use crate::{Error, RpcError};

/// A request. `params` is an object or nothing.
pub(crate) fn request(id: u64, method: &str, params: Option<&str>) -> String {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{}"#, quoted(method));
    finish(&mut out, params)
}

/// A notification. `params` is an object or nothing.
pub(crate) fn notification(method: &str, params: Option<&str>) -> String {
    let mut out = format!(r#"{{"jsonrpc":"2.0","method":{}"#, quoted(method));
    finish(&mut out, params)
}

fn finish(out: &mut String, params: Option<&str>) -> String {
    if let Some(params) = params {
        out.push_str(r#","params":"#);
        push_on_one_line(out, params);
    }
    out.push('}');
    std::mem::take(out)
}

/// An answer to the peer's request `id`, which is echoed as it came.
pub(crate) fn response(id: &RawValue, result: &RawValue) -> String {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{},"result":"#, id.get());
    push_on_one_line(&mut out, result.get());
    out.push('}');
    out
}

/// A refusal of the peer's request `id`.
pub(crate) fn error_response(id: &RawValue, error: &RpcError) -> String {
    let mut out = format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}"#,
        id.get(),
        error.code,
        quoted(&error.message)
    );
    if let Some(data) = error.data.as_deref().filter(|data| serde_json::from_str::<&RawValue>(data).is_ok()) {
        out.push_str(r#","data":"#);
        push_on_one_line(&mut out, data);
    }
    out.push_str("}}");
    out
}

/// A line break in valid JSON text is white space, and it would end the message on stdio.
fn push_on_one_line(out: &mut String, json: &str) {
    if json.contains(['\n', '\r']) {
        out.extend(json.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
    } else {
        out.push_str(json);
    }
}

/// `params` with `meta` (the inner text of an object) in its `_meta` member; members of `meta` win.
///
/// # Errors
///
/// If `params` is no object.
pub(crate) fn with_meta(params: Option<&RawValue>, meta: &str) -> Result<Option<String>, Error> {
    let text = match params.map(RawValue::get) {
        None if meta.is_empty() => return Ok(None),
        None => return Ok(Some(format!(r#"{{"_meta":{{{meta}}}}}"#))),
        Some(text) => text,
    };
    let invalid = || Error::InvalidOption { option: "params", reason: "must be a JSON object".to_owned() };
    let inner = text.trim_ascii().strip_prefix('{').ok_or_else(invalid)?;
    if meta.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    if !text.contains(r#""_meta""#) {
        let comma = if inner.trim_ascii_start().starts_with('}') { "" } else { "," };
        return Ok(Some(format!(r#"{{"_meta":{{{meta}}}{comma}{inner}"#)));
    }
    merge_meta(text, meta).ok_or_else(invalid).map(Some)
}

fn merge_meta(text: &str, meta: &str) -> Option<String> {
    let mut params = Members::parse(text).ok()?;
    let mut merged = match params.value("_meta") {
        Some(existing) => Members::parse(existing.get()).ok()?,
        None => Members::default(),
    };
    merged.extend(Members::parse(&format!("{{{meta}}}")).ok()?);
    let mut inner = String::new();
    merged.write(&mut inner);
    params.set("_meta", RawValue::from_string(inner).ok()?);
    let mut out = String::with_capacity(text.len() + meta.len());
    params.write(&mut out);
    Some(out)
}
