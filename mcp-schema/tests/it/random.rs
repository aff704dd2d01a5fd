//! The laws on schemas nobody thought of.

use mcp_schema::{Limits, Profile, Schema, Validator, convert, lint, merge_all_of, resolve, upgrade};
use proptest::{prelude::*, test_runner::RngSeed};
use serde_json::{Map, Value, json};

use crate::{
    generate,
    laws::{Tally, check},
};

/// Property names that schemas and instances share, so that they meet.
const NAMES: [&str; 5] = ["a", "b", "c[0]", "$d", "e f"];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3_i64..12).prop_map(Value::from),
        Just(json!(1.5)),
        prop::sample::select(&["", "a", "abc", "1", "null", "{}", "[1]"][..]).prop_map(Value::from),
    ]
}

/// Any small JSON value.
fn instance() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| members.into_iter().collect::<Map<String, Value>>().into()),
        ]
    })
}

fn type_name() -> impl Strategy<Value = Value> {
    let names = ["string", "integer", "number", "boolean", "object", "array", "null"];
    prop_oneof![
        3 => prop::sample::select(names.to_vec()).prop_map(Value::from),
        1 => prop::sample::subsequence(names.to_vec(), 2..4).prop_map(|names| json!(names)),
    ]
}

/// One keyword that holds no schema.
fn plain_keyword() -> impl Strategy<Value = (String, Value)> {
    let bound = || (-2_i64..8).prop_map(Value::from);
    let count = || (0_u64..4).prop_map(Value::from);
    let pair =
        |word: &'static str, value: BoxedStrategy<Value>| value.prop_map(move |value| (word.to_owned(), value)).boxed();
    let names = || {
        prop::collection::vec(name(), 0..3).prop_map(|mut names| {
            names.sort();
            names.dedup();
            json!(names)
        })
    };
    prop_oneof![
        6 => pair("type", type_name().boxed()),
        1 => pair("enum", prop::collection::vec(scalar(), 1..4).prop_map(|mut values| { values.dedup(); Value::from(values) }).boxed()),
        1 => pair("const", instance().boxed()),
        1 => pair("minimum", bound().boxed()),
        1 => pair("exclusiveMaximum", bound().boxed()),
        1 => pair("multipleOf", (1_u64..4).prop_map(Value::from).boxed()),
        1 => pair("minLength", count().boxed()),
        1 => pair("pattern", prop::sample::select(&["^a", "c$", "^\\\\d+$", "^(?!x)"][..]).prop_map(Value::from).boxed()),
        1 => pair("maxItems", count().boxed()),
        1 => pair("minItems", count().boxed()),
        1 => pair("uniqueItems", Just(json!(true)).boxed()),
        1 => pair("minProperties", count().boxed()),
        2 => pair("required", names().boxed()),
        1 => pair("description", Just(json!("Text.")).boxed()),
        1 => pair("$ref", prop::sample::select(&["#", "#/$defs/one", "#/$defs/two", "#/$defs/none"][..]).prop_map(Value::from).boxed()),
    ]
}

/// A schema of a few keywords, with subschemas below them.
fn subschema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        8 => prop::collection::vec(plain_keyword(), 0..3).prop_map(object),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        (prop::collection::vec(plain_keyword(), 0..3), prop::collection::vec(applicator(inner), 1..3)).prop_map(
            |(mut plain, applicators)| {
                plain.extend(applicators);
                object(plain)
            },
        )
    })
}

fn object(keywords: Vec<(String, Value)>) -> Value {
    Value::Object(keywords.into_iter().collect())
}

