use serde_json::json;
use serde_json::value::to_raw_value;

use super::{ToolHeaders, header_value};

#[test]
fn annotated_arguments_become_headers() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "Number"}}},
        "flag": {"type": "boolean", "x-mcp-header": "Flag"},
        "plain": {"type": "string"},
    }});
    let headers = ToolHeaders::parse(&to_raw_value(&schema).expect("JSON")).expect("valid annotations");
    let check = |arguments: serde_json::Value, expected: &[(&str, &str)]| {
        let got = headers.for_arguments(Some(&to_raw_value(&arguments).expect("JSON")));
        let got: Vec<_> = got.iter().map(|(name, value)| (name.as_str(), value.to_str().expect("ASCII"))).collect();
        assert_eq!(got, expected, "{arguments}");
    };
    check(json!({"plain": "x"}), &[]);
    check(json!({"region": null, "deep": 3}), &[]);
    check(
        json!({"region": "eu", "deep": {"n": 7}, "flag": true}),
        &[("mcp-param-region", "eu"), ("mcp-param-number", "7"), ("mcp-param-flag", "true")],
    );
    check(json!({"region": "é"}), &[("mcp-param-region", "=?base64?w6k=?=")]);
    assert!(headers.for_arguments(None).is_empty());
}

#[test]
fn values_that_would_not_survive_are_wrapped() {
    for (text, expected) in [
        ("plain text", "plain text"),
        ("", ""),
        (" lead", "=?base64?IGxlYWQ=?="),
        ("a\nb", "=?base64?YQpi?="),
        ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
    ] {
        assert_eq!(header_value(text).expect("a value").to_str().expect("ASCII"), expected, "{text:?}");
    }
}

#[test]
fn invalid_annotations_say_where() {
    let check = |schema: serde_json::Value, expected: &str| {
        let error = ToolHeaders::parse(&to_raw_value(&schema).expect("JSON")).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    };
    let property = |property: serde_json::Value| json!({"properties": {"p": property}});
    check(property(json!({"type": "string", "x-mcp-header": ""})), "property `p`: `x-mcp-header` must not be empty");
    check(property(json!({"type": "string", "x-mcp-header": 1})), "must be a string");
    check(property(json!({"type": "number", "x-mcp-header": "N"})), "needs type string, integer or boolean");
    check(property(json!({"type": "string", "x-mcp-header": "a b"})), "no HTTP token");
    check(json!({"x-mcp-header": "N"}), "not the whole schema");
    check(json!({"$defs": {"d": {"type": "string", "x-mcp-header": "N"}}}), "through `properties` alone");
    check(
        json!({"properties": {"a": {"items": {"type": "string", "x-mcp-header": "N"}}}}),
        "through `properties` alone",
    );
    check(
        json!({"properties": {"a": {"type": "string", "x-mcp-header": "N"}, "b": {"type": "string", "x-mcp-header": "n"}}}),
        "used twice",
    );
}

#[test]
fn data_that_looks_like_an_annotation_is_data() {
    let schema = json!({"properties": {"p": {"default": {"x-mcp-header": 1}}}});
    assert!(ToolHeaders::parse(&to_raw_value(&schema).expect("JSON")).expect("valid").is_empty());
}
