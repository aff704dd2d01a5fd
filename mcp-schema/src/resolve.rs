//! Writes referred schemas out in place of their references.

use std::borrow::Cow;

use serde_json::Value;

use crate::{
    definitions::{self, Definitions},
    json::Object,
    keyword,
    limits::Limits,
    upgrade::add_to_all_of,
};

/// Inlines every reference of a self-contained schema that is not recursive and fits the budget.
///
/// What stays a reference points to `#` or to `#/$defs/name`, with its definition kept. A schema that refers to
/// nothing, as most do, is lent back.
pub(crate) fn inline<'a>(schema: &'a Value, limits: &Limits) -> Cow<'a, Value> {
    if schema.get("$defs").is_none() && definitions::uses(schema).is_empty() {
        return Cow::Borrowed(schema);
    }
    let definitions = Definitions::of(schema);
    let mut pass = Inline { definitions: &definitions, written: 0, limit: limits.expanded_nodes, is_spent: false };
    let root = pass.schema(schema);
    let declared = schema.get("$defs").and_then(Value::as_object);
    let mut kept = Object::new();
    for (name, body) in declared.into_iter().flatten() {
        if definitions.facts(name).is_none_or(|facts| !facts.can_inline()) || pass.is_spent {
            let body = pass.schema(body);
            kept.insert(name.clone(), body);
        }
    }
    // A budget that ran out half way leaves references to definitions that are otherwise written out everywhere.
    for (name, body) in declared.into_iter().flatten() {
        if pass.is_spent && !kept.contains_key(name) {
            kept.insert(name.clone(), body.clone());
        }
    }
    Cow::Owned(definitions::assemble(root, kept))
}

struct Inline<'a> {
    definitions: &'a Definitions<'a>,
    written: usize,
    limit: usize,
    /// Whether a reference had to stay because the budget did not reach for its target.
    is_spent: bool,
}

impl Inline<'_> {
    fn schema(&mut self, schema: &Value) -> Value {
        let Value::Object(entries) = schema else { return schema.clone() };
        let mut out = Object::new();
        for (word, value) in entries.iter().filter(|(word, _)| *word != "$defs") {
            let written = keyword::rebuild(word, value, &mut |_, child| self.schema(child));
            out.insert(word.clone(), written);
        }
        self.written += out.len();
        let had_reference = only_branch(entries).is_some_and(|branch| branch.get("$ref").is_some());
        match self.expansion(entries) {
            Some(target) => {
                out.shift_remove("$ref");
                join(out, target)
            }
            None if had_reference => without_wrapper(out),
            None => Value::Object(out),
        }
    }

    fn expansion(&mut self, entries: &Object) -> Option<Value> {
        let name = definitions::target(entries.get("$ref")?)?;
        let facts = self.definitions.facts(name)?;
        if !facts.can_inline() {
            return None;
        }
        if self.written + facts.size > self.limit {
            self.is_spent = true;
            return None;
        }
        self.definitions.body(name).map(|body| self.schema(body))
    }
}

/// Puts a written-out target where its reference stood. Keywords beside the reference hold as well as the target's;
/// of two descriptions the one beside the reference wins, because it is about this use.
pub(crate) fn join(mut local: Object, target: Value) -> Value {
    if local.keys().any(|word| keyword::is_assertion(word)) {
        add_to_all_of(&mut local, target);
        return Value::Object(local);
    }
    match target {
        Value::Object(mut entries) => {
            for (word, value) in local {
                entries.insert(word, value);
            }
            Value::Object(entries)
        }
        Value::Bool(false) => {
            local.insert("not".to_owned(), Value::Object(Object::new()));
            Value::Object(local)
        }
        other if local.is_empty() => other,
        _ => Value::Object(local),
    }
}

/// The only branch of an `anyOf` that stands there to carry annotations beside a reference.
fn only_branch(entries: &Object) -> Option<&Value> {
    let branches = entries.get("anyOf")?.as_array()?;
    let is_alone = !entries.keys().any(|word| word != "anyOf" && keyword::is_assertion(word));
    match branches.as_slice() {
        [only] if is_alone => Some(only),
        _ => None,
    }
}

/// Takes the wrapper off again once its reference is written out.
fn without_wrapper(mut entries: Object) -> Value {
    let only = only_branch(&entries).filter(|branch| branch.get("$ref").is_none()).cloned();
    match only {
        Some(only) => {
            entries.shift_remove("anyOf");
            join(entries, only)
        }
        None => Value::Object(entries),
    }
}
