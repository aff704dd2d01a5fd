//! The root: always one object, whatever the original was.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::{At, Lowered, Lowering, notes::Notes};
use crate::{
    codec::Step,
    definitions,
    json::{self, Object},
    keyword,
    limits::node_count,
    merge,
    report::LossKind,
};

/// Forms that the description tells apart.
const MOST_FORMS: usize = 12;

/// JSON values that all forms of the root may have together while they become one object.
const LARGEST_HOISTING: usize = 50_000;

/// The property that holds arguments which are not an object.
const WRAPPER: &str = "value";

impl Lowering<'_> {
    /// Rewrites the root.
    pub(super) fn root(&mut self) -> Lowered {
        let at = At { pointer: String::new(), nesting: 0, is_optional: false, in_union: false, is_root: true };
        let entries = match self.unfold_root() {
            Value::Object(entries) => entries,
            Value::Bool(false) => {
                self.lose(LossKind::Widened, &at, "false", "a schema that accepts nothing cannot be written");
                Object::new()
            }
            _ => Object::new(),
        };
        if json::types(&entries).is_some_and(|names| !names.contains(&"object")) {
            return self.wrap(&Value::Object(entries), &at);
        }
        let mut notes = Notes::default();
        let before = self.mark();
        let mut entries = entries;
        entries.insert("type".to_owned(), json!("object"));
        let entries = match merge::join(entries, Vec::new(), &mut self.intersect) {
            Value::Object(entries) => entries,
            _ => Object::new(),
        };
        let mut object = self.as_object(entries, &at, &mut notes);
        self.without_values(&mut object, &at, &mut notes);
        let mut typed = Object::from_iter([("type".to_owned(), json!("object"))]);
        object.shift_remove("type");
        typed.append(&mut object);
        let mut lowered = self.typed(&typed, &at, &mut notes);
        self.open_again(&mut lowered.schema, before, &at);
        self.restrict(&mut lowered.schema, &at);
        self.describe(&mut lowered.schema, notes, &at);
        lowered
    }

    /// A root that is a recursive reference is written out by one level.
    fn unfold_root(&mut self) -> Value {
        let mut root = self.originals.get(&self.root_name).cloned().unwrap_or_default();
        let mut seen = BTreeSet::new();
        while let Some(name) = root.get("$ref").and_then(definitions::target).map(str::to_owned) {
            let Some(body) = self.originals.get(&name).cloned().filter(|_| seen.insert(name)) else { break };
            let mut entries = root.as_object().cloned().unwrap_or_default();
            entries.shift_remove("$ref");
            root = merge::join(entries, vec![body], &mut self.intersect);
        }
        if let Value::Object(entries) = &mut root {
            entries.shift_remove("$ref");
        }
        root
    }

    /// Arguments are an object: anything else becomes its only property.
    fn wrap(&mut self, schema: &Value, at: &At) -> Lowered {
        let below = at.inside("properties", Some(WRAPPER));
        let lowered = self.lower(schema, &below);
        let mut out = json!({ "type": "object", "properties": {}, "required": [WRAPPER] });
        if let Value::Object(entries) = &mut out {
            entries.insert("properties".to_owned(), json!({ WRAPPER: lowered.schema }));
            if self.accepts_here("additionalProperties", at) {
                entries.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Lowered { schema: out, step: Step::Unwrap { property: WRAPPER.to_owned(), step: Box::new(lowered.step) } }
    }

    /// Rewrites the combinators at the root, hoisting unions the root may not have.
    fn as_object(&mut self, entries: Object, at: &At, notes: &mut Notes) -> Object {
        let prepared = match self.prepare(entries, at, notes) {
            Value::Object(entries) => entries,
            _ => Object::new(),
        };
        let keeps_union = self.accepts_here("anyOf", at) && self.profile.unions.siblings && !self.translates();
        if prepared.contains_key("anyOf") && !keeps_union { self.hoist(prepared, at, notes) } else { prepared }
    }

    /// Drops `enum` and `const` where the root must be a plain object.
    fn without_values(&mut self, entries: &mut Object, at: &At, notes: &mut Notes) {
        for word in ["enum", "const"] {
            let has_object =
                crate::intersect::allowed(entries).is_some_and(|values| values.iter().any(Value::is_object));
            let is_kept = has_object && self.accepts_here(word, at) && self.profile.keywords.is_none();
            if let Some(value) = entries.get(word).filter(|_| !is_kept).cloned() {
                entries.shift_remove(word);
                self.lose(LossKind::Widened, at, word, "the root must be a plain object");
                notes.constraint(word, &value);
            }
        }
    }

    /// Turns a union of objects into the object that has the properties of all of them.
    fn hoist(&mut self, mut entries: Object, at: &At, notes: &mut Notes) -> Object {
        let Some(Value::Array(branches)) = entries.shift_remove("anyOf") else { return entries };
        let own = Value::Object(entries.clone());
        if node_count(&own).saturating_mul(branches.len()) > LARGEST_HOISTING {
            self.lose(LossKind::Widened, at, "anyOf", "there are too many forms to write them as one object");
            return entries;
        }
        let object = json!({ "type": "object" });
        let mut forms: Vec<Object> = Vec::new();
        for branch in &branches {
            let branch = self.intersect.schemas(branch, &object);
            match self.intersect.schemas(&own, &branch) {
                Value::Object(form) if form.contains_key("anyOf") => {
                    forms.push(self.hoist(form, at, &mut Notes::default()));
                }
                Value::Object(form) => forms.push(form),
                _ => {}
            }
        }
        if forms.is_empty() {
            self.lose(LossKind::Widened, at, "anyOf", "no branch accepts an object");
            return entries;
        }
        self.lose(LossKind::Widened, at, "anyOf", "the root must be one object");
        notes.sentence(forms_sentence(&forms));
        join_forms(&entries, &forms)
    }

    /// Drops what the root may not have; the report says so.
    fn restrict(&mut self, schema: &mut Value, at: &At) {
        let Value::Object(entries) = schema else { return };
        let refused: Vec<String> =
            entries.keys().filter(|word| !self.profile.accepts_at_root(word) && *word != "$defs").cloned().collect();
        for word in refused {
            entries.shift_remove(&word);
            if keyword::is_assertion(&word) {
                self.lose(LossKind::Widened, at, &word, "the keyword is not accepted at the root");
            }
        }
    }
}

/// One object for all forms.
fn join_forms(own: &Object, forms: &[Object]) -> Object {
    let mut joined: Object = own
        .iter()
        .filter(|(word, value)| {
            keyword::is_annotation(word) || forms.iter().all(|form| form.get(*word) == Some(*value))
        })
        .map(|(word, value)| (word.clone(), value.clone()))
        .collect();
    joined.insert("properties".to_owned(), Value::Object(joined_properties(forms)));
    let required: Vec<Value> = required_by_all(forms).into_iter().map(Value::from).collect();
    joined.shift_remove("required");
    if !required.is_empty() {
        joined.insert("required".to_owned(), Value::Array(required));
    }
    joined.shift_remove("additionalProperties");
    let closings: Vec<Option<&Value>> = forms.iter().map(|form| form.get("additionalProperties")).collect();
    if closings.iter().all(|closing| *closing == Some(&json!(false))) {
        joined.insert("additionalProperties".to_owned(), json!(false));
    }
    joined
}

/// Every property of any form; where forms differ about one, it may be what any of them says.
fn joined_properties(forms: &[Object]) -> Object {
    let additional = |form: &Object| form.get("additionalProperties").cloned().unwrap_or(json!({}));
    // What the forms say about undeclared properties, and how many forms say it.
    let mut undeclared: IndexMap<String, (Value, usize)> = IndexMap::new();
    let mut declared: IndexMap<&str, Vec<(&Value, String)>> = IndexMap::new();
    for form in forms {
        let schema = additional(form);
        let text = schema.to_string();
        undeclared.entry(text.clone()).or_insert((schema, 0)).1 += 1;
        for (name, schema) in form.get("properties").and_then(Value::as_object).into_iter().flatten() {
            declared.entry(name).or_default().push((schema, text.clone()));
        }
    }
    let properties = declared.into_iter().map(|(name, options)| (name.to_owned(), joined(&options, &undeclared)));
    properties.collect()
}

fn joined(declared: &[(&Value, String)], undeclared: &IndexMap<String, (Value, usize)>) -> Value {
    let mut options: IndexMap<String, Value> = IndexMap::new();
    for (schema, _) in declared {
        options.insert(schema.to_string(), (*schema).clone());
    }
    for (text, (schema, forms)) in undeclared {
        if declared.iter().filter(|(_, own)| own == text).count() < *forms {
            options.insert(text.clone(), schema.clone());
        }
    }
    let mut options: Vec<Value> = options.into_values().filter(|option| *option != json!(false)).collect();
    // What is read first is what the property is usually about.
    options.sort_by_key(json::is_trivial);
    match <[Value; 1]>::try_from(options) {
        Ok([only]) => only,
        Err(none) if none.is_empty() => json!(false),
        Err(several) => json!({ "anyOf": several }),
    }
}

fn required_by_all(forms: &[Object]) -> Vec<&str> {
    let Some((first, others)) = forms.split_first() else { return Vec::new() };
    let others: Vec<BTreeSet<&str>> =
        others.iter().map(|form| json::strings(form, "required").into_iter().collect()).collect();
    let is_everywhere = |name: &&str| others.iter().all(|required| required.contains(name));
    json::strings(first, "required").into_iter().filter(is_everywhere).collect()
}

/// Tells which properties belong together.
fn forms_sentence(forms: &[Object]) -> String {
    let common = required_by_all(forms);
    let mut shown: Vec<String> = Vec::new();
    for form in forms.iter().take(MOST_FORMS) {
        let own: Vec<String> = json::strings(form, "required")
            .into_iter()
            .filter(|name| !common.contains(name))
            .map(|name| format!("`{name}`"))
            .collect();
        let text = if own.is_empty() { "none of these".to_owned() } else { own.join(" and ") };
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    if shown.len() < 2 { "One of several forms.".to_owned() } else { format!("Give one of: {}.", shown.join(", or ")) }
}
