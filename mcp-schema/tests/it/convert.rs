//! Conversions, profile by profile.

use mcp_schema::{LossKind, Profile};
use serde_json::{Value, json};

use crate::support::{converted, profile};

/// Converts, compares the schema, and checks one pair of arguments both ways.
fn check(original: &Value, id: &str, expected: &Value) {
    let conversion = converted(original, id);
    assert_eq!(conversion.schema, *expected, "{id}: {original}");
}

#[test]
fn every_builtin_profile_can_be_read() {
    for id in Profile::builtin_ids() {
        let profile = profile(id);
        assert_eq!(profile.id, *id);
        assert!(!profile.sources.is_empty(), "{id} has no source");
        if let Some(fallback) = &profile.fallback {
            assert!(Profile::builtin(fallback).is_some(), "{id} falls back to {fallback}");
        }
    }
}

#[test]
fn plain_schemas_pass_through() {
    let original = json!({
        "type": "object",
        "properties": {"q": {"type": "string", "description": "What to look for."}, "n": {"type": "integer"}},
        "required": ["q"],
    });
    for id in ["openai", "anthropic", "gemini", "gemini-json-schema", "bedrock-nova", "moonshot", "portable", "mistral"]
    {
        let conversion = converted(&original, id);
        assert_eq!(conversion.schema, original, "{id}");
        assert!(conversion.report.is_lossless(), "{id}");
        assert!(conversion.codec.is_identity(), "{id}");
    }
}

#[test]
fn root_unions_are_hoisted() {
    let original = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    });
    let expected = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "description": "Give one of: `a`, or `b`.",
    });
    check(&original, "anthropic", &expected);
    check(&original, "openai", &expected);
    assert_eq!(converted(&original, "anthropic").report.worst(), Some(LossKind::Widened));
}

#[test]
fn strict_modes_close_and_require() {
    let original = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"enum": ["x", "y"]}},
        "required": ["a"],
        "additionalProperties": false,
    });
    let conversion = converted(&original, "openai-strict");
    let expected = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": ["integer", "null"]},
            "c": {"type": ["string", "null"], "enum": ["x", "y", null]},
        },
        "required": ["a", "b", "c"],
        "additionalProperties": false,
    });
    assert_eq!(conversion.schema, expected);
    assert!(conversion.report.is_lossless());
    assert_eq!(conversion.codec.decode(json!({"a": "1", "b": null, "c": "x"})), json!({"a": "1", "c": "x"}));
    assert_eq!(conversion.codec.encode(json!({"a": "1", "c": "x"})), json!({"a": "1", "c": "x", "b": null}));
}

#[test]
fn what_is_no_object_is_wrapped() {
    let conversion = converted(&json!({"type": "array", "items": {"type": "integer"}}), "anthropic");
    assert_eq!(conversion.schema["properties"]["value"], json!({"type": "array", "items": {"type": "integer"}}));
    assert_eq!(conversion.codec.decode(json!({"value": [1]})), json!([1]));
    assert_eq!(conversion.codec.encode(json!([1])), json!({"value": [1]}));
}
