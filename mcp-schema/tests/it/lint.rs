//! Every rule of the lint, on a schema that breaks it and nothing else.

use mcp_schema::lint;
use serde_json::{Value, json};

use crate::support::profile;

/// A tool with one parameter `p`.
fn tool(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"p": schema}, "required": ["p"], "additionalProperties": false})
}

fn rules(schema: &Value, id: &str) -> Vec<(String, &'static str)> {
    lint(schema, &profile(id)).into_iter().map(|finding| (finding.pointer, finding.rule)).collect()
}

#[test]
fn each_rule_is_found_where_it_is_broken() {
    let cases: Vec<(&str, Value, &str)> = vec![
        ("openai-strict", json!({"type": "string", "oneOf": [{"type": "string"}]}), "keyword"),
        ("openai-strict", json!({"type": "string", "format": "uri"}), "format"),
        ("openai-strict", json!({"type": "string", "pattern": "^(?=a)"}), "lookaround"),
        ("openai-strict", json!({"type": "object", "properties": {}}), "closed"),
        (
            "openai-strict",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
            "required",
        ),
        ("openai-strict", json!({"type": "array"}), "items"),
        ("openai-strict", json!({}), "type"),
        ("openai-strict", json!({"$ref": "#/$defs/missing"}), "reference"),
        ("openai", json!({"type": "array"}), "items"),
        ("openai", json!({"type": "string", "pattern": "(?<!a)b"}), "lookaround"),
        ("anthropic-strict", json!({"type": "array", "minItems": 2}), "min-items"),
        ("anthropic-strict", json!({"enum": [{"a": 1}]}), "enum"),
        ("moonshot", json!({"type": ["string", "null"]}), "type-list"),
        ("moonshot", json!({"type": "string", "anyOf": [{"enum": ["a"]}]}), "union"),
        ("moonshot", json!({"enum": ["a", 1]}), "enum"),
        (
            "deepseek-strict",
            json!({"type": ["object", "null"], "properties": {}, "additionalProperties": false}),
            "type-list",
        ),
        ("llama-cpp", json!({"type": "string", "pattern": "abc"}), "anchored"),
        ("llama-cpp", json!({"type": "string", "pattern": "^\\d$"}), "classes"),
        ("llama-cpp", json!({"type": "string", "maxLength": 100_000}), "repetition"),
        ("xai", json!({"type": "object"}), "closed"),
        ("openai-strict", json!(true), "boolean-schema"),
    ];
    for (id, schema, rule) in cases {
        assert_eq!(rules(&tool(&schema), id), [("/properties/p".to_owned(), rule)], "{id}: {schema}");
    }
    let gemini = |schema: Value| json!({"type": "object", "properties": {"p": schema}});
    for (schema, rule) in [
        (json!({"type": "integer", "enum": [1]}), "enum"),
        (json!({"type": "string", "enum": [""]}), "empty"),
        (json!({"type": "null"}), "null"),
        (json!({"description": "No type."}), "type"),
    ] {
        assert_eq!(rules(&gemini(schema.clone()), "gemini"), [("/properties/p".to_owned(), rule)], "{schema}");
    }
}

#[test]
fn rules_about_the_root_and_the_whole() {
    let roots = [
        ("anthropic", json!({"type": "object", "anyOf": [{"required": ["a"]}]}), "root"),
        ("anthropic", json!({"type": "string"}), "root"),
        ("anthropic", json!({"type": "object", "properties": {"a b": {}}}), "key"),
        ("bedrock-nova", json!({"type": "object", "title": "T"}), "keyword"),
        ("gemini", json!({"type": "object", "required": ["a"]}), "required"),
    ];
    for (id, schema, rule) in roots {
        assert_eq!(rules(&schema, id), [(String::new(), rule)], "{id}: {schema}");
    }
    let invalid = tool(&json!({"minimum": 1, "exclusiveMinimum": true}));
    assert_eq!(rules(&invalid, "anthropic"), [("/properties/p/exclusiveMinimum".to_owned(), "invalid")]);
    let recursive = json!({"type": "object", "additionalProperties": false, "properties": {"n": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "object", "additionalProperties": false, "properties": {"n": {"$ref": "#/$defs/n"}}}}});
    assert_eq!(rules(&recursive, "anthropic-strict"), [("/$defs/n".to_owned(), "recursion")]);
    let deep = (0..12).fold(json!({"type": "string"}), |inner, _| {
        json!({"type": "object", "properties": {"a": inner}, "required": ["a"], "additionalProperties": false})
    });
    assert_eq!(rules(&deep, "openai-strict"), [(String::new(), "size")]);
}

#[test]
fn a_key_is_checked_where_the_provider_checks_it() {
    let nested =
        json!({"type": "object", "properties": {"p": {"type": "object", "properties": {"a b": {"type": "string"}}}}});
    assert_eq!(rules(&nested, "anthropic"), []);
    assert_eq!(rules(&nested, "gemini"), [("/properties/p".to_owned(), "key")]);
}

#[test]
fn every_answer_of_a_provider_belongs_to_a_rule() {
    let known = [
        "root",
        "keyword",
        "type",
        "type-list",
        "boolean-schema",
        "null",
        "enum",
        "empty",
        "format",
        "lookaround",
        "anchored",
        "classes",
        "repetition",
        "union",
        "items",
        "min-items",
        "closed",
        "properties",
        "required",
        "key",
        "reference",
        "siblings",
        "recursion",
        "size",
        "invalid",
    ];
    for id in mcp_schema::Profile::builtin_ids() {
        for rule in profile(id).errors.keys() {
            assert!(known.contains(&rule.as_str()), "{id} answers to `{rule}`, which is no rule");
        }
    }
}
