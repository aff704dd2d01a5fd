//! `allOf`, `oneOf`, `not` and `if` where a provider does not know them.

use serde_json::{Value, json};

use super::{At, LARGEST_UNROLLING, Lowering, notes::Notes};
use crate::{
    definitions, intersect,
    json::{self, Distinct, Object},
    keyword, merge,
    report::LossKind,
};

/// Branches that are compared in pairs; more of them count as overlapping.
const MOST_COMPARED: usize = 64;

/// Nesting below which two recursive schemas are no longer merged level by level.
const DEEPEST_UNFOLDING: usize = 8;

impl Lowering<'_> {
    /// Rewrites the combinators the profile does not accept in terms of `anyOf`, `enum` and `type`, exactly where
    /// that is possible.
    pub(super) fn prepare(&mut self, entries: Object, at: &At, notes: &mut Notes) -> Value {
        let entries = match self.without_all_of(entries, at, notes) {
            Value::Object(entries) => entries,
            other => return other,
        };
        let entries = self.without_not(entries);
        let entries = self.without_if(entries);
        match entries {
            Value::Object(entries) => self.without_one_of(entries, at),
            other => other,
        }
    }

    /// What merging left in `allOf`: two patterns, two recursive references.
    fn without_all_of(&mut self, mut entries: Object, at: &At, notes: &mut Notes) -> Value {
        if self.accepts_here("allOf", at) {
            return Value::Object(entries);
        }
        let Some(Value::Array(branches)) = entries.shift_remove("allOf") else { return Value::Object(entries) };
        let own = self.unfold(&Value::Object(entries), at);
        let branches: Vec<Value> = branches.iter().map(|branch| self.unfold(branch, at)).collect();
        let joined = match own {
            Value::Object(own) => merge::join(own, branches, &mut self.intersect),
            other => other,
        };
        let Value::Object(mut joined) = joined else { return joined };
        let Some(Value::Array(left)) = joined.shift_remove("allOf") else { return Value::Object(joined) };
        self.lose(LossKind::Widened, at, "allOf", "the constraints cannot be written in one schema");
        for (word, value) in left.iter().filter_map(Value::as_object).flatten().filter(|(word, _)| *word != "$ref") {
            notes.constraint(word, value);
        }
        Value::Object(joined)
    }

    /// Writes a recursive reference out by one level, so that it can be merged. Two recursive schemas may never come
    /// back to the same pair, so this ends with the budget.
    fn unfold(&mut self, schema: &Value, at: &At) -> Value {
        let Some(name) = schema.get("$ref").and_then(definitions::target) else { return schema.clone() };
        let name = if name.is_empty() { &self.root_name } else { name };
        let is_spent = self.written > LARGEST_UNROLLING || at.nesting > DEEPEST_UNFOLDING;
        let Some(body) = self.originals.get(name).filter(|_| !is_spent).cloned() else { return schema.clone() };
        let mut local = schema.as_object().cloned().unwrap_or_default();
        local.shift_remove("$ref");
        merge::join(local, vec![body], &mut self.intersect)
    }

    /// `not` of types or values, where the types or values that remain are known.
    fn without_not(&self, mut entries: Object) -> Object {
        if self.profile.accepts("not") {
            return entries;
        }
        let Some(Value::Object(negated)) = entries.get("not") else { return entries };
        let is_only = |word: &str| negated.len() == 1 && negated.contains_key(word);
        if is_only("type") {
            let refused: Vec<&str> = json::types(negated).unwrap_or_default();
            if !refused.contains(&"integer") {
                let declared = json::types(&entries);
                let all = ["string", "number", "boolean", "object", "array", "null"];
                let names: Vec<&str> = declared.unwrap_or_else(|| all.to_vec());
                let left: Vec<&str> = names
                    .into_iter()
                    .filter(|name| !refused.contains(name) && (*name != "integer" || !refused.contains(&"number")))
                    .collect();
                if !left.is_empty() {
                    let value = json::type_value(&left);
                    entries.insert("type".to_owned(), value);
                    entries.shift_remove("not");
                }
            }
            return entries;
        }
        if let (true, Some(refused), Some(allowed)) =
            (is_only("enum") || is_only("const"), intersect::allowed(negated), intersect::allowed(&entries))
        {
            let refused: Distinct = refused.into_iter().collect();
            let left: Vec<Value> = allowed.into_iter().filter(|value| !refused.contains(value)).collect();
            if !left.is_empty() {
                entries.shift_remove("const");
                entries.insert("enum".to_owned(), Value::Array(left));
                entries.shift_remove("not");
            }
        }
        entries
    }

    /// `if` on tags (constants of required properties) is a union of the cases.
    fn without_if(&mut self, mut entries: Object) -> Value {
        if self.profile.accepts("if") {
            return Value::Object(entries);
        }
        let Some((name, tag)) = entries.get("if").and_then(tag_of) else { return Value::Object(entries) };
        let Some(listed) = entries
            .get("properties")
            .and_then(|map| map.get(&name))
            .and_then(Value::as_object)
            .and_then(intersect::allowed)
        else {
            return Value::Object(entries);
        };
        let (matching, others): (Vec<Value>, Vec<Value>) =
            listed.into_iter().partition(|value| json::equal(value, &tag));
        let is_required = json::strings(&entries, "required").contains(&name.as_str());
        if matching.is_empty() || others.is_empty() || !is_required || entries.contains_key("anyOf") {
            return Value::Object(entries);
        }
        entries.shift_remove("if");
        let consequence = entries.shift_remove("then").unwrap_or(json!(true));
        let alternative = entries.shift_remove("else").unwrap_or(json!(true));
        let case = |values: Vec<Value>| json!({ "properties": { name.clone(): { "enum": values } } });
        let yes = self.intersect.schemas(&case(matching), &consequence);
        let no = self.intersect.schemas(&case(others), &alternative);
        let branches: Vec<Value> = [yes, no].into_iter().filter(|branch| *branch != json!(false)).collect();
        if branches.is_empty() {
            return json!(false);
        }
        entries.insert("anyOf".to_owned(), Value::Array(branches));
        Value::Object(entries)
    }

    /// `oneOf` becomes `anyOf`, which means the same if no two branches overlap.
    fn without_one_of(&mut self, mut entries: Object, at: &At) -> Value {
        let keeps = self.accepts_here("oneOf", at) && !self.translates();
        if keeps || !entries.contains_key("oneOf") {
            return Value::Object(entries);
        }
        let Some(Value::Array(branches)) = entries.shift_remove("oneOf") else { return Value::Object(entries) };
        if !are_disjoint(&branches) {
            self.lose(LossKind::Widened, at, "oneOf", "more than one branch may hold at once");
        }
        if ["unevaluatedProperties", "unevaluatedItems"].iter().any(|word| entries.contains_key(*word)) {
            return self.close_branches(entries, branches);
        }
        let any_of = Object::from_iter([("anyOf".to_owned(), Value::Array(branches))]);
        self.intersect.schemas(&Value::Object(entries), &Value::Object(any_of))
    }

    /// Moves everything into the branches, of which exactly one holds, so that each closes over what it evaluates.
    pub(super) fn close_branches(&mut self, entries: Object, branches: Vec<Value>) -> Value {
        let (mut annotations, assertions): (Object, Object) =
            entries.into_iter().partition(|(word, _)| keyword::is_annotation(word));
        let closed: Vec<Value> = branches
            .into_iter()
            .map(|branch| merge::join(assertions.clone(), vec![branch], &mut self.intersect))
            .filter(|branch| *branch != json!(false))
            .collect();
        if closed.is_empty() {
            return json!(false);
        }
        annotations.insert("anyOf".to_owned(), Value::Array(closed));
        Value::Object(annotations)
    }

    pub(super) fn accepts_here(&self, word: &str, at: &At) -> bool {
        if at.is_root { self.profile.accepts_at_root(word) } else { self.profile.accepts(word) }
    }
}