/// One keyword that holds schemas.
fn applicator(inner: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = (String, Value)> {
    let list = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from);
    let map = || prop::collection::vec((name(), inner.clone()), 1..4).prop_map(object);
    let patterns = prop::collection::vec(
        (prop::sample::select(&["^a", "[a-c]"][..]).prop_map(str::to_owned), inner.clone()),
        1..2,
    )
    .prop_map(object);
    let with = |words: &'static [&'static str], value: BoxedStrategy<Value>| {
        (prop::sample::select(words), value).prop_map(|(word, value)| (word.to_owned(), value)).boxed()
    };
    prop_oneof![
        4 => with(&["properties"], map().boxed()),
        2 => with(&["allOf", "anyOf", "oneOf", "prefixItems"], list.boxed()),
        2 => with(&["items", "additionalProperties", "not", "contains", "propertyNames"], inner.clone().boxed()),
        1 => with(&["unevaluatedProperties", "unevaluatedItems"], prop_oneof![Just(json!(false)), inner.clone().boxed()].boxed()),
        1 => with(&["if", "then", "else"], inner.clone().boxed()),
        1 => with(&["dependentSchemas"], map().boxed()),
        1 => with(&["patternProperties"], patterns.boxed()),
    ]
}

/// A whole schema with two definitions.
fn whole() -> impl Strategy<Value = Value> {
    (subschema(), subschema(), subschema()).prop_map(|(root, one, two)| {
        let mut entries = root.as_object().cloned().unwrap_or_default();
        entries.insert("$defs".to_owned(), json!({ "one": one, "two": two }));
        Value::Object(entries)
    })
}

/// The library's verdict on the schema as generated, where it can give one without recursing for ever.
fn verdicts(schema: &Schema, extra: Vec<Value>) -> Option<Vec<(Value, bool)>> {
    let validator = Validator::new(schema).ok()?;
    let mut instances = generate::instances(&resolve(schema).schema);
    instances.truncate(12);
    instances.extend(extra);
    Some(
        instances
            .into_iter()
            .map(|value| {
                let is_valid = validator.is_valid(&value);
                (value, is_valid)
            })
            .collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::default() })]

    #[test]
    fn passes_keep_verdicts(original in whole(), extra in prop::collection::vec(instance(), 4)) {
        let schema = Schema::parse(original.clone(), Limits::default()).unwrap();
        let Some(instances) = verdicts(&schema, extra) else { return Ok(()) };
        for pass in [upgrade(&schema), resolve(&schema), merge_all_of(&schema)] {
            let again = Schema::parse(pass.schema.clone(), Limits::default()).unwrap();
            let Ok(validator) = Validator::new(&again) else { continue };
            for (instance, is_valid) in &instances {
                prop_assert_eq!(validator.is_valid(instance), *is_valid, "{} by {} from {}", instance, pass.schema, original);
            }
        }
    }

    #[test]
    fn conversions_keep_the_laws(original in whole(), extra in prop::collection::vec(instance(), 4), turn in 0_usize..16) {
        let mut tool = original;
        let inner = tool.as_object_mut().unwrap();
        let definitions = inner.remove("$defs").unwrap();
        let tool = json!({ "type": "object", "properties": { "v": inner }, "required": ["v"], "$defs": definitions });
        let schema = Schema::parse(tool, Limits::default()).unwrap();
        let extra = extra.into_iter().map(|value| json!({ "v": value })).collect();
        let Some(mut instances) = verdicts(&schema, extra) else { return Ok(()) };
        instances.retain(|(instance, _)| instance.is_object());
        let profile = Profile::builtin(Profile::builtin_ids()[turn]).unwrap();
        let mut tally = Tally { settles_later: true, ..Tally::default() };
        check(&mut tally, &schema, &profile, &instances);
        prop_assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
    }

    #[test]
    fn nothing_panics_on_json(value in instance(), turn in 0_usize..16) {
        let profile = Profile::builtin(Profile::builtin_ids()[turn]).unwrap();
        let findings = lint(&value, &profile);
        if let Ok(schema) = Schema::parse(value, Limits::default()) {
            let sent = convert(&schema, &profile).schema;
            prop_assert_eq!(lint(&sent, &profile), vec![]);
        } else {
            prop_assert!(!findings.is_empty());
        }
    }
}
