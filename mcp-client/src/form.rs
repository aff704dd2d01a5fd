//! Forms that servers ask a person to fill in.

use mcp_schema::{Limits, Schema, Validator};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// What a form's fields contain before anybody has typed: the `default` of each property that has one, in the form's
/// order.
///
/// `schema` is the `requestedSchema` of an [`Elicitation::Form`](mcp_transport::Elicitation::Form). A default that its own
/// field would not accept is left out, as is everything of a schema that cannot be read. See [elicitation] of the
/// specification, which asks clients to fill in defaults.
///
/// ```
/// use mcp_client::form_defaults;
/// use serde_json::value::RawValue;
///
/// let schema = r#"{"type": "object", "properties": {
///     "name": {"type": "string", "default": "Ada"},
///     "age": {"type": "integer", "minimum": 0, "default": -1},
///     "note": {"type": "string"}
/// }}"#;
/// let schema = RawValue::from_string(schema.to_owned())?;
/// assert_eq!(serde_json::Value::from(form_defaults(&schema)), serde_json::json!({"name": "Ada"}));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// [elicitation]: https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
pub fn form_defaults(schema: &RawValue) -> Map<String, Value> {
    let Ok(mut schema) = serde_json::from_str::<Value>(schema.get()) else { return Map::new() };
    let Some(Value::Object(properties)) = schema.get_mut("properties").map(Value::take) else { return Map::new() };
    properties.into_iter().filter_map(|(name, property)| Some((name, usable_default(property)?))).collect()
}

fn usable_default(property: Value) -> Option<Value> {
    let default = property.get("default")?.clone();
    let schema = Schema::parse(property, Limits::default()).ok()?;
    let validator = Validator::new(&schema).ok()?;
    validator.validate(&default).is_ok().then_some(default)
}

#[cfg(test)]
mod tests;
