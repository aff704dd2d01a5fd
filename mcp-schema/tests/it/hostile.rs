//! Schemas that were made, or happened, to hurt whoever reads them.
//!
//! Tests run on threads with 2 MiB of stack, which is also what an async runtime gives its workers: a recursion that a
//! schema could drive would abort the whole run. Sizes are checked here, times by `cargo bench`.

use mcp_schema::{
    Error, Limits, Profile, Schema, Validator, convert, lint, merge_all_of, parameters, resolve, upgrade,
};
use serde_json::{Map, Value, json};

/// Bytes that any conversion of a hostile schema may take.
const LARGEST_OUTPUT: usize = 4 * 1024 * 1024;

/// A closed one that keeps recursion, an open one that unrolls it, a closed one that unrolls it, and one that keeps all.
const PROFILES: [&str; 4] = ["openai-strict", "gemini", "anthropic-strict", "json-schema-2020-12"];

/// Runs everything on a schema; what comes out must be small, and either usable or refused by a typed error.
fn survive(name: &str, schema: &Value) {
    let schema = match Schema::parse(schema.clone(), Limits::default()) {
        Ok(schema) => schema,
        Err(error) => {
            assert!(matches!(error, Error::TooLarge { .. }), "{name}: {error}");
            return;
        }
    };
    for pass in [upgrade(&schema), resolve(&schema), merge_all_of(&schema)] {
        assert!(pass.schema.to_string().len() < LARGEST_OUTPUT, "{name}");
    }
    assert!(parameters(&schema).len() <= 50_000, "{name}");
    for id in PROFILES {
        let profile = Profile::builtin(id).unwrap();
        let conversion = convert(&schema, &profile);
        assert!(conversion.schema.to_string().len() < LARGEST_OUTPUT, "{name}: {id}");
        assert_eq!(conversion.schema["type"], "object", "{name}: {id}");
        let too_large = |finding: &mcp_schema::Finding| finding.rule == "size";
        let findings = lint(&conversion.schema, &profile);
        assert!(findings.iter().all(too_large), "{name}: {id}: {findings:?}");
        for instance in instances() {
            let decoded = conversion.codec.decode(instance.clone());
            assert!(decoded.is_object(), "{name}: {id}");
            assert!(conversion.codec.encode(instance).is_object(), "{name}: {id}");
        }
    }
    match Validator::new(&schema) {
        Ok(validator) => {
            for instance in instances() {
                assert_eq!(validator.validate(&instance).is_ok(), validator.is_valid(&instance), "{name}");
                assert!(validator.coerce(instance).is_object(), "{name}");
            }
            assert!(validator.coerce(json!("{}")).is_object() || validator.coerce(json!("{}")).is_string(), "{name}");
        }
        Err(error) => assert!(matches!(error, Error::TooLarge { .. } | Error::Invalid { .. }), "{name}: {error}"),
    }
}

/// A small value, a deep one, and one whose every level doubles.
fn instances() -> [Value; 3] {
    let deep = (0..100).fold(json!("5"), |inner, _| json!({ "a": inner, "b": 1 }));
    let bushy = (0..7).fold(json!("5"), |inner, _| json!({ "a": [inner, 1], "b": inner }));
    [json!({"x": {"a": [1, null]}, "next": {"next": {}}}), json!({ "x": deep }), json!({ "x": bushy })]
}

fn with_definitions(count: usize, body: impl Fn(usize) -> Value) -> Value {
    let definitions: Map<String, Value> = (0..count).map(|index| (format!("d{index}"), body(index))).collect();
    json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
}

fn reference(index: usize) -> Value {
    json!({ "$ref": format!("#/$defs/d{index}") })
}

#[test]
fn long_chains_of_references() {
    survive("aliases", &with_definitions(3_000, |index| if index == 2_999 { json!({}) } else { reference(index + 1) }));
    let nested = |index| json!({ "properties": { "a": reference(index + 1) } });
    survive("properties", &with_definitions(1_000, nested));
    let stacked = |index| json!({ "minLength": index, "allOf": [reference(index + 1)] });
    survive("allOf", &with_definitions(1_000, stacked));
    survive(
        "siblings",
        &with_definitions(1_000, |index| json!({ "$ref": format!("#/$defs/d{}", index + 1), "minLength": 1 })),
    );
}

