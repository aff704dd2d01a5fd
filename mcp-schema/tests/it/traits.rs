//! What a user of the types may rely on.

use mcp_schema::{
    Batch, Codec, Conversion, Error, Finding, Limits, Loss, Parameter, Pass, Profile, Report, Schema, Validator,
    Violation,
};
use serde_json::json;

use crate::support::{converted, profile, schema};

#[test]
fn everything_can_be_sent_and_shared() {
    fn check<T: Send + Sync + std::fmt::Debug>() {}
    check::<Batch>();
    check::<Codec>();
    check::<Conversion>();
    check::<Error>();
    check::<Finding>();
    check::<Limits>();
    check::<Loss>();
    check::<Parameter>();
    check::<Pass>();
    check::<Profile>();
    check::<Report>();
    check::<Schema>();
    check::<Validator>();
    check::<Violation>();
}

#[test]
fn the_original_is_kept_verbatim() {
    let original = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "x-odd": [1, {"$ref": "#/none"}],
                          "definitions": {"unused": {"type": "any"}}, "properties": {"b": {}, "a": {"$ref": "#/definitions/unused"}}});
    let parsed = schema(&original);
    drop(converted(&original, "gemini"));
    assert_eq!(parsed.original().to_string(), original.to_string());
}

#[test]
fn reports_and_findings_serialize_for_a_command_line() {
    let original = json!({"type": "object", "properties": {"u": {"type": "string", "format": "uri"}}});
    let conversion = serde_json::to_value(converted(&original, "gemini")).unwrap();
    assert_eq!(
        conversion["report"]["losses"][0],
        json!({
            "kind": "widened", "pointer": "/properties/u", "keyword": "format", "reason": "the format is not accepted",
        })
    );
    let findings = serde_json::to_value(mcp_schema::lint(&original, &profile("gemini"))).unwrap();
    assert_eq!(findings[0]["rule"], "format");
}

#[test]
fn a_profile_of_ones_own_is_read_strictly() {
    let text = serde_json::to_string(&profile("openai-strict")).unwrap();
    assert_eq!(Profile::from_json(&text).unwrap(), profile("openai-strict"));
    let misspelt = r#"{"id": "x", "title": "x", "dated": "2026-11-30", "objekts": {}}"#;
    assert!(Profile::from_json(misspelt).unwrap_err().to_string().contains("objekts"));
    assert!(Profile::builtin("no such provider").is_none());
}

#[test]
fn property_order_is_kept() {
    let original = json!({"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}, "m": {"type": "string"}}});
    for id in Profile::builtin_ids() {
        let sent = converted(&original, id).schema;
        let names: Vec<&String> = sent["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["z", "a", "m"], "{id}");
    }
}

#[test]
fn a_narrowed_strict_conversion_falls_back() {
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let conversion = mcp_schema::convert_or_fall_back(&schema(&open), &profile("openai-strict"), Profile::builtin);
    assert_eq!((conversion.profile.as_str(), conversion.schema), ("openai", open));
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    let conversion = mcp_schema::convert_or_fall_back(&schema(&closed), &profile("openai-strict"), Profile::builtin);
    assert_eq!(conversion.profile, "openai-strict");
}
