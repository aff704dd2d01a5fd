//! `x-mcp-header` on parameters.

use mcp_schema::x_mcp_headers;
use serde_json::{Value, json};

fn problems(schema: &Value) -> Vec<String> {
    let found = x_mcp_headers(schema).err().unwrap_or_default();
    found.into_iter().map(|problem| format!("{}: {}", problem.pointer, problem.message)).collect()
}

#[test]
fn nested_parameters_are_found_with_their_path() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "object", "properties": {"b": {"type": "integer", "x-mcp-header": "Shard"}}},
        "x-mcp-header": {"type": "string"},
    }});
    let headers = x_mcp_headers(&schema).unwrap();
    assert_eq!(headers.len(), 1);
    assert_eq!(headers[0].header, "Shard");
    assert_eq!(headers[0].path, ["a", "b"]);
}

#[test]
fn what_breaks_a_rule_is_named() {
    let on = |schema: Value| json!({"type": "object", "properties": {"p": schema}});
    let cases = [
        (on(json!({"type": "number", "x-mcp-header": "N"})), "must stand on a string, an integer or a boolean"),
        (on(json!({"type": ["string", "null"], "x-mcp-header": "N"})), "must stand on"),
        (on(json!({"type": "string", "x-mcp-header": "with space"})), "the name of an HTTP header"),
        (on(json!({"type": "string", "x-mcp-header": ""})), "the name of an HTTP header"),
        (on(json!({"items": {"type": "string", "x-mcp-header": "N"}})), "reached by `properties` alone"),
        (on(json!({"anyOf": [{"type": "string", "x-mcp-header": "N"}]})), "reached by `properties` alone"),
        (json!({"$defs": {"d": {"type": "string", "x-mcp-header": "N"}}}), "reached by `properties` alone"),
        (
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "One"}, "b": {"type": "string", "x-mcp-header": "ONE"}}}),
            "is used at `/properties/a` already",
        ),
    ];
    for (schema, expected) in cases {
        let found = problems(&schema);
        assert_eq!(found.len(), 1, "{schema}: {found:?}");
        assert!(found[0].contains(expected), "{schema}: {found:?}");
    }
}
