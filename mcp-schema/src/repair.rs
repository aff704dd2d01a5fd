//! Mistakes of real servers, put right where the meaning is plain.
//!
//! Only what the schema's own dialect forbids is touched, so a valid schema never changes. What cannot be guessed is
//! dropped, and everything is reported.

mod values;

use serde_json::{Map, Value, json};

use crate::{
    dialect::Dialect,
    json::Object,
    keyword::{self, Shape},
    patterns, pointer,
    report::{LossKind, Report},
};

/// Repairs a schema written in `dialect`.
pub(crate) fn repair(schema: &Value, dialect: Dialect) -> (Value, Report) {
    let mut pass = Repair { dialect, report: Report::default() };
    let repaired = pass.schema(schema, "");
    (repaired, pass.report)
}

struct Repair {
    dialect: Dialect,
    report: Report,
}

impl Repair {
    fn note(&mut self, at: &str, word: &str, reason: &str) {
        self.report.push(LossKind::Repaired, at, word, reason);
    }

    /// Repairs what stands where a schema belongs.
    fn schema(&mut self, schema: &Value, at: &str) -> Value {
        match schema {
            Value::Object(entries) => self.object(entries, at),
            Value::Bool(_) if self.dialect > Dialect::Draft4 => schema.clone(),
            Value::Bool(true) => json!({}),
            Value::Bool(false) => json!({ "not": {} }),
            Value::String(name) if values::type_name(name).is_some() => {
                self.note(at, "type", "a type name stands where a schema belongs");
                json!({ "type": values::type_name(name) })
            }
            _ => {
                self.note(at, "", "the value is not a schema");
                json!({})
            }
        }
    }

    fn object(&mut self, entries: &Object, at: &str) -> Value {
        let entries = self.misplaced(entries, at);
        let mut out = Object::new();
        for (word, value) in &entries {
            // Beside `$ref` old dialects ignore everything, mistakes included.
            let is_ignored = self.dialect.reference_overrides() && entries.contains_key("$ref") && word != "$ref";
            if is_ignored && !matches!(word.as_str(), "definitions" | "$defs") {
                out.insert(word.clone(), value.clone());
            } else if let Some(value) = self.keyword(word, value, at) {
                out.insert(word.clone(), value);
            }
        }
        self.bounds(&mut out, at);
        self.tuple(&mut out, at);
        self.required_members(&mut out, &entries, at);
        Value::Object(out)
    }

    /// The keywords of an object that were written inside its `properties`.
    fn misplaced(&mut self, entries: &Object, at: &str) -> Object {
        let Some(Value::Object(properties)) = entries.get("properties") else { return entries.clone() };
        let (Some(Value::String(_)), Some(Value::Object(inner))) =
            (properties.get("type"), properties.get("properties"))
        else {
            return entries.clone();
        };
        self.note(at, "properties", "`properties` holds a schema instead of properties");
        let mut moved = entries.clone();
        moved.insert("properties".to_owned(), Value::Object(inner.clone()));
        if let Some(required) = properties.get("required").filter(|required| required.is_array()) {
            moved.entry("required").or_insert_with(|| required.clone());
        }
        moved
    }

    fn keyword(&mut self, word: &str, value: &Value, at: &str) -> Option<Value> {
        match keyword::shape_in(self.dialect, word, value) {
            Shape::Schema => Some(self.subschema(word, value, &pointer::join(at, word))),
            Shape::List => self.list(word, value, at),
            Shape::Map => self.map(word, value, at),
            Shape::Data => match values::checked(word, value, self.dialect) {
                values::Checked::Fine => Some(value.clone()),
                values::Checked::Changed(value, reason) => {
                    self.note(at, word, reason);
                    Some(value)
                }
                values::Checked::Dropped(reason) => {
                    self.note(at, word, reason);
                    None
                }
            },
        }
    }

    fn subschema(&mut self, word: &str, value: &Value, at: &str) -> Value {
        let spelled = value.as_str().and_then(|text| text.to_lowercase().parse::<bool>().ok());
        match (word, value, spelled) {
            // Draft 4 allows a boolean in these two places only.
            ("additionalProperties" | "additionalItems", Value::Bool(_), _) => value.clone(),
            (_, _, Some(spelled)) => {
                self.note(at, word, "a boolean is written as a string");
                Value::Bool(spelled)
            }
            _ => self.schema(value, at),
        }
    }

