//! Parameters as a search index sees them.

use mcp_schema::parameters;
use serde_json::{Value, json};

use crate::support::schema;

fn check(original: &Value, expected: &[&str]) {
    let shown: Vec<String> = parameters(&schema(original))
        .into_iter()
        .map(|parameter| {
            format!("{}{}: {}", parameter.name, if parameter.required { "" } else { "?" }, parameter.type_)
        })
        .collect();
    assert_eq!(shown, expected, "{original}");
}

#[test]
fn types_are_readable() {
    check(
        &json!({
            "type": "object",
            "properties": {
                "a": {"type": ["string", "null"]},
                "b": {"enum": ["x", 1]},
                "c": {"type": "array", "items": {"type": ["string", "integer"]}},
                "d": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/n"}]},
                "e": {},
                "f": {"const": "only"},
                "g": true,
                "h": {"enum": []},
            },
            "required": ["a", "d"],
            "$defs": {"n": {"type": "number"}},
        }),
        &[
            "a: string|null",
            "b?: \"x\"|1",
            "c?: (string|integer)[]",
            "d: string|number",
            "e?: any",
            "f?: \"only\"",
            "g?: any",
            "h?: never",
        ],
    );
}

#[test]
fn all_of_references_and_unions_are_looked_through() {
    check(
        &json!({
            "allOf": [{"$ref": "#/$defs/page"}, {"properties": {"q": {"type": "string"}}, "required": ["q"]}],
            "oneOf": [{"properties": {"x": {"type": "string"}}, "required": ["x", "page"]}, {"required": ["page"]}],
            "$defs": {"page": {"properties": {"page": {"type": "integer"}}}},
        }),
        &["page: integer", "q: string", "x?: string"],
    );
    check(
        &json!({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/t"}}}}}}),
        &["kids?: object[]"],
    );
}
