//! Folds `allOf` into the schema it stands in, and closes what `unevaluatedProperties` closes.

use serde_json::{Value, json};

use crate::{
    definitions,
    evaluated::{Items, Properties},
    intersect::Intersect,
    json::{self, Object},
    keyword,
    limits::Limits,
    pointer,
    upgrade::add_to_all_of,
};

/// What merging yields.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) schema: Value,
    /// Pointers of schemas that turned out to accept nothing.
    pub(crate) contradictions: Vec<String>,
}

/// Merges every `allOf` of a resolved schema into its parent, as the intersection it means.
///
/// The result accepts exactly what the schema accepts. Where an intersection cannot be written without `allOf` (two
/// patterns, two recursive references), the `allOf` stays.
pub(crate) fn merge_all_of(schema: &Value, limits: &Limits) -> Merged {
    let mut pass = Merge { intersect: Intersect::new(limits), contradictions: Vec::new() };
    let root = pass.schema(schema, &Place::Root);
    let mut kept = Object::new();
    let definitions = Place::Root.below("$defs");
    for (name, body) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        let merged = pass.schema(body, &definitions.below(name));
        kept.insert(name.clone(), merged);
    }
    Merged { schema: definitions::assemble(root, kept), contradictions: pass.contradictions }
}

/// Intersects a schema with more branches, minding what `unevaluatedProperties` beside them sees of them.
pub(crate) fn join(mut entries: Object, branches: Vec<Value>, intersect: &mut Intersect) -> Value {
    for branch in branches {
        add_to_all_of(&mut entries, branch);
    }
    // These look at what their neighbours evaluate, so they stay aside until everything else is one schema.
    let held: Vec<(&str, Option<Value>)> =
        [PROPERTIES, ITEMS].into_iter().map(|word| (word, entries.shift_remove(word))).collect();
    let mut merged = fold(entries, intersect);
    let mut kept = Object::new();
    for (word, closing) in held.into_iter().filter_map(|(word, closing)| Some((word, closing?))) {
        match conjunct(word, &merged, &closing) {
            Closing::Nothing => {}
            Closing::Conjunct(conjunct) => merged = intersect.append(merged, &conjunct),
            Closing::Unknown => {
                kept.insert(word.to_owned(), closing);
            }
        }
    }
    match merged {
        Value::Object(mut entries) => {
            entries.extend(kept);
            drop_irrelevant(&mut entries);
            Value::Object(entries)
        }
        Value::Bool(true) if !kept.is_empty() => Value::Object(kept),
        other => other,
    }
}

const PROPERTIES: &str = "unevaluatedProperties";
const ITEMS: &str = "unevaluatedItems";

/// Where a schema is. Only contradictions ask for its pointer, so that it is not written for every schema.
enum Place<'a> {
    Root,
    Below(&'a Self, &'a str),
}

impl Place<'_> {
    fn below<'a>(&'a self, token: &'a str) -> Place<'a> {
        Place::Below(self, token)
    }

    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Below(parent, token) => pointer::join(&parent.pointer(), token),
        }
    }
}

struct Merge {
    intersect: Intersect,
    contradictions: Vec<String>,
}

impl Merge {
    fn schema(&mut self, schema: &Value, at: &Place<'_>) -> Value {
        let Value::Object(entries) = schema else { return schema.clone() };
        let mut out = Object::with_capacity(entries.len());
        for (word, value) in entries.iter().filter(|(word, _)| *word != "$defs") {
            let below = at.below(word);
            let written = keyword::rebuild(word, value, &mut |token, child| match token {
                Some(token) => self.schema(child, &below.below(token)),
                None => self.schema(child, &below),
            });
            out.insert(word.clone(), written);
        }
        drop_orphans(&mut out);
        let merged = join(out, Vec::new(), &mut self.intersect);
        if merged == Value::Bool(false) && entries.contains_key("allOf") {
            self.contradictions.push(at.pointer());
        }
        merged
    }
}

/// Intersects the branches of `allOf` with the keywords beside it.
fn fold(mut entries: Object, intersect: &mut Intersect) -> Value {
    let branches = match entries.shift_remove("allOf") {
        Some(Value::Array(branches)) => branches,
        Some(other) => vec![other],
        None => return Value::Object(entries),
    };
    branches.iter().fold(Value::Object(entries), |merged, branch| intersect.append(merged, branch))
}

/// What an `unevaluated…` keyword comes to.
enum Closing {
    /// Nothing: everything is evaluated already.
    Nothing,
    /// A schema to intersect with, because what is evaluated is known beforehand.
    Conjunct(Value),
    /// It depends on the instance.
    Unknown,
}

/// Says `unevaluatedProperties` by `additionalProperties`, and `unevaluatedItems` by `items`.
fn conjunct(word: &str, schema: &Value, closing: &Value) -> Closing {
    let empty = Object::new();
    let entries = schema.as_object().unwrap_or(&empty);
    if word == ITEMS {
        return match Items::of(entries) {
            None => Closing::Unknown,
            Some(evaluated) if evaluated.all => Closing::Nothing,
            Some(evaluated) => {
                let mut conjunct = Object::from_iter([("items".to_owned(), closing.clone())]);
                if evaluated.prefix > 0 {
                    conjunct.insert("prefixItems".to_owned(), Value::Array(vec![json!(true); evaluated.prefix]));
                }
                Closing::Conjunct(Value::Object(conjunct))
            }
        };
    }
    match Properties::of(entries) {
        None => Closing::Unknown,
        Some(evaluated) if evaluated.all => Closing::Nothing,
        Some(evaluated) => {
            let mut conjunct = Object::from_iter([("additionalProperties".to_owned(), closing.clone())]);
            for (word, names) in [("properties", evaluated.names), ("patternProperties", evaluated.patterns)] {
                if !names.is_empty() {
                    let accepted = names.into_iter().map(|name| (name, json!(true))).collect();
                    conjunct.insert(word.to_owned(), Value::Object(accepted));
                }
            }
            Closing::Conjunct(Value::Object(conjunct))
        }
    }
}

/// Removes what speaks about types that the schema does not admit, also from the branches that stayed in `allOf`.
fn drop_irrelevant(entries: &mut Object) {
    let Some(names) = json::types(entries) else { return };
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let is_relevant = |word: &str| keyword::speaks_about(word, &names);
    entries.retain(|word, _| is_relevant(word));
    let Some(Value::Array(branches)) = entries.get_mut("allOf") else { return };
    for branch in branches.iter_mut() {
        if let Value::Object(branch) = branch {
            branch.retain(|word, _| is_relevant(word));
        }
    }
    branches.retain(|branch| !json::is_trivial(branch));
    if branches.is_empty() {
        entries.shift_remove("allOf");
    }
}

/// Removes keywords that mean nothing without their partner, and must not gain one by merging.
fn drop_orphans(entries: &mut Object) {
    for (partner, dependents) in [("if", ["then", "else"]), ("contains", ["minContains", "maxContains"])] {
        if !entries.contains_key(partner) {
            for dependent in dependents {
                entries.shift_remove(dependent);
            }
        }
    }
}