    fn list(&mut self, word: &str, value: &Value, at: &str) -> Option<Value> {
        let below = pointer::join(at, word);
        match value {
            Value::Array(items) if items.is_empty() && word != "items" && word != "prefixItems" => {
                self.note(at, word, "the list is empty");
                None
            }
            Value::Array(items) => {
                let indexed = items.iter().enumerate();
                Some(
                    indexed
                        .map(|(index, item)| self.schema(item, &pointer::join(&below, &index.to_string())))
                        .collect(),
                )
            }
            Value::Object(_) => {
                self.note(at, word, "a schema stands where a list of schemas belongs");
                Some(Value::Array(vec![self.schema(value, &below)]))
            }
            _ => {
                self.note(at, word, "the value is not a list of schemas");
                None
            }
        }
    }

    fn map(&mut self, word: &str, value: &Value, at: &str) -> Option<Value> {
        let below = pointer::join(at, word);
        match value {
            Value::Object(members) => {
                let mut out = Map::new();
                for (name, member) in members {
                    if word == "patternProperties" && !patterns::is_valid(name) {
                        self.note(&below, name, "the pattern is not a regular expression");
                        continue;
                    }
                    let is_list = word == "dependencies" && member.is_array();
                    let member =
                        if is_list { member.clone() } else { self.schema(member, &pointer::join(&below, name)) };
                    out.insert(name.clone(), member);
                }
                Some(Value::Object(out))
            }
            // Languages without a distinction between lists and maps write an empty map as `[]`.
            Value::Array(items) if items.is_empty() => {
                self.note(at, word, "an empty list stands where an object belongs");
                Some(json!({}))
            }
            _ => {
                self.note(at, word, "the value is not an object");
                None
            }
        }
    }

    /// `exclusiveMinimum: true` is draft 4; later drafts want the number.
    fn bounds(&mut self, out: &mut Object, at: &str) {
        if self.dialect == Dialect::Draft4 {
            return;
        }
        for (exclusive, inclusive) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            let Some(Value::Bool(is_exclusive)) = out.get(exclusive) else { continue };
            let is_exclusive = *is_exclusive;
            self.note(at, exclusive, "a flag of draft 4 stands where a number belongs");
            match out.get(inclusive).cloned() {
                Some(bound) if is_exclusive => {
                    out.insert(exclusive.to_owned(), bound);
                    out.shift_remove(inclusive);
                }
                _ => {
                    out.shift_remove(exclusive);
                }
            }
        }
    }

    /// A list in `items` is a tuple until 2019-09; 2020-12 calls it `prefixItems`.
    fn tuple(&mut self, out: &mut Object, at: &str) {
        if self.dialect < Dialect::Draft202012 || !out.get("items").is_some_and(Value::is_array) {
            return;
        }
        self.note(at, "items", "a tuple of draft 7 stands where a schema belongs");
        let items = out.shift_remove("items").filter(|items| items.as_array().is_some_and(|items| !items.is_empty()));
        out.extend(items.map(|items| ("prefixItems".to_owned(), items)));
        let rest = out.shift_remove("additionalItems");
        out.extend(rest.map(|rest| ("items".to_owned(), rest)));
    }

    /// `required: true` inside a property means that the object requires it.
    fn required_members(&mut self, out: &mut Object, entries: &Object, at: &str) {
        let members = entries.get("properties").and_then(Value::as_object);
        let flagged: Vec<Value> = members
            .into_iter()
            .flatten()
            .filter(|(_, member)| member.get("required") == Some(&json!(true)))
            .map(|(name, _)| json!(name))
            .collect();
        if flagged.is_empty() {
            return;
        }
        self.note(at, "required", "properties say themselves that they are required");
        let required = out.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(required) = required {
            let missing: Vec<Value> = flagged.into_iter().filter(|name| !required.contains(name)).collect();
            required.extend(missing);
        }
    }
}
