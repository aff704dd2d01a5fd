//! Schemas in the style of the libraries that servers are written with.

use mcp_schema::{Profile, Validator, merge_all_of};
use serde_json::{Value, json};

use crate::{
    generate,
    laws::{Tally, check},
    support::schema,
};

/// Python's pydantic 2: titles everywhere, `$defs`, optional fields as `anyOf` with null and a default.
fn pydantic() -> Value {
    json!({
        "$defs": {
            "Level": {"enum": ["low", "high"], "title": "Level", "type": "string"},
            "Filter": {
                "properties": {
                    "field": {"title": "Field", "type": "string"},
                    "values": {"items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "title": "Values", "type": "array"},
                    "labels": {"additionalProperties": {"type": "string"}, "title": "Labels", "type": "object"},
                },
                "required": ["field", "values"], "title": "Filter", "type": "object",
            },
        },
        "properties": {
            "query": {"description": "What to look for.", "title": "Query", "type": "string", "minLength": 1},
            "level": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}], "default": null},
            "filter": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}], "default": null, "description": "Narrows."},
            "limit": {"default": 10, "exclusiveMinimum": 0, "maximum": 100, "title": "Limit", "type": "integer"},
        },
        "required": ["query"], "title": "SearchArguments", "type": "object",
    })
}

/// TypeScript's zod 3 by zod-to-json-schema: draft 7, references into properties, closed objects, `const` tags.
fn zod_3() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
        "properties": {
            "shape": {"anyOf": [
                {"type": "object", "properties": {"kind": {"type": "string", "const": "circle"}, "r": {"type": "number", "exclusiveMinimum": 0}},
                 "required": ["kind", "r"], "additionalProperties": false},
                {"type": "object", "properties": {"kind": {"type": "string", "const": "square"}, "side": {"$ref": "#/properties/shape/anyOf/0/properties/r"}},
                 "required": ["kind", "side"], "additionalProperties": false},
            ]},
            "range": {"type": "array", "minItems": 2, "maxItems": 2, "items": [{"type": "number"}, {"type": "number"}]},
            "tags": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
        },
        "required": ["shape"],
    })
}

/// zod 4's own export: 2020-12, `prefixItems`, `propertyNames`, `oneOf` for discriminated unions, safe integer bounds.
fn zod_4() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": -9_007_199_254_740_991_i64, "maximum": 9_007_199_254_740_991_i64},
            "mail": {"type": "string", "format": "email", "pattern": "^(?!\\.)[a-z.]+@[a-z]+\\.[a-z]+$"},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]},
            "record": {"type": "object", "propertyNames": {"type": "string", "enum": ["a", "b"]}, "additionalProperties": {"type": "number"}},
            "event": {"oneOf": [
                {"type": "object", "properties": {"type": {"type": "string", "const": "open"}}, "required": ["type"], "additionalProperties": false},
                {"type": "object", "properties": {"type": {"type": "string", "const": "close"}, "code": {"type": "integer"}},
                 "required": ["type", "code"], "additionalProperties": false},
            ]},
        },
        "required": ["id", "event"], "additionalProperties": false,
    })
}

/// Rust's schemars: `oneOf` of constants with descriptions, nullable types in lists, numeric formats, `$ref` siblings.
fn schemars() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Request", "type": "object",
        "properties": {
            "mode": {"description": "How to run.", "$ref": "#/$defs/Mode"},
            "retries": {"type": ["integer", "null"], "format": "uint8", "minimum": 0, "maximum": 255},
            "action": {"oneOf": [
                {"type": "string", "enum": ["Stop"]},
                {"type": "object", "properties": {"Start": {"$ref": "#/$defs/Start"}}, "required": ["Start"], "additionalProperties": false},
            ]},
        },
        "required": ["mode", "action"],
        "$defs": {
            "Mode": {"oneOf": [{"description": "Slow.", "type": "string", "const": "slow"}, {"description": "Fast.", "type": "string", "const": "fast"}]},
            "Start": {"type": "object", "properties": {"delay": {"type": "number", "format": "double"}}, "required": ["delay"]},
        },
    })
}

