//! 120 tools over an office's things, with the schema features that real generators emit: definitions and `$ref`,
//! `allOf` to mix in what several share, `oneOf` to choose.

use serde_json::{Value, json};

use super::{Tools, unknown};

const THINGS: [(&str, &str); 12] = [
    ("invoice", "an invoice sent to a customer"),
    ("customer", "a customer with a billing address"),
    ("order", "an order of goods"),
    ("shipment", "a parcel on its way"),
    ("ticket", "a support ticket"),
    ("meeting", "a meeting in the calendar"),
    ("contract", "a signed contract"),
    ("employee", "an employee's record"),
    ("expense", "an expense to be paid back"),
    ("document", "a document in the archive"),
    ("project", "a project and its milestones"),
    ("supplier", "a supplier of goods"),
];

const VERBS: [(&str, &str, bool); 10] = [
    ("create", "Create", false),
    ("get", "Look up", true),
    ("list", "List page by page", true),
    ("search", "Search by text or by date", true),
    ("update", "Change fields of", false),
    ("delete", "Delete for good", false),
    ("archive", "Put away without deleting", false),
    ("export", "Export as a file", true),
    ("share", "Share with a person or a team", false),
    ("history", "Show every change to", true),
];

pub(super) struct Catalogue;

impl Tools for Catalogue {
    fn list(&self) -> Vec<Value> {
        THINGS.iter().flat_map(|thing| VERBS.iter().map(|verb| tool(*thing, *verb))).collect()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Result<String, String> {
        let known = THINGS.iter().any(|(thing, _)| VERBS.iter().any(|(verb, ..)| name == format!("{verb}_{thing}")));
        if known { Ok(format!("{name} accepted {arguments}")) } else { unknown(name) }
    }
}

fn tool((thing, what): (&str, &str), (verb, does, read_only): (&str, &str, bool)) -> Value {
    json!({
        "name": format!("{verb}_{thing}"),
        "description": format!("{does} {what}."),
        "inputSchema": schema(verb, thing),
        "annotations": {"readOnlyHint": read_only},
    })
}

fn schema(verb: &str, thing: &str) -> Value {
    let id = json!({"$ref": "#/$defs/id"});
    let (properties, required) = match verb {
        "create" => (json!({"fields": {"$ref": "#/$defs/fields"}}), json!(["fields"])),
        "update" => (json!({"id": id, "fields": {"$ref": "#/$defs/fields"}}), json!(["id", "fields"])),
        "list" => (json!({"page": {"$ref": "#/$defs/page"}}), json!([])),
        "search" => (json!({"by": {"$ref": "#/$defs/by"}, "page": {"$ref": "#/$defs/page"}}), json!(["by"])),
        "share" => (json!({"id": id, "with": {"$ref": "#/$defs/recipient"}}), json!(["id", "with"])),
        _ => (json!({"id": id}), json!(["id"])),
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "$defs": definitions(thing),
    })
}

fn definitions(thing: &str) -> Value {
    json!({
        "id": {"type": "string", "pattern": "^[a-z]+-[0-9]+$", "description": format!("The {thing}'s id, as in {thing}-42.")},
        "named": {
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1, "description": format!("The {thing}'s name.")}},
            "required": ["name"],
        },
        "noted": {
            "type": "object",
            "properties": {"note": {"type": ["string", "null"], "description": "A remark for the record."}},
        },
        "fields": {"allOf": [{"$ref": "#/$defs/named"}, {"$ref": "#/$defs/noted"}]},
        "page": {
            "type": "object",
            "properties": {
                "number": {"type": "integer", "minimum": 1, "default": 1},
                "size": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            },
        },
        "by": {
            "oneOf": [
                {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
                {"type": "object", "properties": {"since": {"type": "string", "format": "date"}}, "required": ["since"]},
            ],
        },
        "recipient": {
            "oneOf": [
                {"type": "string", "format": "email", "description": "A person."},
                {"type": "object", "properties": {"team": {"type": "string"}}, "required": ["team"]},
            ],
        },
    })
}
