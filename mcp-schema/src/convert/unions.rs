//! `anyOf`, and types in lists.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{At, Lowered, Lowering, logic::are_disjoint, notes::Notes};
use crate::{
    codec::{Alternative, Step, TextOf},
    definitions::rename_root,
    guard::Guard,
    intersect,
    json::{self, Distinct, Object},
    keyword,
    limits::node_count,
    profile::NullStyle,
    report::LossKind,
};

/// JSON values that one subschema has, roughly.
const VALUES_PER_SUBSCHEMA: usize = 4;

impl Lowering<'_> {
    /// Rewrites a schema with `anyOf`.
    pub(super) fn union(&mut self, mut entries: Object, at: &At, notes: &mut Notes) -> Lowered {
        let Some(Value::Array(branches)) = entries.shift_remove("anyOf") else {
            return self.shape(&entries, at, notes);
        };
        if branches.is_empty() {
            return self.shape(&entries, at, notes);
        }
        let has_siblings = entries.keys().any(|word| keyword::is_assertion(word));
        if has_siblings && branches.len() > 1 && !self.translates() && self.profile.unions.siblings {
            return self.union_beside(&entries, &branches, at, notes);
        }
        let mut entries = entries;
        if ["unevaluatedProperties", "unevaluatedItems"].iter().any(|word| entries.contains_key(*word)) {
            if are_disjoint(&branches) {
                let closed = self.close_branches(entries, branches);
                return self.lower(&closed, at);
            }
            // Two branches may hold at once, and then each must leave alone what the other evaluates.
            for word in ["unevaluatedProperties", "unevaluatedItems"] {
                if entries.shift_remove(word).is_some() {
                    self.lose(LossKind::Widened, at, word, "several branches may evaluate what it looks at");
                }
            }
        }
        let (annotations, assertions): (Object, Object) =
            entries.into_iter().partition(|(word, _)| keyword::is_annotation(word));
        let beside = Value::Object(assertions);
        let distributed: Vec<Value> = branches
            .iter()
            .map(|branch| self.intersect.schemas(branch, &beside))
            .filter(|branch| *branch != json!(false))
            .collect();
        if distributed.is_empty() {
            return self.nothing(at);
        }
        // Unions inside unions copy what is beside them again and again.
        self.copied += distributed.iter().map(node_count).sum::<usize>() / VALUES_PER_SUBSCHEMA;
        self.alternatives(&annotations, &distributed, at, notes)
    }

    /// Whether values below this profile may be sent in another form than the original's.
    pub(super) fn translates(&self) -> bool {
        let profile = self.profile;
        profile.objects.closed
            || profile.objects.all_required
            || profile.enums.strings_only
            || profile.enums.one_type
            || !profile.enums.containers
            || profile.keys.as_ref().is_some_and(|rules| !rules.root_only)
    }

    /// Keeps the other constraints beside `anyOf`.
    fn union_beside(&mut self, entries: &Object, branches: &[Value], at: &At, notes: &mut Notes) -> Lowered {
        let rewritten: Vec<Value> = branches
            .iter()
            .enumerate()
            .map(|(index, branch)| self.lower(branch, &at.below("anyOf", Some(&index.to_string()))).schema)
            .collect();
        let mut lowered = self.shape(entries, at, notes);
        if let Value::Object(out) = &mut lowered.schema {
            out.insert("anyOf".to_owned(), Value::Array(rewritten));
        }
        lowered
    }

    /// Writes `anyOf` with nothing but annotations beside it.
    fn alternatives(&mut self, annotations: &Object, branches: &[Value], at: &At, notes: &mut Notes) -> Lowered {
        let is_null =
            |branch: &Value| branch.get("type") == Some(&json!("null")) || *branch == json!({ "const": null });
        let separates_null = self.profile.unions.null != NullStyle::Type;
        let has_null = separates_null && branches.iter().any(is_null);
        let mut sent = Distinct::default();
        let mut steps: Vec<(Value, Step)> = Vec::new();
        for (index, branch) in branches.iter().enumerate().filter(|(_, branch)| !(separates_null && is_null(branch))) {
            let below = At { in_union: true, ..at.below("anyOf", Some(&index.to_string())) };
            let lowered = self.lower(branch, &below);
            sent.push(lowered.schema);
            steps.push((branch.clone(), lowered.step));
        }
        let step = self.choose(steps);
        let mut out = self.annotations(annotations, notes);
        let mut sent = sent.into_values();
        if sent.len() > 1 {
            sent.retain(|schema| *schema != json!(false));
        }
        let sent = self.with_null_in_type(sent);
        match <[Value; 1]>::try_from(sent) {
            Ok([only]) if self.needs_wrapper(&only, &out) => {
                out.insert("anyOf".to_owned(), json!([only]));
            }
            Ok([Value::Object(only)]) => {
                let merged = only.into_iter().filter(|(word, _)| !out.contains_key(word)).collect::<Vec<_>>();
                out.extend(merged);
            }
            Ok([other]) => return Lowered { schema: other, step },
            Err(several) if several.is_empty() => return self.only_null(out, at),
            Err(several) => {
                out.insert("anyOf".to_owned(), Value::Array(several));
            }
        }
        if has_null && self.profile.unions.null == NullStyle::Nullable {
            out.insert("nullable".to_owned(), json!(true));
        } else if has_null {
            self.lose(LossKind::Narrowed, at, "anyOf", "null cannot be written");
        }
        super::translate_annotations(&mut out, &step);
        Lowered { schema: Value::Object(out), step }
    }

    /// Whether a reference has to stay in an `anyOf` of its own, because nothing may stand beside it.
    fn needs_wrapper(&self, only: &Value, beside: &Object) -> bool {
        only.get("$ref").is_some() && !beside.is_empty() && !self.profile.references.siblings
    }

    /// `anyOf` of a typed schema and null is the schema with one more type, which shows the type at once.
    pub(super) fn with_null_in_type(&self, sent: Vec<Value>) -> Vec<Value> {
        let is_null = |branch: &Value| *branch == json!({ "type": "null" });
        match sent.as_slice() {
            [one, other] if is_null(one) != is_null(other) => {
                let typed = if is_null(one) { other } else { one };
                let nullable = self.nullable(typed.clone());
                if nullable.get("type").is_some() { vec![nullable] } else { sent }
            }
            _ => sent,
        }
    }

    fn only_null(&mut self, mut out: Object, at: &At) -> Lowered {
        out.insert("type".to_owned(), json!("string"));
        if self.profile.unions.null == NullStyle::Nullable {
            self.lose(LossKind::Widened, at, "anyOf", "the type `null` cannot stand alone");
            out.insert("nullable".to_owned(), json!(true));
        } else {
            self.lose(LossKind::Narrowed, at, "anyOf", "null cannot be written");
        }
        Lowered::plain(Value::Object(out))
    }

    /// The translation that picks the branch a value belongs to.
    fn choose(&self, steps: Vec<(Value, Step)>) -> Step {
        if steps.iter().all(|(_, step)| step.is_same()) {
            return Step::Same;
        }
        // Where one branch travels as JSON text, a string of another branch that reads as JSON must be told apart.
        let text = steps.iter().filter_map(|(_, step)| self.text_of(step)).max();
        let alternative = |(branch, step): (Value, Step)| {
            let step = match (step, text) {
                (Step::Same, Some(which)) if !lists_texts(&branch) => Step::JsonText(which),
                (step, _) => step,
            };
            let original = Guard::new(rename_root(branch, &self.root_name), Arc::clone(&self.originals));
            Alternative { original, step }
        };
        match <[(Value, Step); 1]>::try_from(steps) {
            Ok([(_, only)]) => only,
            Err(several) => Step::Alternatives(several.into_iter().map(alternative).collect()),
        }
    }

    fn text_of(&self, step: &Step) -> Option<TextOf> {
        match step {
            Step::JsonText(which) => Some(*which),
            Step::Alternatives(branches) => branches.iter().filter_map(|branch| self.text_of(&branch.step)).max(),
            // The names of listed values are their JSON text.
            Step::Values(renamed) => {
                renamed.iter().any(|pair| !pair.original.is_string()).then_some(TextOf::Everything)
            }
            Step::Definition(_) if self.profile.objects.closed => Some(TextOf::Containers),
            _ => None,
        }
    }

    fn annotations(&self, entries: &Object, notes: &mut Notes) -> Object {
        let mut out = Object::new();
        for (word, value) in entries {
            if self.profile.accepts(word) {
                out.insert(word.clone(), value.clone());
            } else {
                notes.annotation(word, value);
            }
        }
        out
    }

    /// Whether several types have to become several schemas.
    pub(super) fn must_split(&self, entries: &Object) -> bool {
        let names = json::types(entries).unwrap_or_default();
        let without_null = names.iter().filter(|name| **name != "null").count();
        let has_container = names.iter().any(|name| matches!(*name, "object" | "array"));
        let is_listed = intersect::allowed(entries).is_some();
        if is_listed && self.profile.unions.null != NullStyle::Type {
            return false;
        }
        let has_null = without_null < names.len() && self.profile.unions.null == NullStyle::Type;
        let written = without_null + usize::from(has_null);
        if is_listed && self.profile.enums.strings_only {
            return false;
        }
        written > 1
            && (!self.profile.types.lists
                || (has_container && !self.profile.types.lists_of_containers)
                || (has_container && without_null > 1 && self.translates()))
    }

    /// Writes one schema per type.
    pub(super) fn split(&mut self, entries: &Object, at: &At, notes: &mut Notes) -> Lowered {
        let names: Vec<String> = json::types(entries).into_iter().flatten().map(str::to_owned).collect();
        let (annotations, assertions): (Object, Object) =
            entries.clone().into_iter().partition(|(word, _)| keyword::is_annotation(word));
        let branches: Vec<Value> = names.iter().map(|name| of_type(&assertions, name)).collect();
        let branches: Vec<Value> = branches.into_iter().filter(|branch| *branch != json!(false)).collect();
        self.alternatives(&annotations, &branches, at, notes)
    }
}