/// Go's jsonschema: lists that may be null, maps, everything closed by `{"not": {}}`.
fn go() -> Value {
    json!({
        "type": "object", "required": ["names"], "additionalProperties": {"not": {}},
        "properties": {
            "names": {"type": ["null", "array"], "items": {"type": "string"}},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "raw": true,
        },
    })
}

/// An `OpenAPI` bridge: `allOf` of references with siblings, `discriminator`, `nullable`, `example`, odd parameter names.
fn open_api() -> Value {
    json!({
        "type": "object",
        "properties": {
            "filter[status]": {"type": "string", "enum": ["open", "closed", ""]},
            "$top": {"type": "integer", "minimum": 1, "maximum": 50, "example": 10},
            "body": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "properties": {"extra": {"type": "string", "nullable": true}}}],
                     "description": "The payload."},
            "pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}], "discriminator": {"propertyName": "kind"}},
        },
        "required": ["body"],
        "components": {"schemas": {
            "Base": {"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}, "required": ["id"]},
            "Cat": {"type": "object", "properties": {"kind": {"enum": ["cat"]}, "lives": {"type": "integer"}}, "required": ["kind"]},
            "Dog": {"type": "object", "properties": {"kind": {"enum": ["dog"]}, "size": {"type": "number"}}, "required": ["kind"]},
        }},
    })
}

/// Types as those of Microsoft Graph: several that contain each other, through `anyOf`, `allOf` and lists.
fn graph() -> Value {
    json!({
        "type": "object", "properties": {"item": {"$ref": "#/$defs/driveItem"}}, "required": ["item"],
        "$defs": {
            "entity": {"type": "object", "properties": {"id": {"type": "string"}}},
            "driveItem": {"allOf": [{"$ref": "#/$defs/entity"}, {"type": "object", "properties": {
                "name": {"type": ["string", "null"]},
                "children": {"type": "array", "items": {"$ref": "#/$defs/driveItem"}},
                "parent": {"anyOf": [{"$ref": "#/$defs/itemReference"}, {"type": "null"}]},
            }}]},
            "itemReference": {"type": "object", "properties": {
                "driveId": {"type": "string"}, "target": {"anyOf": [{"$ref": "#/$defs/driveItem"}, {"type": "null"}]},
            }},
        },
    })
}

/// Which profiles lose nothing that matters on a fixture: no false reject is checked for all of them.
fn check_all(original: &Value) {
    let parsed = schema(original);
    let validator = Validator::new(&parsed).unwrap();
    let found = generate::instances(&merge_all_of(&parsed).schema).into_iter().filter(Value::is_object);
    let instances: Vec<(Value, bool)> = found.map(|value| (value.clone(), validator.is_valid(&value))).collect();
    assert!(instances.iter().filter(|(_, is_valid)| *is_valid).count() >= 2, "too few valid instances of {original}");
    assert!(instances.iter().any(|(_, is_valid)| !is_valid), "no invalid instance of {original}");
    let mut tally = Tally { settles_later: true, ..Tally::default() };
    for id in Profile::builtin_ids() {
        check(&mut tally, &parsed, &Profile::builtin(id).unwrap(), &instances);
    }
    assert_eq!(tally.failures, Vec::<String>::new());
}

#[test]
fn pydantic_models() {
    check_all(&pydantic());
}

#[test]
fn zod_3_schemas() {
    check_all(&zod_3());
}

#[test]
fn zod_4_schemas() {
    check_all(&zod_4());
}

#[test]
fn schemars_types() {
    check_all(&schemars());
}

#[test]
fn go_structs() {
    check_all(&go());
}

#[test]
fn open_api_bridges() {
    check_all(&open_api());
}

#[test]
fn graph_types() {
    check_all(&graph());
}
