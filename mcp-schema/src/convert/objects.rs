//! `properties` and what surrounds them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{At, Lowered, Lowering, arrays::Group, keys, notes::Notes, nulls::accepts_null};
use crate::{
    codec::{ObjectStep, PropertyStep, Step, TextOf},
    json::{self, Object},
    profile::NullStyle,
    report::LossKind,
};

impl Lowering<'_> {
    /// Writes the object keywords together.
    pub(super) fn object(&mut self, entries: &Object, at: &At, notes: &mut Notes) -> Group {
        let is_object = json::types(entries).is_some_and(|names| names.contains(&"object"));
        let words = ["properties", "patternProperties", "additionalProperties", "required"];
        let is_excluded = !is_object && json::types(entries).is_some();
        if is_excluded || !is_object && !words.iter().any(|word| entries.contains_key(*word)) {
            return Group::default();
        }
        let mut keywords = Object::new();
        let anything = json!(true);
        let declared = self.declared(entries, &anything);
        let (properties, steps, required) = self.members(&declared, entries, at, notes);
        let demands = is_object && (self.profile.objects.properties_required || at.is_root);
        if !properties.is_empty() || demands || entries.contains_key("properties") {
            keywords.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            keywords.insert("required".to_owned(), required.into_iter().map(Value::String).collect());
        }
        let additional = self.additional(&mut keywords, entries, (is_object, at), notes);
        let step = Step::Object(Box::new(ObjectStep { properties: steps, additional }));
        Group { keywords, step }
    }

    /// The declared properties, and those that are only required, where an undeclared one could not be sent.
    fn declared<'e>(&self, entries: &'e Object, anything: &'e Value) -> Vec<(&'e str, &'e Value)> {
        let properties = entries.get("properties").and_then(Value::as_object);
        let mut declared: Vec<(&str, &Value)> =
            properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema)).collect();
        let additional = entries.get("additionalProperties").unwrap_or(anything);
        if self.profile.objects.closed || !self.profile.accepts("additionalProperties") {
            let required = json::strings(entries, "required").into_iter();
            let undeclared: BTreeSet<&str> =
                required.clone().filter(|name| properties.is_none_or(|map| !map.contains_key(*name))).collect();
            declared.extend(required.filter(|name| undeclared.contains(name)).map(|name| (name, additional)));
        }
        declared
    }

    fn members(
        &mut self,
        declared: &[(&str, &Value)],
        entries: &Object,
        at: &At,
        notes: &mut Notes,
    ) -> (Object, Vec<PropertyStep>, Vec<String>) {
        let (mut properties, mut steps) = (Object::new(), Vec::new());
        let originally: BTreeSet<&str> = json::strings(entries, "required").into_iter().collect();
        let names: Vec<&str> = declared.iter().map(|(name, _)| *name).collect();
        let rules = self.profile.keys.as_ref().filter(|rules| !rules.root_only || at.is_root);
        let aliases = keys::aliases(&names, rules);
        let mut required: Vec<String> = Vec::new();
        for ((name, schema), (_, sent)) in declared.iter().zip(&aliases) {
            let is_required = originally.contains(*name);
            if self.is_left_out(schema, is_required) {
                notes.sentence(format!("`{name}` must not be given."));
                self.leave_out(entries, at, name);
                continue;
            }
            let below = At {
                is_optional: at.is_optional || !is_required,
                in_union: self.profile.objects.all_required && !is_required,
                ..at.inside("properties", Some(name))
            };
            let mut lowered = self.lower(schema, &below);
            let null_is_absent = self.require(schema, &mut lowered, is_required, &below);
            if sent != name {
                rename(&mut lowered.schema, name, self.profile.references.siblings);
            }
            properties.insert(sent.clone(), lowered.schema);
            let property =
                PropertyStep { original: (*name).to_owned(), sent: sent.clone(), null_is_absent, step: lowered.step };
            steps.push(property);
            if self.profile.objects.all_required {
                required.push(sent.clone());
            }
        }
        if !self.profile.objects.all_required {
            let sent: BTreeMap<&str, &String> = aliases.iter().map(|(name, sent)| (*name, sent)).collect();
            let required_names = json::strings(entries, "required").into_iter();
            required = required_names
                .map(|name| sent.get(name).map_or_else(|| name.to_owned(), |sent| (*sent).clone()))
                .collect();
        }
        (properties, steps, required)
    }

    /// Whether a property that can never be given is best not mentioned.
    fn is_left_out(&self, schema: &Value, is_required: bool) -> bool {
        let is_refused = *schema == json!(false) || *schema == json!({ "not": {} });
        let can_say = self.profile.types.boolean_schemas || self.profile.accepts("not");
        is_refused && !is_required && !can_say
    }

    fn leave_out(&mut self, entries: &Object, at: &At, name: &str) {
        let stays_refused = self.profile.objects.closed
            || (entries.get("additionalProperties") == Some(&json!(false))
                && self.profile.accepts("additionalProperties"));
        if !stays_refused {
            let reason = "a schema that accepts nothing cannot be written";
            self.lose(LossKind::Widened, &at.below("properties", Some(name)), "false", reason);
        }
    }

    /// Makes an optional property nullable where everything must be sent; whether null then means "left out".
    fn require(&mut self, original: &Value, lowered: &mut Lowered, is_required: bool, at: &At) -> bool {
        if is_required || !self.profile.objects.all_required {
            return false;
        }
        if self.profile.unions.null == NullStyle::Omit {
            self.lose(LossKind::Narrowed, at, "required", "the property can neither be left out nor be null");
            return false;
        }
        let accepts_null = accepts_null(original, &self.originals);
        lowered.schema = self.nullable(std::mem::take(&mut lowered.schema));
        if accepts_null {
            self.lose(LossKind::Narrowed, at, "required", "the property cannot be left out, only be null");
        }
        !accepts_null
    }

    /// Writes `additionalProperties` and `patternProperties`.
    fn additional(&mut self, out: &mut Object, entries: &Object, here: (bool, &At), notes: &mut Notes) -> Step {
        let (is_object, at) = here;
        let word = "additionalProperties";
        if self.profile.objects.closed && is_object {
            self.close(entries, at);
            out.insert(word.to_owned(), json!(false));
            return Step::Same;
        }
        let folded = self.fold_patterns(out, entries, at, notes);
        let accepted = self.accepts_here(word, at);
        match folded {
            None if self.profile.objects.closed_unless_stated && is_object => {
                out.insert(word.to_owned(), json!(true));
                Step::Same
            }
            Some(Value::Bool(value)) if accepted => {
                out.insert(word.to_owned(), json!(value));
                Step::Same
            }
            None | Some(Value::Bool(true)) => Step::Same,
            Some(schema) if accepted => {
                let lowered = self.lower(&schema, &at.inside(word, None));
                out.insert(word.to_owned(), lowered.schema);
                lowered.step
            }
            Some(schema) => {
                self.lose(LossKind::Widened, at, word, "the keyword is not accepted");
                if schema == json!(false) {
                    notes.sentence("No other properties.");
                } else {
                    notes.constraint(word, &schema);
                }
                Step::Same
            }
        }
    }

    /// Says what closing an object refuses.
    fn close(&mut self, entries: &Object, at: &At) {
        if entries.contains_key("patternProperties") {
            self.lose(LossKind::Narrowed, at, "patternProperties", "only declared properties can be sent");
        }
        match entries.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            None => self.lose(
                LossKind::Narrowed,
                at,
                "additionalProperties",
                "properties that are not declared are refused",
            ),
            Some(_) => {
                self.lose(LossKind::Narrowed, at, "additionalProperties", "only declared properties can be sent");
            }
        }
    }

    /// The schema of undeclared properties. Where patterns are not accepted they count as undeclared, which means that
    /// `additionalProperties` must let through what a pattern let through.
    fn fold_patterns(&mut self, out: &mut Object, entries: &Object, at: &At, notes: &mut Notes) -> Option<Value> {
        let additional = entries.get("additionalProperties").cloned();
        let word = "patternProperties";
        let Some(Value::Object(patterns)) = entries.get(word) else { return additional };
        if self.accepts_here(word, at) {
            let before = self.report.losses.len();
            let mut is_exact = true;
            let mut written = Object::new();
            for (pattern, schema) in patterns {
                let lowered = self.lower(schema, &at.inside(word, Some(pattern)));
                is_exact &= lowered.step.is_same() && !self.refuses_pattern(pattern);
                written.insert(pattern.clone(), lowered.schema);
            }
            if is_exact {
                out.insert(word.to_owned(), Value::Object(written));
                return additional;
            }
            self.report.losses.truncate(before);
        }
        self.lose(LossKind::Widened, at, word, "properties cannot be described by a pattern");
        notes.constraint(word, &Value::Object(patterns.clone()));
        let mut branches: Vec<Value> = patterns.values().filter(|schema| **schema != json!(false)).cloned().collect();
        match additional {
            None | Some(Value::Bool(true)) => additional,
            Some(Value::Bool(false)) if branches.is_empty() => Some(json!(false)),
            Some(other) => {
                branches.extend(Some(other).filter(|schema| *schema != json!(false)));
                Some(match <[Value; 1]>::try_from(branches) {
                    Ok([only]) => only,
                    Err(several) => json!({ "anyOf": several }),
                })
            }
        }
    }

    fn refuses_pattern(&self, pattern: &str) -> bool {
        !self.profile.patterns.lookaround && crate::patterns::has_lookaround(pattern)
    }

    /// Whether a schema can only be sent as JSON text: a map in a dialect of closed objects, or too deep a container.
    pub(super) fn must_become_text(&self, entries: &Object, at: &At) -> bool {
        if at.is_root {
            return false;
        }
        let names = json::types(entries).unwrap_or_default();
        let is_container = names.iter().any(|name| matches!(*name, "object" | "array"));
        let is_too_deep = is_container && self.profile.limits.nesting.is_some_and(|limit| at.nesting >= limit);
        let has_properties = entries.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
        let is_open =
            entries.get("additionalProperties") != Some(&json!(false)) || entries.contains_key("patternProperties");
        let is_map = names.contains(&"object")
            && !has_properties
            && json::strings(entries, "required").is_empty()
            && is_open
            && self.profile.objects.closed;
        is_too_deep || is_map
    }

    /// Sends a value as its JSON text.
    pub(super) fn text(&mut self, entries: &Object, at: &At, notes: &mut Notes) -> Lowered {
        self.lose(LossKind::Widened, at, "type", "the value is sent as JSON text");
        let names = json::types(entries).unwrap_or_default();
        let mut out = Object::new();
        for word in ["title", "description"] {
            let value = entries.get(word).filter(|_| self.profile.accepts(word));
            out.extend(value.map(|value| (word.to_owned(), value.clone())));
        }
        notes.sentence("Give this value as JSON text.");
        for (word, value) in entries.iter().filter(|(word, _)| crate::keyword::is_assertion(word)) {
            notes.constraint(word, value);
        }
        out.insert("type".to_owned(), json!("string"));
        let lowered = Value::Object(out);
        let schema = if names.contains(&"null") { self.nullable(lowered) } else { lowered };
        let has_scalars = names.iter().any(|name| matches!(*name, "boolean" | "number" | "integer"));
        let which = match (has_scalars, self.profile.unions.null) {
            (true, _) => TextOf::Everything,
            (false, NullStyle::Omit) => TextOf::ContainersAndNull,
            (false, _) => TextOf::Containers,
        };
        Lowered { schema, step: Step::JsonText(which) }
    }
}

/// Tells the model what an alias stands for.
fn rename(schema: &mut Value, name: &str, siblings: bool) {
    let Value::Object(entries) = schema else { return };
    if entries.contains_key("$ref") && !siblings {
        return;
    }
    let note = format!("(`{name}`)");
    let described = match entries.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {note}"),
        None => note,
    };
    entries.insert("description".to_owned(), Value::String(described));
}