#[test]
fn fans_of_references() {
    let fan = |index: usize| json!({ "properties": { "a": reference(index + 1), "b": reference(index + 1) } });
    for levels in [18, 40] {
        survive("fan", &with_definitions(levels, fan));
    }
    let unions = |index: usize| json!({ "anyOf": [reference(index + 1), { "items": reference(index + 1) }] });
    survive("unions", &with_definitions(16, unions));
    let conjunctions =
        |index: usize| json!({ "allOf": [reference(index + 1), { "properties": { "a": reference(index + 1) } }] });
    survive("conjunctions", &with_definitions(40, conjunctions));
}

#[test]
fn steps_that_double_with_every_level() {
    let conjunctions = |index: usize| json!({ "allOf": [reference(index + 1), reference(index + 1)] });
    survive("conjunctions", &with_definitions(40, conjunctions));
    let overlap = |index: usize| {
        json!({ "allOf": [{ "properties": { "a": reference(index + 1) } },
                          { "properties": { "a": reference(index + 1), "b": reference(index + 1) } }] })
    };
    survive("overlapping properties", &with_definitions(40, overlap));
    let overlap = |_: usize| {
        json!({ "anyOf": [{ "properties": { "a": reference(0) } }, { "additionalProperties": reference(0), "minProperties": 9 }],
                "not": { "properties": { "a": reference(0) }, "required": ["c"] } })
    };
    survive("overlapping recursion", &with_definitions(1, overlap));
    let conditions = |index: usize| json!({ "if": reference(index + 1), "then": reference(index + 1), "else": false });
    survive("conditions", &with_definitions(40, conditions));
    let unevaluated =
        |inner: Value| json!({ "anyOf": [inner, { "minProperties": 1 }], "unevaluatedProperties": false });
    let nested = (0..40).fold(json!({ "properties": { "a": {} } }), |inner, _| unevaluated(inner));
    survive("unevaluated", &json!({ "type": "object", "properties": { "x": nested } }));
}

#[test]
fn a_chain_of_references_for_every_level_of_the_value() {
    for chain in [20, 60, 90] {
        let link = |index: usize| {
            if index + 1 < chain {
                json!({ "minProperties": 0, "allOf": [reference(index + 1), { "maxProperties": 9 }] })
            } else {
                json!({ "properties": { "a": reference(0) } })
            }
        };
        survive("chain", &with_definitions(chain, link));
    }
}

#[test]
fn recursion_in_every_form() {
    survive("root", &json!({ "$ref": "#" }));
    survive("root in place", &json!({ "type": "object", "allOf": [{ "$ref": "#" }] }));
    survive("pair", &with_definitions(2, |index| reference(1 - index)));
    survive("union of itself", &with_definitions(1, |_| json!({ "anyOf": [reference(0), { "type": "string" }] })));
    survive("negation of itself", &with_definitions(1, |_| json!({ "not": reference(0) })));
    let many = |index: usize| {
        let properties: Map<String, Value> =
            (0..50).map(|other| (format!("p{other}"), reference((index + other) % 50))).collect();
        json!({ "type": "object", "properties": properties, "required": ["p1", "p2"] })
    };
    survive("everything refers to everything", &with_definitions(50, many));
    let products =
        |index: usize| json!({ "properties": { "a": { "allOf": [reference(index), reference(1 - index)] } } });
    survive("product of two recursions", &with_definitions(2, products));
    let nested = json!({ "type": "object", "properties": { "next": { "$ref": "#" } }, "required": ["next"] });
    survive("required recursion", &nested);
}

#[test]
fn a_duplicated_id_with_a_dynamic_reference() {
    survive(
        "duplicated id",
        &json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { "x": { "$ref": "https://x.example/same" } },
            "$defs": {
                "a": { "$id": "https://x.example/same", "$dynamicAnchor": "n", "properties": { "a": { "$dynamicRef": "#n" } } },
                "b": { "$id": "https://x.example/same", "$dynamicAnchor": "n", "items": { "$dynamicRef": "#n" } },
            },
        }),
    );
}

