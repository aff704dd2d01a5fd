//! Conversions, profile by profile.

use mcp_schema::{LossKind, Profile, Validator};
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

#[test]
fn an_enum_over_the_providers_limit_is_told_instead() {
    let values = |count: usize| -> Vec<String> { (0..count).map(|index| format!("v{index}")).collect() };
    let tool = |count: usize| {
        json!({"type": "object", "properties": {"a": {"type": "string", "enum": values(count)}},
                                     "required": ["a"], "additionalProperties": false})
    };
    assert!(converted(&tool(1000), "openai-strict").report.is_lossless());
    let over = converted(&tool(1001), "openai-strict");
    assert_eq!(over.report.worst(), Some(LossKind::Widened));
    assert_eq!(mcp_schema::lint(&over.schema, &profile("openai-strict")), []);
    assert!(over.schema["properties"]["a"]["description"].as_str().is_some_and(|text| text.len() < 500));
}

#[test]
fn losses_are_told_in_a_bounded_description() {
    let long = "x".repeat(2_000);
    let original = json!({"type": "object", "properties": {"a": {"type": "string", "description": "Kept.", "minLength": 3,
        "pattern": "^a", "default": long, "contentEncoding": "base64"}}});
    let sent = converted(&original, "moonshot").schema;
    let text = sent["properties"]["a"]["description"].as_str().unwrap();
    assert!(text.starts_with("Kept. (minLength: 3; pattern: \"^a\""), "{text}");
    assert!(text.chars().count() < 600, "{text}");
}

#[test]
fn one_of_with_references_is_kept_where_it_is_known() {
    let leaf = json!({"type": "object", "properties": {"kind": {"const": "leaf"}}, "required": ["kind"]});
    let node = json!({"type": "object", "required": ["kind", "below"], "properties": {
        "kind": {"const": "node"}, "below": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    }});
    let original = json!({
        "type": "object", "properties": {"tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": {"oneOf": [leaf, node]}},
    });
    for id in ["openai", "anthropic", "groq", "mistral", "json-schema-2020-12"] {
        let conversion = converted(&original, id);
        assert!(conversion.report.is_lossless(), "{id}: {:?}", conversion.report);
        assert!(conversion.codec.is_identity(), "{id}");
        assert_eq!(conversion.schema, original, "{id}");
    }
}

#[test]
fn one_of_with_references_that_lose_something_becomes_any_of() {
    // OpenAI takes no lookaround. Without it `x1` is of both kinds, which `oneOf` would refuse.
    let original = json!({
        "type": "object",
        "properties": {"v": {"oneOf": [{"$ref": "#/$defs/not_x"}, {"$ref": "#/$defs/x"}]}},
        "$defs": {
            "not_x": {"type": ["string", "array"], "pattern": "^(?!x)", "items": {"$ref": "#/$defs/not_x"}},
            "x": {"type": ["string", "object"], "pattern": "^x", "additionalProperties": {"$ref": "#/$defs/x"}},
        },
    });
    let conversion = converted(&original, "openai");
    assert_eq!(conversion.report.worst(), Some(LossKind::Widened));
    assert_eq!(
        conversion.schema["properties"]["v"],
        json!({"anyOf": [{"$ref": "#/$defs/not_x"}, {"$ref": "#/$defs/x"}]}),
        "{:?}",
        conversion.report,
    );
    let sent = crate::support::schema(&conversion.schema);
    assert!(Validator::new(&sent).unwrap().is_valid(&json!({"v": "x1"})));
}

#[test]
fn listed_values_stay_what_they_are() {
    let refuses_a = json!({"a": false});
    let union = json!({"type": "object", "properties": {"v": {"anyOf": [
        {"const": "1", "properties": refuses_a}, {"enum": [false], "properties": refuses_a},
    ]}}});
    for id in Profile::builtin_ids() {
        let conversion = converted(&union, id);
        let sent = Validator::new(&crate::support::schema(&conversion.schema)).unwrap();
        for value in [json!({"v": "1"}), json!({"v": false})] {
            let encoded = conversion.codec.encode(value.clone());
            assert!(sent.is_valid(&encoded), "{id}: {encoded} by {}", conversion.schema);
            assert_eq!(conversion.codec.decode(encoded), value, "{id}");
        }
    }
    let never = json!({"type": "object", "properties": {"v": {"minItems": 2, "anyOf": [{"const": []}]}}});
    for id in Profile::builtin_ids() {
        let conversion = converted(&never, id);
        let shown = conversion.schema["properties"].get("v").map(ToString::to_string).unwrap_or_default();
        assert!(!shown.contains("[]"), "{id}: a list of two cannot be empty: {shown}");
    }
}