/// The property and constant that an `if` asks for, when it asks for nothing else.
fn tag_of(condition: &Value) -> Option<(String, Value)> {
    let entries = condition.as_object()?;
    let only_tags = entries.keys().all(|word| matches!(word.as_str(), "properties" | "required" | "type"));
    let properties = entries.get("properties")?.as_object()?;
    let (name, schema) = properties.iter().next().filter(|_| properties.len() == 1 && only_tags)?;
    let required = json::strings(entries, "required");
    if required.iter().any(|required| required != name) {
        return None;
    }
    let schema = schema.as_object()?;
    let values = intersect::allowed(schema)?;
    let is_plain = schema.keys().all(|word| matches!(word.as_str(), "const" | "enum"));
    match values.as_slice() {
        [tag] if is_plain => Some((name.clone(), tag.clone())),
        _ => None,
    }
}

/// Whether no instance can satisfy two of the branches, as far as types, values and required tags tell.
pub(super) fn are_disjoint(branches: &[Value]) -> bool {
    if branches.len() > MOST_COMPARED {
        return false;
    }
    let mut pairs = branches
        .iter()
        .enumerate()
        .flat_map(|(index, left)| branches.iter().skip(index + 1).map(move |right| (left, right)));
    pairs.all(|(left, right)| match (left, right) {
        (Value::Object(left), Value::Object(right)) => are_apart(left, right),
        (left, right) => *left == json!(false) || *right == json!(false),
    })
}

fn are_apart(left: &Object, right: &Object) -> bool {
    types_apart(left, right) || values_apart(left, right) || tags_apart(left, right)
}

fn types_apart(left: &Object, right: &Object) -> bool {
    let (Some(left), Some(right)) = (json::types(left), json::types(right)) else { return false };
    let overlap =
        |one: &str, other: &str| one == other || matches!((one, other), ("integer", "number") | ("number", "integer"));
    !left.iter().any(|one| right.iter().any(|other| overlap(one, other)))
}

fn values_apart(left: &Object, right: &Object) -> bool {
    let is_admitted = |values: &[Value], schema: &Object| match (intersect::allowed(schema), json::types(schema)) {
        (Some(others), _) => {
            let others: Distinct = others.into_iter().collect();
            values.iter().any(|value| others.contains(value))
        }
        (None, Some(names)) => values.iter().any(|value| names.iter().any(|name| json::type_admits(name, value))),
        (None, None) => true,
    };
    intersect::allowed(left).is_some_and(|values| !is_admitted(&values, right))
        || intersect::allowed(right).is_some_and(|values| !is_admitted(&values, left))
}

/// Both are objects and require a property whose values are apart.
fn tags_apart(left: &Object, right: &Object) -> bool {
    let is_object = |side: &Object| json::types(side).is_some_and(|names| names == ["object"]);
    let property = |side: &Object, name: &str| side.get("properties")?.get(name)?.as_object().cloned();
    let required = json::strings(right, "required");
    is_object(left)
        && is_object(right)
        && json::strings(left, "required").into_iter().filter(|name| required.contains(name)).any(|name| {
            let sides = (property(left, name), property(right, name));
            matches!(sides, (Some(left), Some(right)) if types_apart(&left, &right) || values_apart(&left, &right))
        })
}
