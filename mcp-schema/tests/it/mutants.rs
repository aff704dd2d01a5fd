//! Converters as others have written them must fail the laws: a law that they pass proves nothing.

use mcp_schema::{Codec, Conversion, Report, Schema, convert};
use serde_json::{Map, Value, json};

use crate::{
    laws::{Tally, judge},
    support::{profile, schema},
};

/// A schema, arguments it accepts, and arguments it refuses.
fn fixtures() -> Vec<(Value, Vec<Value>, Vec<Value>)> {
    vec![
        (
            json!({"type": "object", "properties": {"id": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}),
            vec![json!({"id": 1}), json!({"id": "a"})],
            vec![json!({"id": true})],
        ),
        (
            json!({"type": "object", "allOf": [
                {"properties": {"n": {"type": "integer", "minimum": 5}}, "required": ["n"]},
                {"properties": {"n": {"maximum": 9}, "m": {"type": "string"}}, "required": ["m"]},
            ]}),
            vec![json!({"n": 7, "m": "x"})],
            vec![json!({"m": "x"}), json!({"n": 1, "m": "x"}), json!({"n": 7})],
        ),
        (
            json!({"type": "object", "properties": {"s": {"$ref": "#/$defs/s", "minLength": 5}},
                   "$defs": {"s": {"type": "string", "minLength": 2}}}),
            vec![json!({"s": "abcdef"})],
            vec![json!({"s": "abc"}), json!({"s": "a"})],
        ),
        (
            json!({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "integer"}}, "deep": {
                "type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}}),
            vec![json!({"list": [1, 2]}), json!({"deep": {"x": 1}})],
            vec![json!({"list": ["a"]}), json!({"deep": {}})],
        ),
    ]
}

/// A rule that changes one schema, given the whole.
type Rule = fn(&mut Map<String, Value>, &Value);

/// Applies a naive rule everywhere.
fn everywhere(value: &Value, rule: Rule, root: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut changed: Map<String, Value> =
                entries.iter().map(|(key, entry)| (key.clone(), everywhere(entry, rule, root))).collect();
            rule(&mut changed, root);
            Value::Object(changed)
        }
        Value::Array(items) => items.iter().map(|item| everywhere(item, rule, root)).collect(),
        other => other.clone(),
    }
}

fn first_branch(schema: &mut Map<String, Value>, _root: &Value) {
    if let Some(Value::Array(branches)) = schema.remove("anyOf")
        && let Some(Value::Object(first)) = branches.into_iter().next()
    {
        schema.extend(first);
    }
}

fn last_wins(schema: &mut Map<String, Value>, _root: &Value) {
    if let Some(Value::Array(branches)) = schema.remove("allOf") {
        for branch in branches {
            schema.extend(branch.as_object().cloned().unwrap_or_default());
        }
    }
}

fn target_wins(schema: &mut Map<String, Value>, root: &Value) {
    if let Some(Value::String(reference)) = schema.remove("$ref") {
        let target = root.pointer(reference.trim_start_matches('#')).and_then(Value::as_object);
        schema.extend(target.cloned().unwrap_or_default());
    }
}

fn only_strings(schema: &mut Map<String, Value>, _root: &Value) {
    let is_scalar = |name: &Value| name == "number" || name == "integer" || name == "boolean";
    let is_kept = schema.get("type").is_none_or(is_scalar) || schema.contains_key("properties");
    if !is_kept {
        schema.retain(|word, _| word == "description");
        schema.insert("type".to_owned(), json!("string"));
    }
}

/// Keeps `description`, `type` and `enum` of the properties at the root, and nothing else.
fn flat(original: &Value) -> Value {
    let properties: Map<String, Value> = original["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let kept = schema.as_object().into_iter().flatten();
            let kept = kept.filter(|(word, _)| matches!(word.as_str(), "description" | "type" | "enum"));
            (name.clone(), Value::Object(kept.map(|(word, value)| (word.clone(), value.clone())).collect()))
        })
        .collect();
    json!({ "type": "object", "properties": properties })
}

/// The failures of one converter over all fixtures.
fn failures(converter: &dyn Fn(&Schema) -> Conversion) -> Vec<String> {
    let mut tally = Tally::default();
    let plain = profile("json-schema-2020-12");
    for (original, valid, invalid) in fixtures() {
        let schema = schema(&original);
        let valid = valid.into_iter().map(|instance| (instance, true));
        let instances: Vec<(Value, bool)> =
            valid.chain(invalid.into_iter().map(|instance| (instance, false))).collect();
        judge(&mut tally, &schema, &plain, &converter(&schema), &instances);
    }
    tally.failures
}

#[test]
fn naive_converters_break_the_laws_and_ours_does_not() {
    // They report nothing, which claims that nothing was lost.
    let naive = |schema: Value| Conversion {
        schema,
        codec: Codec::default(),
        report: Report::default(),
        profile: "naive".to_owned(),
    };
    let rules: [(&str, Rule); 4] = [
        ("the first branch of anyOf", first_branch),
        ("the last branch of allOf wins", last_wins),
        ("the target of $ref wins", target_wins),
        ("everything is a string", only_strings),
    ];
    for (name, rule) in rules {
        let found = failures(&|schema| naive(everywhere(schema.original(), rule, schema.original())));
        assert!(!found.is_empty(), "`{name}` passes all laws");
    }
    assert!(!failures(&|schema| naive(flat(schema.original()))).is_empty(), "`flat` passes all laws");
    let ours = failures(&|schema| convert(schema, &profile("json-schema-2020-12")));
    assert_eq!(ours, Vec::<String>::new());
    for id in ["anthropic", "gemini", "openai", "openai-strict", "moonshot"] {
        let ours = failures(&|schema| convert(schema, &profile(id)));
        assert_eq!(ours, Vec::<String>::new(), "{id}");
    }
}
