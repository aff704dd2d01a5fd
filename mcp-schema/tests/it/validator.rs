//! Validation and coercion.

use mcp_schema::{Error, Validator};
use serde_json::{Value, json};

use crate::support::schema;

fn violations(original: &Value, instance: &Value) -> Vec<String> {
    let found = Validator::new(&schema(original)).unwrap().validate(instance);
    found.err().into_iter().flatten().map(|violation| violation.to_string()).collect()
}

#[test]
fn violations_say_where_what_and_how() {
    let original = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "kind": {"enum": ["a", "b"]},
            "who": {"anyOf": [{"type": "object", "required": ["name"]}, {"type": "null"}]},
        },
        "required": ["n"],
        "additionalProperties": false,
    });
    assert_eq!(violations(&original, &json!({"n": 0})), ["/n: expected at least 1, got 0"]);
    assert_eq!(violations(&original, &json!({})), [r#"the arguments: expected the property "n", got none"#]);
    assert_eq!(violations(&original, &json!({"n": 1, "kind": "c"})), [r#"/kind: expected one of "a", "b", got "c""#]);
    assert_eq!(violations(&original, &json!({"n": 1, "x": 2})), ["/x: expected no property of this name, got 2"]);
    assert_eq!(violations(&original, &json!({"n": 1, "who": {}})), [r#"/who: expected the property "name", got none"#]);
    assert_eq!(violations(&original, &json!({"n": 1, "who": 5})), ["/who: expected object, or null, got 5"]);
    assert_eq!(violations(&original, &json!({"n": 1})), Vec::<String>::new());
}

#[test]
fn strings_are_coerced_only_where_the_schema_leaves_no_doubt() {
    let original = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer"}, "b": {"type": "boolean"}, "s": {"type": "string"},
            "either": {"type": ["string", "integer"]},
            "o": {"anyOf": [{"$ref": "#/$defs/o"}, {"type": "null"}]},
            "list": {"type": "array", "items": {"type": "number"}},
            "size": {"enum": [1, 2]},
        },
        "$defs": {"o": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
    });
    let validator = Validator::new(&schema(&original)).unwrap();
    let cases = [
        (json!({"n": "30"}), json!({"n": 30})),
        (json!({"n": "3.5"}), json!({"n": "3.5"})),
        (json!({"b": "true"}), json!({"b": true})),
        (json!({"s": 5, "n": "1"}), json!({"s": 5, "n": 1})),
        (json!({"n": "1", "s": "2", "either": "3"}), json!({"n": 1, "s": "2", "either": "3"})),
        (json!({"o": "{\"x\": \"4\"}"}), json!({"o": {"x": 4}})),
        (json!({"o": "null"}), json!({"o": null})),
        (json!({"list": ["1", 2, "x"]}), json!({"list": [1, 2, "x"]})),
        (json!({"size": "2"}), json!({"size": 2})),
        (json!("{\"n\": 1}"), json!({"n": 1})),
    ];
    for (sent, expected) in cases {
        assert_eq!(validator.coerce(sent.clone()), expected, "{sent}");
    }
}

#[test]
fn a_schema_that_leads_out_is_no_basis_for_validation() {
    let error = Validator::new(&schema(&json!({"$ref": "https://canary.example/x"}))).unwrap_err();
    assert!(matches!(error, Error::ExternalReference { reference, .. } if reference == "https://canary.example/x"));
}