#[test]
fn too_much_of_everything() {
    let long = "x".repeat(10 * 1024 * 1024);
    let error = Schema::parse(json!({ "description": long }), Limits::default()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { what: "bytes", .. }));
    let wide: Vec<Value> = vec![json!(1); 200_000];
    let error = Schema::parse(json!({ "enum": wide }), Limits::default()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { what: "JSON values", .. }));
    let wrap = |inner: Value| Value::Object(Map::from_iter([("not".to_owned(), inner)]));
    let deep = (0..1_000).fold(json!({}), |inner, _| wrap(inner));
    let error = Schema::parse(deep, Limits::default()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { what: "nesting levels", .. }));
}

#[test]
fn depth_that_the_limits_allow() {
    let nest =
        |levels: usize, wrap: fn(Value) -> Value| (0..levels).fold(json!({ "type": "string" }), |inner, _| wrap(inner));
    let whole = |inner: Value| json!({ "type": "object", "properties": { "x": inner } });
    survive("properties", &whole(nest(60, |inner| json!({ "type": "object", "properties": { "a": inner } }))));
    survive("items", &whole(nest(120, |inner| json!({ "items": inner }))));
    survive("anyOf", &whole(nest(60, |inner| json!({ "anyOf": [inner, { "type": "null" }] }))));
    survive("oneOf", &whole(nest(60, |inner| json!({ "oneOf": [inner, { "minLength": 3 }] }))));
    survive("allOf", &whole(nest(60, |inner| json!({ "allOf": [inner, { "minLength": 3 }] }))));
    survive("not", &whole(nest(120, |inner| json!({ "not": inner }))));
}

#[test]
fn width_that_the_limits_allow() {
    let properties: Map<String, Value> =
        (0..500).map(|index| (format!("é{index}"), json!({ "type": ["string", "null"] }))).collect();
    let names: Vec<String> = properties.keys().cloned().collect();
    survive("properties", &json!({ "type": "object", "properties": properties, "required": names }));
    let branches: Vec<Value> =
        (0..100).map(|index| json!({ "type": "object", "properties": { format!("p{index}"): {} } })).collect();
    survive("branches", &json!({ "type": "object", "anyOf": branches, "properties": { "x": { "oneOf": branches } } }));
    survive("conjuncts", &json!({ "type": "object", "allOf": branches }));
}

#[test]
fn lists_of_thousands() {
    let unions = |index: usize| {
        let branch = |other: usize| json!({ "type": "object", "properties": { "k": { "const": other }, "a": reference((index + other) % 8) } });
        json!({ "oneOf": (0..8).map(branch).collect::<Vec<_>>() })
    };
    survive("unions of unions", &with_definitions(8, unions));
    let constants: Vec<Value> = (0..1_000).map(|index| json!({ "const": index })).collect();
    survive("constants", &json!({ "properties": { "x": { "oneOf": constants }, "y": { "prefixItems": constants } } }));
    let forms: Vec<Value> = (0..600).map(|index| json!({ "required": [format!("p{index}")] })).collect();
    let properties: Map<String, Value> =
        (0..600).map(|index| (format!("p{index}"), json!({ "type": "string" }))).collect();
    survive("forms", &json!({ "type": "object", "properties": properties, "anyOf": forms }));
    let patterns: Map<String, Value> =
        (0..1_000).map(|index| (format!("^{index}"), json!({ "minLength": 3 }))).collect();
    let schema = json!({ "type": "object", "patternProperties": patterns });
    let members: Map<String, Value> = (0..20_000).map(|index| (format!("m{index}"), json!(index))).collect();
    let validator = Validator::new(&crate::support::schema(&schema)).unwrap();
    assert!(!validator.is_valid(&members.into()), "4 million applications are refused");
    let fractions: Vec<f64> = (0..5_000).map(|index| f64::from(index) + 0.5).collect();
    survive("fractions", &json!({ "properties": { "x": { "enum": fractions, "minimum": 3 } } }));
    let values: Vec<usize> = (0..5_000).collect();
    survive("values", &json!({ "properties": { "x": { "enum": values, "allOf": [{ "enum": values }] } } }));
}