/// Whether a branch lists all its values, which are sent as they stand there.
fn lists_texts(branch: &Value) -> bool {
    let listed = branch.as_object().and_then(intersect::allowed);
    listed.is_some_and(|values| values.iter().all(Value::is_string))
}

/// The part of a schema that speaks about one type.
fn of_type(assertions: &Object, name: &str) -> Value {
    let mut part = Object::from_iter([("type".to_owned(), json!(name))]);
    for (word, value) in assertions {
        if keyword::speaks_about(word, &[name]) && word != "type" {
            part.insert(word.clone(), value.clone());
        }
    }
    if let Some(listed) = intersect::allowed(assertions) {
        let own: Vec<Value> = listed.into_iter().filter(|value| json::type_admits(name, value)).collect();
        if own.is_empty() {
            return json!(false);
        }
        part.shift_remove("const");
        part.insert("enum".to_owned(), Value::Array(own));
    }
    Value::Object(part)
}

/// Reads an `anyOf` of constants as one `enum`; what the branches say goes into the description.
pub(super) fn as_enum(entries: &Object) -> Option<Object> {
    let branches = entries.get("anyOf")?.as_array()?;
    let mut values = Distinct::default();
    let mut meanings: Vec<String> = Vec::new();
    for branch in branches {
        let branch = branch.as_object()?;
        let listed = intersect::allowed(branch)?;
        let is_plain = branch
            .keys()
            .all(|word| keyword::is_annotation(word) || matches!(word.as_str(), "const" | "enum" | "type"));
        let fits = |value: &Value| {
            json::types(branch).is_none_or(|names| names.iter().any(|name| json::type_admits(name, value)))
        };
        if !is_plain || listed.is_empty() || !listed.iter().all(fits) {
            return None;
        }
        if let Some(meaning) = branch.get("description").or_else(|| branch.get("title")).and_then(Value::as_str) {
            meanings.push(format!("{}: {meaning}", Value::Array(listed.clone()).to_string().trim_matches(['[', ']'])));
        }
        values.extend(listed);
    }
    let values = values.into_values();
    let has_values = entries.contains_key("enum") || entries.contains_key("const");
    if values.is_empty() || has_values {
        return None;
    }
    let mut merged = entries.clone();
    merged.shift_remove("anyOf");
    merged.insert("enum".to_owned(), Value::Array(values));
    if !meanings.is_empty() {
        let own = merged.get("description").and_then(Value::as_str).map(|text| format!("{text} ")).unwrap_or_default();
        merged.insert("description".to_owned(), Value::String(format!("{own}{}", meanings.join("; "))));
    }
    Some(merged)
}

/// Joins rewritten branches that only list values of one type.
pub(super) fn joined_values(branches: Vec<Value>) -> Vec<Value> {
    let mut values = Distinct::default();
    let kind = branches.first().and_then(|branch| branch.get("type")).cloned();
    for branch in &branches {
        let listed = branch.as_object().and_then(intersect::allowed);
        let words = branch.as_object().into_iter().flat_map(|entries| entries.keys());
        let is_plain = words.clone().all(|word| matches!(word.as_str(), "type" | "enum" | "const"));
        match listed {
            Some(listed) if is_plain && branch.get("type") == kind.as_ref() => values.extend(listed),
            _ => return branches,
        }
    }
    let mut joined = Object::new();
    joined.extend(kind.map(|kind| ("type".to_owned(), kind)));
    joined.insert("enum".to_owned(), Value::Array(values.into_values()));
    if branches.len() > 1 { vec![Value::Object(joined)] } else { branches }
}
