//! The intersection of two schemas, written as one schema.
//!
//! Always exact: what cannot be combined keyword by keyword is kept as an `allOf` branch.

mod arrays;
mod objects;
mod values;

use serde_json::{Value, json};

use crate::{
    json::{self, Object},
    limits::Limits,
    patterns::Patterns,
    upgrade::add_to_all_of,
};

pub(crate) use values::allowed;

/// An intersection that no instance satisfies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Contradiction;

/// Intersects schemas within a budget that is shared by all calls.
#[derive(Debug)]
pub(crate) struct Intersect {
    patterns: Patterns,
    branches: usize,
    remaining: usize,
}

/// Keywords that depend on what their neighbours evaluate; merging would change their neighbours.
const SCOPED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

impl Intersect {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { patterns: Patterns::default(), branches: limits.branches, remaining: limits.expanded_nodes }
    }

    /// A schema that accepts exactly what both accept. Descriptions of the left one win.
    pub(crate) fn schemas(&mut self, left: &Value, right: &Value) -> Value {
        self.append(left.clone(), right)
    }

    /// As `schemas`, for a left one that grows with every call: folding a long list must not copy it every time.
    pub(crate) fn append(&mut self, left: Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Bool(false), _) | (_, Value::Bool(false)) => json!(false),
            (Value::Bool(true), other) => other.clone(),
            (left, Value::Bool(true)) => left,
            (Value::Object(left), other) if left.is_empty() => other.clone(),
            (left, Value::Object(right)) if right.is_empty() => left,
            (left, right) if left == *right => left,
            (Value::Object(left), Value::Object(right)) => self.objects(left, right),
            (left, _) => left,
        }
    }

    fn objects(&mut self, left: Object, right: &Object) -> Value {
        let scoped = |entries: &Object| SCOPED.iter().any(|word| entries.contains_key(*word));
        let references = (left.get("$ref"), right.get("$ref"));
        let clash = matches!(references, (Some(left), Some(right)) if left != right);
        if scoped(&left) || scoped(right) || clash || self.remaining == 0 {
            return both(left, right);
        }
        let members = |entries: &Object| entries.get("properties").and_then(Value::as_object).map_or(0, Object::len);
        self.remaining = self.remaining.saturating_sub(1 + right.len() + members(right));
        let mut merging = Merging { out: left, rest: Object::new() };
        match self.merge(&mut merging, right) {
            Ok(()) => merging.finish(),
            Err(Contradiction) => json!(false),
        }
    }

    fn merge(&mut self, merging: &mut Merging, right: &Object) -> Result<(), Contradiction> {
        values::types(merging, right)?;
        values::values(merging, right)?;
        self.properties(merging, right);
        self.items(merging, right);
        arrays::contains(merging, right);
        conditions(merging, right);
        for (word, value) in right {
            self.keyword(merging, word, value)?;
        }
        Ok(())
    }

    /// Merges one keyword that can be merged alone.
    fn keyword(&mut self, merging: &mut Merging, word: &str, value: &Value) -> Result<(), Contradiction> {
        if is_grouped(word) {
            return Ok(());
        }
        let Some(ours) = merging.out.get_mut(word).map(Value::take) else {
            merging.out.insert(word.to_owned(), value.clone());
            return Ok(());
        };
        let merged = self.merged(merging, word, ours, value)?;
        merging.out.insert(word.to_owned(), merged);
        Ok(())
    }

    /// The value of a keyword that both sides have; what cannot be merged into it is left beside.
    fn merged(
        &mut self,
        merging: &mut Merging,
        word: &str,
        ours: Value,
        value: &Value,
    ) -> Result<Value, Contradiction> {
        Ok(match word {
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => values::larger(&ours, value),
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                values::smaller(&ours, value)
            }
            "uniqueItems" => json!(ours == json!(true) || *value == json!(true)),
            "required" | "allOf" => values::union(ours, value),
            "dependentRequired" => combine(&ours, value, &mut |left, right| values::union(left.clone(), right)),
            "dependentSchemas" => combine(&ours, value, &mut |left, right| self.schemas(left, right)),
            "propertyNames" => self.append(ours, value),
            "not" => values::either(&ours, value),
            "anyOf" | "oneOf" => return self.alternatives(merging, word, ours, value),
            "multipleOf" if ours != *value => match values::common_multiple(&ours, value) {
                Some(multiple) => multiple,
                None => merging.leave(word, ours, value),
            },
            "pattern" | "format" if ours != *value => merging.leave(word, ours, value),
            _ => ours,
        })
    }

    /// `anyOf` × `anyOf` is the `anyOf` of all pairs, and so is `oneOf` × `oneOf`: the number of pairs that hold is
    /// the product of the numbers of branches that hold, and a product is one only if both factors are.
    fn alternatives(
        &mut self,
        merging: &mut Merging,
        word: &str,
        ours: Value,
        theirs: &Value,
    ) -> Result<Value, Contradiction> {
        let (Some(left), Some(right)) = (ours.as_array(), theirs.as_array()) else { return Ok(ours) };
        if left == right {
            return Ok(ours);
        }
        if left.len().saturating_mul(right.len()) > self.branches {
            return Ok(merging.leave(word, ours, theirs));
        }
        let mut pairs: Vec<Value> = Vec::new();
        for left in left {
            for right in right {
                let pair = self.schemas(left, right);
                if pair != json!(false) && (word == "oneOf" || !pairs.contains(&pair)) {
                    pairs.push(pair);
                }
            }
        }
        if pairs.is_empty() {
            return Err(Contradiction);
        }
        Ok(Value::Array(pairs))
    }
}

