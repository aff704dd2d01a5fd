//! The passes used alone.

use mcp_schema::{Error, Limits, Schema, merge_all_of, resolve, upgrade};
use serde_json::{Value, json};

use crate::support::schema;

fn merged(value: &Value) -> Value {
    merge_all_of(&schema(value)).schema
}

#[test]
fn references_are_written_out() {
    let cases = [
        (json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}), json!({"type": "string"})),
        // Percent-decoding comes before the decoding of `~1` and `~0`; a `/` that should have been escaped is found.
        (json!({"$ref": "#/$defs/x%2Fy~1z~0", "$defs": {"x/y/z~": {"type": "null"}}}), json!({"type": "null"})),
        (json!({"$ref": "#/$defs/a%20b~1c~0", "$defs": {"a b/c~": {"type": "null"}}}), json!({"type": "null"})),
        (json!({"$ref": "#there", "$defs": {"a": {"$anchor": "there", "minimum": 1}}}), json!({"minimum": 1})),
        (
            json!({"$id": "https://x.example/a", "$ref": "b#/$defs/c",
                   "$defs": {"b": {"$id": "b", "$defs": {"c": {"maxLength": 3}}}}}),
            json!({"maxLength": 3}),
        ),
        // The description beside a reference is about this use of it.
        (
            json!({"properties": {"a": {"$ref": "#/$defs/a", "description": "mine"}},
                   "$defs": {"a": {"type": "string", "description": "theirs"}}}),
            json!({"properties": {"a": {"type": "string", "description": "mine"}}}),
        ),
        // A reference to a place that is no definition.
        (
            json!({"properties": {"a": {"items": {"type": "integer"}}, "b": {"$ref": "#/properties/a/items"}}}),
            json!({"properties": {"a": {"items": {"type": "integer"}}, "b": {"type": "integer"}}}),
        ),
        // A property that is called `$ref`, and a constant that looks like a reference.
        (
            json!({"properties": {"$ref": {"type": "string"}}, "const": {"$ref": "#/nowhere"}}),
            json!({"properties": {"$ref": {"type": "string"}}, "const": {"$ref": "#/nowhere"}}),
        ),
    ];
    for (original, expected) in cases {
        assert_eq!(resolve(&schema(&original)).schema, expected, "{original}");
    }
}

#[test]
fn all_of_is_an_intersection() {
    let cases = [
        (
            json!({"type": ["integer", "string"], "allOf": [{"type": "number", "minimum": 1}, {"minimum": 3}]}),
            json!({"type": "integer", "minimum": 3}),
        ),
        (json!({"enum": [1, 2, 3], "allOf": [{"enum": [3.0, 2, "a"]}]}), json!({"enum": [2, 3]})),
        (json!({"multipleOf": 4, "allOf": [{"multipleOf": 6}]}), json!({"multipleOf": 12})),
        // A closed branch forbids what only the other branch names.
        (
            json!({"properties": {"a": {"type": "string"}}, "allOf": [{"properties": {"b": {}}, "additionalProperties": false}]}),
            json!({"properties": {"a": false, "b": {}}, "additionalProperties": false}),
        ),
        (json!({"type": "string", "allOf": [{"type": "object"}]}), json!(false)),
        (
            json!({"not": {"const": 1}, "allOf": [{"not": {"const": 2}}]}),
            json!({"not": {"anyOf": [{"const": 1}, {"const": 2}]}}),
        ),
    ];
    for (original, expected) in cases {
        assert_eq!(merged(&original), expected, "{original}");
    }
}

#[test]
fn recursion_stays_a_reference() {
    let original = json!({"$ref": "#/definitions/N", "definitions": {"N": {"properties": {"kids": {"items": {"$ref": "#/definitions/N"}}}}}});
    let expected =
        json!({"$ref": "#/$defs/N", "$defs": {"N": {"properties": {"kids": {"items": {"$ref": "#/$defs/N"}}}}}});
    assert_eq!(resolve(&schema(&original)).schema, expected);
}

#[test]
fn dialects_are_told_apart() {
    let draft_7 = json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "minimum": 9,
                         "definitions": {"a": {"type": "integer"}}});
    assert_eq!(resolve(&schema(&draft_7)).schema, json!({"type": "integer"}));
    let draft_4 = json!({"$schema": "http://json-schema.org/draft-04/schema#", "dependencies": {"a": ["b"], "c": {"required": ["d"]}}});
    let expected = json!({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}});
    assert_eq!(upgrade(&schema(&draft_4)).schema, expected);
    let unknown = Schema::parse(json!({"$schema": "https://example.com/mine"}), Limits::default());
    assert!(matches!(unknown, Err(Error::UnsupportedDialect { uri }) if uri == "https://example.com/mine"));
}

#[test]
fn nothing_is_fetched() {
    let parsed = schema(&json!({"properties": {"a": {"$ref": "https://canary.example/a.json"}}}));
    assert_eq!(parsed.external_reference(), Some(("/properties/a", "https://canary.example/a.json")));
    assert_eq!(resolve(&parsed).schema, json!({"properties": {"a": {}}}));
}
