//! Shorthands of the tests.

use mcp_schema::{Conversion, Limits, Profile, Schema, convert};
use serde_json::Value;

/// Parses a schema that is known to parse.
pub(crate) fn schema(value: &Value) -> Schema {
    Schema::parse(value.clone(), Limits::default()).unwrap()
}

/// A built-in profile.
pub(crate) fn profile(id: &str) -> Profile {
    Profile::builtin(id).unwrap()
}

/// Converts for a built-in profile.
pub(crate) fn converted(value: &Value, id: &str) -> Conversion {
    convert(&schema(value), &profile(id))
}
