//! A tool as its server describes it.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::digest::canonical_digest;
use crate::error::{Error, Problem};
use crate::json::from_object;

/// A tool as its server describes it in `tools/list`
/// ([specification](https://modelcontextprotocol.io/specification/draft/server/tools#tool)).
///
/// Nothing here is converted: schemas stay the bytes the server sent, and `raw` is the whole definition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tool {
    /// The name by which the server calls it; any Unicode.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What the tool does, in the server's words.
    pub description: Option<String>,
    /// The JSON Schema of the arguments; `{"type":"object"}` when the server sent none.
    pub input_schema: Box<RawValue>,
    /// The JSON Schema of `structuredContent`.
    pub output_schema: Option<Box<RawValue>>,
    /// The server's *claim* that the tool changes nothing (`annotations.readOnlyHint`). It counts only where the server is
    /// trusted for annotations: see [`crate::Effect`].
    pub effect_hint: Option<bool>,
    /// The definition as it came.
    pub raw: Box<RawValue>,
}

impl PartialEq for Tool {
    /// Compares the definitions byte by byte: every other field is read from `raw`.
    fn eq(&self, other: &Self) -> bool {
        self.raw.get() == other.raw.get()
    }
}

impl Eq for Tool {}

impl Tool {
    /// Reads one tool definition.
    ///
    /// A member of the wrong type is left out and reported with its place; the tool stays usable.
    ///
    /// # Errors
    /// [`Error::ToolDefinition`] when the value is no object or has no string `name`: such a tool cannot be called.
    ///
    /// ```
    /// use mcp_registry::Tool;
    ///
    /// let raw = serde_json::value::to_raw_value(&serde_json::json!({
    ///     "name": "echo", "description": 7, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}
    /// }))?;
    /// let (tool, problems) = Tool::parse(raw)?;
    /// assert_eq!((tool.name.as_str(), tool.description, tool.effect_hint), ("echo", None, Some(true)));
    /// assert_eq!(problems[0].to_string(), "echo/description: left out: expected a string");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(raw: Box<RawValue>) -> Result<(Self, Vec<Problem>), Error> {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let name = from_object::<Named>(&raw).map_err(|source| Error::ToolDefinition { source })?.name;
        let mut members = Members::read(&raw, &name);
        let title: Option<String> = members.take("title", "a string");
        let description = members.take("description", "a string");
        let input_schema = members.take_schema("inputSchema").unwrap_or_else(|| {
            members.problems.push(Problem::new(
                format!("{name}/inputSchema"),
                "missing: expected an object, taken as a tool whose arguments are any object",
            ));
            raw_object_schema()
        });
        let output_schema = members.take_schema("outputSchema");
        let annotations: Option<Box<RawValue>> = members.take("annotations", "an object");
        let mut problems = members.problems;
        let mut annotations = Members::read_optional(annotations.as_deref(), &format!("{name}/annotations"));
        let effect_hint = annotations.take("readOnlyHint", "true or false");
        // The title moved from the annotations to the tool in revision 2025-06-18.
        let title = title.or_else(|| annotations.take("title", "a string"));
        problems.append(&mut annotations.problems);
        Ok((Self { name, title, description, input_schema, output_schema, effect_hint, raw }, problems))
    }

    /// Reads the `tools` of a `tools/list` result: the tools that can be used, and what was wrong with the others.
    pub fn parse_list(result: &RawValue) -> (Vec<Self>, Vec<Problem>) {
        #[derive(Deserialize)]
        struct List {
            tools: Vec<Box<RawValue>>,
        }
        let list = match from_object::<List>(result) {
            Ok(list) => list.tools,
            Err(error) => {
                return (Vec::new(), vec![Problem::new("tools", format!("no tool read: expected an array ({error})"))]);
            }
        };
        let mut tools = Vec::with_capacity(list.len());
        let mut problems = Vec::new();
        for (position, raw) in list.into_iter().enumerate() {
            match Self::parse(raw) {
                Ok((tool, mut found)) => {
                    tools.push(tool);
                    problems.append(&mut found);
                }
                Err(error) => problems.push(Problem::new(format!("tools/{position}"), format!("left out: {error}"))),
            }
        }
        (tools, problems)
    }

    /// Returns the SHA-256 of the definition in hexadecimal, the same whatever the order in which members are written.
    pub fn fingerprint(&self) -> String {
        canonical_digest(&self.raw)
    }

    /// Whether a provider would be told the same about both.
    pub(crate) fn reads_alike(&self, other: &Self) -> bool {
        self.description == other.description && self.input_schema.get() == other.input_schema.get()
    }
}

fn raw_object_schema() -> Box<RawValue> {
    to_raw_value(&serde_json::json!({"type": "object"})).expect("a literal serialises")
}

/// The members of a JSON object, each read on its own so that one of a wrong type spoils no other.
struct Members<'a> {
    fields: HashMap<String, &'a RawValue>,
    place: String,
    problems: Vec<Problem>,
}

impl<'a> Members<'a> {
    fn read(object: &'a RawValue, place: &str) -> Self {
        Self::read_optional(Some(object), place)
    }

    fn read_optional(object: Option<&'a RawValue>, place: &str) -> Self {
        let mut read = Self { fields: HashMap::new(), place: place.to_owned(), problems: Vec::new() };
        if let Some(object) = object {
            match serde_json::from_str(object.get()) {
                Ok(fields) => read.fields = fields,
                Err(_) => read.problems.push(Problem::new(place, "left out: expected an object")),
            }
        }
        read
    }

    /// Reads a member; `null` counts as absent, as many servers send it for an empty field.
    fn take<T: serde::de::DeserializeOwned>(&mut self, name: &str, expected: &str) -> Option<T> {
        let raw = self.fields.remove(name).filter(|raw| raw.get() != "null")?;
        let read = serde_json::from_str(raw.get()).ok();
        if read.is_none() {
            self.problems
                .push(Problem::new(format!("{}/{name}", self.place), format!("left out: expected {expected}")));
        }
        read
    }

    fn take_schema(&mut self, name: &str) -> Option<Box<RawValue>> {
        let raw: Box<RawValue> = self.take(name, "a JSON Schema")?;
        if raw.get().starts_with(['{', 't', 'f']) {
            return Some(raw);
        }
        self.problems.push(Problem::new(format!("{}/{name}", self.place), "left out: expected a JSON Schema"));
        None
    }
}
