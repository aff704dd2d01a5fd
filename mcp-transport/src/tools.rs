//! Tools as a server describes them, one at a time: a bad one is reported and its neighbours stay.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::sent::Sent;

/// What came of a list request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Listing<T> {
    /// The usable items, in the server's order.
    pub items: Vec<T>,
    /// The items that were left out, and why.
    pub rejected: Vec<Rejected>,
    /// Why the listing stopped before its end, if it did: a repeated cursor, too many pages, a page that failed.
    pub incomplete: Option<String>,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { items: Vec::new(), rejected: Vec::new(), incomplete: None }
    }
}

impl<T> Listing<T> {
    /// The listing with nothing in `sent` among the reasons for what is not in it.
    pub(crate) fn scrubbed(mut self, sent: &Sent) -> Self {
        for rejected in &mut self.rejected {
            rejected.name = rejected.name.take().map(|name| sent.scrub(&name).into_owned());
            rejected.reason = sent.scrub(&rejected.reason).into_owned();
        }
        self.incomplete = self.incomplete.map(|reason| sent.scrub(&reason).into_owned());
        self
    }
}

/// An item of a listing that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// Its position in the whole listing, from 0.
    pub index: usize,
    /// Its name, when it has one. Server text.
    pub name: Option<String>,
    /// What was expected and what was found.
    pub reason: String,
}

/// A tool as the server describes it. Everything in it is the server's text.
///
/// Schemas are JSON text as it came, with its key order, its unknown members and its nesting.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Tool {
    /// What [`call_tool`](crate::Connection::call_tool) wants; not empty.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the tool does, for the model.
    pub description: Option<String>,
    /// A JSON Schema; always a JSON object.
    pub input_schema: Box<RawValue>,
    /// A JSON Schema of the structured result; a JSON object when present.
    pub output_schema: Option<Box<RawValue>>,
    /// Hints about effects. Untrusted unless the server is.
    pub annotations: Option<Annotations>,
    /// The whole tool, verbatim.
    pub raw: Box<RawValue>,
}

/// A server's claims about a tool's effects.
///
/// See [`ToolAnnotations`](https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations). A hint
/// that is no boolean counts as absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[non_exhaustive]
pub struct Annotations {
    /// A name for people.
    #[serde(default, deserialize_with = "lenient")]
    pub title: Option<String>,
    /// Changes nothing.
    #[serde(default, rename = "readOnlyHint", deserialize_with = "lenient")]
    pub read_only: Option<bool>,
    /// May destroy something.
    #[serde(default, rename = "destructiveHint", deserialize_with = "lenient")]
    pub destructive: Option<bool>,
    /// Calling it twice is calling it once.
    #[serde(default, rename = "idempotentHint", deserialize_with = "lenient")]
    pub idempotent: Option<bool>,
    /// Reaches beyond the server's own world.
    #[serde(default, rename = "openWorldHint", deserialize_with = "lenient")]
    pub open_world: Option<bool>,
}

/// A value of the right type, or nothing.
pub(crate) fn lenient<'de, D: serde::Deserializer<'de>, T: serde::de::DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    title: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    description: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
}

impl Tool {
    /// Reads one element of `tools`, found at `index`.
    pub(crate) fn parse(raw: &RawValue, index: usize) -> Result<Self, Rejected> {
        let reject = |reason: String| Rejected { index, name: name_of(raw), reason };
        let wire: Wire<'_> = serde_json::from_str(raw.get()).map_err(|error| reject(error.to_string()))?;
        if wire.name.is_empty() {
            return Err(reject("`name` is empty".to_owned()));
        }
        let Some(input_schema) = wire.input_schema else {
            return Err(reject("`inputSchema` is missing".to_owned()));
        };
        if !is_object(input_schema) {
            let found = crate::wire::preview(input_schema.get(), 40);
            return Err(reject(format!("`inputSchema` must be an object, found `{found}`")));
        }
        Ok(Self {
            name: wire.name.into_owned(),
            title: wire.title.map(Cow::into_owned),
            description: wire.description.map(Cow::into_owned),
            input_schema: input_schema.to_owned(),
            output_schema: wire.output_schema.filter(|schema| is_object(schema)).map(ToOwned::to_owned),
            annotations: wire.annotations.and_then(|annotations| serde_json::from_str(annotations.get()).ok()),
            raw: raw.to_owned(),
        })
    }
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// The name of an item that is otherwise unusable.
pub(crate) fn name_of(raw: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    serde_json::from_str::<Named>(raw.get()).ok().map(|named| named.name)
}

/// One page of any listing.
#[derive(Debug, Deserialize)]
pub(crate) struct Page<'a> {
    /// Its name depends on what is listed; `None` when there is none, of which serde would say a name of ours.
    #[serde(borrow, default, rename = "tools", alias = "resources", alias = "resourceTemplates", alias = "prompts")]
    pub(crate) items: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default, rename = "nextCursor")]
    pub(crate) next: Option<&'a RawValue>,
}

#[cfg(test)]
mod tests;
