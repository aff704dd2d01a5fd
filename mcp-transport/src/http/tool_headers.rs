//! Tool arguments that travel as HTTP headers too, so that gateways can route without reading bodies.
//!
//! A property annotated with `x-mcp-header: NAME` is repeated as `Mcp-Param-NAME`
//! ([SEP-2243](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http)).

use std::collections::HashSet;

use ::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The annotation's key.
const ANNOTATION: &str = "x-mcp-header";

/// Which arguments of a tool become which headers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ToolHeaders(Vec<(Vec<String>, HeaderName)>);

impl ToolHeaders {
    /// Reads the annotations of an input schema; a schema without any costs one text search.
    ///
    /// # Errors
    ///
    /// Why the annotations are invalid; such a tool must not be offered.
    pub(crate) fn parse(schema: &RawValue) -> Result<Self, String> {
        if !schema.get().contains(ANNOTATION) {
            return Ok(Self::default());
        }
        let schema: Map<String, Value> = serde_json::from_str(schema.get()).map_err(|error| error.to_string())?;
        if schema.contains_key(ANNOTATION) {
            return Err(format!("`{ANNOTATION}` must annotate a property, not the whole schema"));
        }
        if misplaced(&schema, true) {
            return Err(format!("`{ANNOTATION}` must be reachable from the root through `properties` alone"));
        }
        let mut headers = Self::default();
        headers.collect(&schema, &mut Vec::new(), &mut HashSet::new())?;
        Ok(headers)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn collect(
        &mut self,
        schema: &Map<String, Value>,
        path: &mut Vec<String>,
        seen: &mut HashSet<String>,
    ) -> Result<(), String> {
        let Some(Value::Object(properties)) = schema.get("properties") else { return Ok(()) };
        for (name, property) in properties {
            let Value::Object(property) = property else { continue };
            path.push(name.clone());
            if let Some(annotation) = property.get(ANNOTATION) {
                let header = header_name(annotation, property.get("type"))
                    .map_err(|reason| format!("property `{}`: {reason}", path.join(".")))?;
                if !seen.insert(header.as_str().to_owned()) {
                    return Err(format!("property `{}`: header `{header}` is used twice", path.join(".")));
                }
                self.0.push((path.clone(), header));
            }
            self.collect(property, path, seen)?;
            path.pop();
        }
        Ok(())
    }

    /// The headers for a call with `arguments`.
    pub(crate) fn for_arguments(&self, arguments: Option<&RawValue>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let arguments: Value =
            arguments.and_then(|arguments| serde_json::from_str(arguments.get()).ok()).unwrap_or_default();
        for (path, name) in &self.0 {
            let value = path.iter().try_fold(&arguments, |value, key| value.get(key));
            let text = match value {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Bool(flag)) => flag.to_string(),
                Some(Value::Number(number)) => number.to_string(),
                _ => continue,
            };
            headers.extend(header_value(&text).map(|value| (name.clone(), value)));
        }
        headers
    }
}

fn header_name(annotation: &Value, kind: Option<&Value>) -> Result<HeaderName, String> {
    let Value::String(name) = annotation else { return Err(format!("`{ANNOTATION}` must be a string")) };
    if name.is_empty() {
        return Err(format!("`{ANNOTATION}` must not be empty"));
    }
    if !matches!(kind.and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
        return Err(format!("`{ANNOTATION}` needs type string, integer or boolean"));
    }
    HeaderName::from_bytes(format!("Mcp-Param-{name}").as_bytes()).map_err(|_e| format!("`{name}` is no HTTP token"))
}

/// Whether an annotation sits where no argument path leads.
fn misplaced(schema: &Map<String, Value>, on_path: bool) -> bool {
    schema.iter().any(|(key, value)| match key.as_str() {
        ANNOTATION => !on_path,
        "properties" => any_misplaced(value, on_path),
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" => {
            any_misplaced(value, false)
        }
        // Data, not schemas.
        "default" | "const" | "enum" | "examples" | "dependentRequired" => false,
        _ => match value {
            Value::Object(schema) => misplaced(schema, false),
            Value::Array(items) => items.iter().filter_map(Value::as_object).any(|schema| misplaced(schema, false)),
            _ => false,
        },
    })
}

fn any_misplaced(schemas: &Value, on_path: bool) -> bool {
    let schemas = schemas.as_object().into_iter().flat_map(Map::values);
    schemas.filter_map(Value::as_object).any(|schema| misplaced(schema, on_path))
}

/// `text` as a header value, wrapped in Base64 when it cannot travel as it is.
pub(crate) fn header_value(text: &str) -> Option<HeaderValue> {
    let blank = |c: char| matches!(c, ' ' | '\t');
    let looks_wrapped = text.starts_with("=?base64?") && text.ends_with("?=");
    let printable = text.chars().all(|c| matches!(c, ' '..='~'));
    if !printable || looks_wrapped || text.starts_with(blank) || text.ends_with(blank) {
        return HeaderValue::from_str(&format!("=?base64?{}?=", BASE64_STANDARD.encode(text))).ok();
    }
    HeaderValue::from_str(text).ok()
}

#[cfg(test)]
mod tests;