#[test]
fn patterns_that_backtrack() {
    let evil = json!({ "type": "object", "properties": {
        "a": { "type": "string", "pattern": "^(a+)+$" },
        "b": { "type": "string", "pattern": "^(?=(a+)+$)(a|aa)+c$" },
        "c": { "type": "string", "pattern": "((a{1,100}){1,100}){1,100}" },
        "d": { "type": "string", "pattern": "(" },
    } });
    survive("patterns", &evil);
    let validator = Validator::new(&crate::support::schema(&evil)).unwrap();
    let long = "a".repeat(50_000) + "!";
    assert!(!validator.is_valid(&json!({ "a": long })));
    assert!(!validator.is_valid(&json!({ "b": long })));
}

#[test]
fn values_that_are_no_schemas() {
    for value in [json!(null), json!(1), json!("string"), json!([])] {
        assert!(matches!(Schema::parse(value, Limits::default()), Err(Error::NotASchema { .. })));
    }
    let odd = json!({
        "type": ["object", 5, null], "properties": 7, "required": [1, {}], "items": "string", "anyOf": {}, "oneOf": [],
        "enum": {}, "minLength": -1, "pattern": 3, "$ref": 4, "$defs": [], "additionalProperties": "false",
        "allOf": [1, "integer", null], "not": [], "if": 3, "dependentRequired": { "a": 1 }, "const": { "$ref": 1 },
    });
    survive("odd", &odd);
    let twice =
        json!({ "required": ["a", "a"], "dependentRequired": { "a": ["b", "b"] }, "type": ["object", "object"] });
    survive("twice", &twice);
    survive("left behind", &json!({ "dependencies": { "a": { "type": "no type" } }, "additionalItems": 5 }));
    for place in ["unknown/keyword", "default", "x-kept"] {
        let token = place.replace('/', "~1");
        let odd = json!({ "type": "object", "properties": { "x": { "$ref": format!("#/{token}") } }, place: odd });
        survive("odd where no schema is expected", &odd);
    }
    survive("boolean", &json!(true));
    survive("never", &json!(false));
}

#[test]
fn instances_as_deep_as_they_like() {
    let validator = Validator::new(&crate::support::schema(&json!({ "items": { "$ref": "#" } }))).unwrap();
    let deep = (0..1_000).fold(json!([]), |inner, _| Value::Array(vec![inner]));
    assert!(!validator.is_valid(&deep));
    assert_eq!(validator.validate(&deep).unwrap_err()[0].expected, "at most 128 levels of nesting");
    let codec = crate::support::converted(&json!({ "properties": { "a": { "items": {} } } }), "gemini").codec;
    assert!(codec.decode(Value::Object(Map::from_iter([("a".to_owned(), deep)]))).is_object());
}

#[test]
fn unions_inside_unions_are_not_tried_for_ever() {
    let branch = |tag: &str| {
        json!({ "type": "object", "required": ["t"], "additionalProperties": false,
                "properties": { "t": { "const": tag }, "next": { "$ref": "#/$defs/node" }, "o": { "type": "integer" } } })
    };
    let original = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/node" } },
                           "$defs": { "node": { "anyOf": [branch("a"), branch("b"), branch("c")] } } });
    let codec = crate::support::converted(&original, "openai-strict").codec;
    let nest = |levels: usize| {
        (0..levels).fold(json!({ "t": "c", "o": null }), |inner, _| json!({ "t": "c", "next": inner, "o": null }))
    };
    assert_eq!(
        codec.decode(json!({ "x": nest(2) })),
        json!({ "x": { "t": "c", "next": { "t": "c", "next": { "t": "c" } } } })
    );
    assert!(codec.decode(json!({ "x": nest(40) })).is_object());
    let validator = Validator::new(&crate::support::schema(&original)).unwrap();
    assert!(validator.coerce(json!({ "x": nest(30) })).is_object());
}
