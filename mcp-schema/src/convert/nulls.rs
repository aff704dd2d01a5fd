//! "Or null" in each provider's way, and types.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{
    At, Lowering,
    scalars::{Listed, Values},
};
use crate::{
    json::{self, Object},
    keyword,
    profile::NullStyle,
    report::LossKind,
};

impl Lowering<'_> {
    /// Gives a schema without `type` the types its keywords speak about, where the profile demands a type.
    pub(super) fn with_types<'e>(&mut self, entries: &'e Object, at: &At) -> Cow<'e, Object> {
        let is_needed = self.profile.types.required || self.profile.objects.closed;
        if entries.contains_key("type") || !is_needed {
            return Cow::Borrowed(entries);
        }
        let mut names: Vec<&str> = Vec::new();
        let listed = crate::intersect::allowed(entries);
        let is_listed = listed.is_some();
        for value in listed.into_iter().flatten() {
            names.push(json::type_name(&value));
        }
        if !is_listed {
            names.extend(entries.keys().filter_map(|word| keyword::subject(word)));
        }
        names.dedup();
        let mut unique: Vec<&str> = Vec::new();
        for name in names {
            if !unique.contains(&name) {
                unique.push(name);
            }
        }
        if unique.is_empty() {
            return Cow::Borrowed(entries);
        }
        if !is_listed && !at.is_root {
            let reason = "the schema names no type; the provider demands the one its keywords speak about";
            self.lose(LossKind::Narrowed, at, "type", reason);
        }
        let mut typed = Object::from_iter([("type".to_owned(), json::type_value(&unique))]);
        typed.extend(entries.clone());
        Cow::Owned(typed)
    }

    /// Writes `type` without null, which has its own place.
    pub(super) fn write_type(&self, out: &mut Object, entries: &Object, values: &Values) {
        let Some(names) = json::types(entries).filter(|_| values.listed != Listed::OnlyNull) else { return };
        let mut names: Vec<&str> = names.into_iter().filter(|name| *name != "null").collect();
        if values.are_text {
            names = vec!["string"];
        }
        if let Some(listed) = values.keywords.iter().find_map(|(word, value)| (word == "enum").then_some(value))
            && self.profile.unions.null != NullStyle::Type
            && let [_, _, ..] = names.as_slice()
        {
            // Only the types that the remaining values have are left.
            names.retain(|name| {
                listed.as_array().is_some_and(|listed| listed.iter().any(|value| json::type_admits(name, value)))
            });
        }
        if !names.is_empty() {
            out.insert("type".to_owned(), json::type_value(&names));
        }
    }

    /// Adds "or null" where the schema accepts null by its type.
    pub(super) fn write_null(&mut self, out: &mut Object, entries: &Object, values: &Values, at: &At) {
        let by_type = json::types(entries).is_some_and(|names| names.contains(&"null"));
        let is_possible = values.listed == Listed::OnlyNull || by_type && values.listed != Listed::WithoutNull;
        if !is_possible {
            return;
        }
        let names: Vec<String> = json::types(out).into_iter().flatten().map(str::to_owned).collect();
        match self.profile.unions.null {
            NullStyle::Type => {
                let mut with_null: Vec<&str> = names.iter().map(String::as_str).collect();
                with_null.push("null");
                let value = json::type_value(&with_null);
                out.insert("type".to_owned(), value);
            }
            NullStyle::Nullable => {
                if names.is_empty() {
                    out.insert("type".to_owned(), json!("string"));
                    self.lose(LossKind::Widened, at, "type", "the type `null` cannot stand alone");
                }
                out.insert("nullable".to_owned(), json!(true));
            }
            NullStyle::Omit => {
                if names.is_empty() {
                    out.insert("type".to_owned(), json!("string"));
                }
                self.lose(LossKind::Narrowed, at, "type", "null cannot be written");
            }
        }
    }

    /// Adds "or null" to a rewritten schema.
    pub(super) fn nullable(&self, schema: Value) -> Value {
        let Value::Object(mut entries) = schema else { return schema };
        if self.profile.unions.null == NullStyle::Omit {
            return Value::Object(entries);
        }
        if self.profile.unions.null == NullStyle::Nullable {
            entries.insert("nullable".to_owned(), json!(true));
            return Value::Object(entries);
        }
        if let Some(Value::Array(branches)) = entries.get_mut("anyOf") {
            if !branches.iter().any(accepts_null_plainly) {
                branches.push(json!({ "type": "null" }));
            }
            return Value::Object(entries);
        }
        let names: Vec<String> = json::types(&entries).into_iter().flatten().map(str::to_owned).collect();
        let has_container = names.iter().any(|name| name == "object" || name == "array");
        let is_listed = entries.contains_key("enum") || entries.contains_key("const");
        let can_list = self.profile.types.lists
            && (self.profile.types.lists_of_containers || !has_container)
            && (self.profile.enums.booleans || !is_listed);
        if names.is_empty() || !can_list {
            return wrap_with_null(entries);
        }
        let mut with_null: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "null").collect();
        with_null.push("null");
        let value = json::type_value(&with_null);
        entries.insert("type".to_owned(), value);
        if let Some(Value::Array(listed)) = entries.get_mut("enum")
            && !listed.contains(&Value::Null)
        {
            listed.push(Value::Null);
        }
        if let Some(only) = entries.shift_remove("const") {
            entries.insert("enum".to_owned(), json!([only, null]));
        }
        Value::Object(entries)
    }
}