/// The schema being built, and what must stay an `allOf` branch beside it.
#[derive(Debug)]
struct Merging {
    out: Object,
    rest: Object,
}

impl Merging {
    /// Leaves the right side's value beside, and gives the left side's back.
    fn leave(&mut self, word: &str, ours: Value, theirs: &Value) -> Value {
        self.rest.insert(word.to_owned(), theirs.clone());
        ours
    }

    fn finish(mut self) -> Value {
        if !self.rest.is_empty() {
            add_to_all_of(&mut self.out, Value::Object(self.rest));
        }
        Value::Object(self.out)
    }
}

/// Both schemas, side by side.
fn both(left: Object, right: &Object) -> Value {
    let mut all = branches(left);
    all.extend(branches(right.clone()));
    // Not by `json!`, which would copy what grows with every call.
    Value::Object(Object::from_iter([("allOf".to_owned(), Value::Array(all))]))
}

/// The branches of a schema that is nothing but an `allOf`, or the schema itself.
fn branches(mut entries: Object) -> Vec<Value> {
    let is_alone = entries.len() == 1;
    match entries.get_mut("allOf") {
        Some(Value::Array(branches)) if is_alone => std::mem::take(branches),
        _ => vec![Value::Object(entries)],
    }
}

/// Whether a keyword is merged together with its neighbours.
fn is_grouped(word: &str) -> bool {
    matches!(
        word,
        "type"
            | "enum"
            | "const"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "items"
            | "prefixItems"
            | "contains"
            | "minContains"
            | "maxContains"
            | "if"
            | "then"
            | "else"
    )
}

/// `if`, `then` and `else` belong together; a second set stays apart.
fn conditions(merging: &mut Merging, right: &Object) {
    if !right.contains_key("if") {
        return;
    }
    let words = ["if", "then", "else"];
    let group = |entries: &Object| words.map(|word| entries.get(word).cloned());
    if group(&merging.out) == group(right) {
        return;
    }
    let into = if merging.out.contains_key("if") { &mut merging.rest } else { &mut merging.out };
    for word in words {
        into.extend(right.get(word).map(|value| (word.to_owned(), value.clone())));
    }
}

/// Combines two maps key by key.
fn combine(left: &Value, right: &Value, merge: &mut dyn FnMut(&Value, &Value) -> Value) -> Value {
    let (Value::Object(left), Value::Object(right)) = (left, right) else { return left.clone() };
    let mut combined = left.clone();
    for (key, value) in right {
        let merged = combined.get(key).map_or_else(|| value.clone(), |ours| merge(ours, value));
        combined.insert(key.clone(), merged);
    }
    Value::Object(combined)
}

/// Whether a subschema keyword is absent or accepts everything.
fn is_open(schema: &Object, word: &str) -> bool {
    schema.get(word).is_none_or(json::is_trivial)
}
