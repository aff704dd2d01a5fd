use serde_json::json;

use super::*;

#[test]
fn defaults_are_those_that_their_fields_accept() {
    let cases = [
        (json!({}), json!({})),
        (json!(7), json!({})),
        (json!({"properties": []}), json!({})),
        (json!({"properties": {"a": true, "b": 7, "c": null}}), json!({})),
        (json!({"properties": {"a": {"default": "x"}}}), json!({"a": "x"})),
        (json!({"properties": {"a": {"type": "string", "default": 1}}}), json!({})),
        (json!({"properties": {"a": {"type": "boolean", "default": false}}}), json!({"a": false})),
        (json!({"properties": {"a": {"type": "number", "default": 95.5}}}), json!({"a": 95.5})),
        (json!({"properties": {"a": {"type": "string", "enum": ["x", "y"], "default": "z"}}}), json!({})),
        (
            json!({"properties": {"a": {"type": "array", "items": {"enum": ["x", "y"]}, "default": ["y"]}}}),
            json!({"a": ["y"]}),
        ),
    ];
    for (schema, expected) in cases {
        let raw = RawValue::from_string(schema.to_string()).expect("it is JSON");
        assert_eq!(Value::Object(form_defaults(&raw)), expected, "{schema}");
    }
}

#[test]
fn defaults_keep_the_order_of_the_form() {
    let text = r#"{"properties": {"z": {"default": 1}, "a": {"default": 2}, "m": {"default": 3}}}"#;
    let raw = RawValue::from_string(text.to_owned()).expect("it is JSON");
    let names: Vec<String> = form_defaults(&raw).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["z", "a", "m"]);
}