fn accepts_null_plainly(branch: &Value) -> bool {
    branch.as_object().and_then(json::types).is_some_and(|names| names.contains(&"null"))
}

/// `anyOf` with null, the description outside, where it is read first.
fn wrap_with_null(mut entries: Object) -> Value {
    let mut outer = Object::new();
    for word in ["title", "description"] {
        outer.extend(entries.shift_remove(word).map(|value| (word.to_owned(), value)));
    }
    outer.insert("anyOf".to_owned(), json!([entries, { "type": "null" }]));
    Value::Object(outer)
}

/// References that are followed to find out whether null is accepted.
const MOST_REFERENCES: usize = 64;

/// Whether a schema accepts null; true where that takes too long to find out, so that a null is never lost.
pub(super) fn accepts_null(schema: &Value, definitions: &Object) -> bool {
    accepts(schema, definitions, &mut MOST_REFERENCES.clone())
}

fn accepts(schema: &Value, definitions: &Object, fuel: &mut usize) -> bool {
    let Value::Object(entries) = schema else { return *schema != json!(false) };
    let by_type = json::types(entries).is_none_or(|names| names.contains(&"null"));
    let by_value = crate::intersect::allowed(entries).is_none_or(|values| values.contains(&Value::Null));
    by_type && by_value && accepts_in_place(entries, definitions, fuel)
}

/// Only keywords that apply to the value itself can refuse null: all others speak about other types.
fn accepts_in_place(entries: &Object, definitions: &Object, fuel: &mut usize) -> bool {
    let mut one = |schema: &Value| accepts(schema, definitions, fuel);
    let branches = |word: &str| entries.get(word).and_then(Value::as_array);
    let all = branches("allOf").is_none_or(|all| all.iter().all(&mut one));
    let any = branches("anyOf").is_none_or(|any| any.iter().any(&mut one));
    let exactly_one = branches("oneOf").is_none_or(|any| any.iter().filter(|branch| one(branch)).count() == 1);
    let not = !entries.get("not").is_some_and(&mut one);
    let conditional = entries.get("if").is_none_or(|condition| {
        let word = if one(condition) { "then" } else { "else" };
        entries.get(word).is_none_or(&mut one)
    });
    let target = entries.get("$ref").and_then(crate::definitions::target).and_then(|name| definitions.get(name));
    let referred = target.is_none_or(|target| {
        *fuel = fuel.saturating_sub(1);
        *fuel == 0 || accepts(target, definitions, fuel)
    });
    all && any && exactly_one && not && conditional && referred
}
