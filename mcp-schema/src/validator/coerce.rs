//! Reads strings as what they spell, where the schema leaves no doubt.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::Arc,
};

use serde_json::Value;

use crate::{
    definitions::{self, rename_root},
    fuel::Fuel,
    guard::Guard,
    intersect,
    json::{self, Object},
};

/// References followed for one value; a longer chain cannot decide a type in a useful schema.
const MOST_REFERENCES: usize = 32;

/// The root among the definitions; no definition is called that, as their names have letters and digits only.
const ROOT_NAME: &str = "-root";

/// Coerces `value` by a self-contained schema.
pub(super) fn coerce(schema: &Value, value: Value) -> Value {
    let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    // A branch may refer to the root, which is not the root of what its guard compiles.
    let mut root = schema.clone();
    if let Value::Object(entries) = &mut root {
        entries.shift_remove("$defs");
    }
    let named = definitions.clone().into_iter().chain([(ROOT_NAME.to_owned(), root)]);
    let guarded: Object = named.map(|(name, body)| (name, rename_root(body, ROOT_NAME))).collect();
    Coercion {
        root: schema,
        definitions,
        guarded: Arc::new(guarded),
        fuel: Fuel::of(&value),
        guards: RefCell::default(),
    }
    .value(schema, value, MOST_REFERENCES)
}

struct Coercion<'a> {
    root: &'a Value,
    definitions: Object,
    /// The definitions and the root, as guards see them.
    guarded: Arc<Object>,
    fuel: Fuel,
    /// Compiled branches of unions, by address.
    guards: RefCell<BTreeMap<usize, Rc<Guard>>>,
}

impl Coercion<'_> {
    fn value(&self, schema: &Value, value: Value, references: usize) -> Value {
        let (Value::Object(entries), true) = (schema, references > 0) else { return value };
        if self.fuel.take(1).is_none() {
            return value;
        }
        let value = match value {
            Value::String(text) => self.spelled(schema, text),
            other => other,
        };
        let value = match self.target(entries) {
            Some(target) => self.value(target, value, references - 1),
            None => value,
        };
        let value = branches(entries, "allOf").fold(value, |value, branch| self.value(branch, value, references - 1));
        let value = self.union(entries, value, references);
        match value {
            Value::Object(members) => self.object(entries, members, references),
            Value::Array(items) => self.array(entries, items, references),
            other => other,
        }
    }

    /// Takes the first branch that accepts the value after coercing it by that branch.
    fn union(&self, entries: &Object, value: Value, references: usize) -> Value {
        for word in ["anyOf", "oneOf"] {
            let accepted = branches(entries, word).find_map(|branch| {
                self.fuel.take_for_copy(&value)?;
                let coerced = self.value(branch, value.clone(), references - 1);
                self.guard(branch).admits(&coerced, &self.fuel).then_some(coerced)
            });
            if let Some(accepted) = accepted {
                return accepted;
            }
        }
        value
    }

    fn guard(&self, schema: &Value) -> Rc<Guard> {
        // The schema outlives the coercion, so its address names it.
        let name = std::ptr::from_ref(schema).addr();
        let mut guards = self.guards.borrow_mut();
        let new = || Guard::new(rename_root(schema.clone(), ROOT_NAME), Arc::clone(&self.guarded));
        Rc::clone(guards.entry(name).or_insert_with(|| Rc::new(new())))
    }

    fn object(&self, entries: &Object, members: Object, references: usize) -> Value {
        let properties = entries.get("properties").and_then(Value::as_object);
        let additional = entries.get("additionalProperties");
        let coerced = members.into_iter().map(|(name, member)| {
            let schema = properties.and_then(|map| map.get(&name)).or(additional);
            let member = match schema {
                Some(schema) => self.value(schema, member, references),
                None => member,
            };
            (name, member)
        });
        Value::Object(coerced.collect())
    }

    fn array(&self, entries: &Object, items: Vec<Value>, references: usize) -> Value {
        let prefix = entries.get("prefixItems").and_then(Value::as_array);
        let rest = entries.get("items");
        let coerced = items.into_iter().enumerate().map(|(index, item)| {
            match prefix.and_then(|prefix| prefix.get(index)).or(rest) {
                Some(schema) => self.value(schema, item, references),
                None => item,
            }
        });
        Value::Array(coerced.collect())
    }

    /// Reads a string, if the schema has a type for what it spells and none for the string.
    fn spelled(&self, schema: &Value, text: String) -> Value {
        let Some(types) = self.types(schema, MOST_REFERENCES) else { return Value::String(text) };
        if types.contains("string") {
            return Value::String(text);
        }
        let Ok(spelled) = serde_json::from_str::<Value>(&text) else { return Value::String(text) };
        let name = json::type_name(&spelled);
        let is_accepted = types.contains(name) || (name == "integer" && types.contains("number"));
        if is_accepted { spelled } else { Value::String(text) }
    }

    /// The types a schema accepts; `None` when it does not say.
    fn types(&self, schema: &Value, references: usize) -> Option<BTreeSet<String>> {
        let (Value::Object(entries), true) = (schema, references > 0) else { return None };
        self.fuel.take(1)?;
        let named = json::types(entries).map(|names| names.into_iter().map(str::to_owned).collect());
        let listed = intersect::allowed(entries)
            .map(|values| values.iter().map(|value| json::type_name(value).to_owned()).collect());
        let referred = self.target(entries).and_then(|target| self.types(target, references - 1));
        let merged = branches(entries, "allOf").map(|branch| self.types(branch, references - 1));
        let unions = ["anyOf", "oneOf"].into_iter().map(|word| self.union_types(entries, word, references));
        let sets: Vec<BTreeSet<String>> =
            [named, listed, referred].into_iter().chain(merged).chain(unions).flatten().collect();
        sets.into_iter().reduce(|left, right| common(&left, &right))
    }

    fn union_types(&self, entries: &Object, word: &str, references: usize) -> Option<BTreeSet<String>> {
        let mut types = BTreeSet::new();
        for branch in entries.get(word)?.as_array()? {
            types.extend(self.types(branch, references - 1)?);
        }
        Some(types)
    }

    fn target(&self, entries: &Object) -> Option<&Value> {
        match definitions::target(entries.get("$ref")?)? {
            definitions::ROOT => Some(self.root),
            name => self.definitions.get(name),
        }
    }
}

fn branches<'a>(entries: &'a Object, word: &str) -> impl Iterator<Item = &'a Value> {
    entries.get(word).and_then(Value::as_array).into_iter().flatten()
}

/// What both sets accept; an integer is a number.
fn common(left: &BTreeSet<String>, right: &BTreeSet<String>) -> BTreeSet<String> {
    let admits =
        |set: &BTreeSet<String>, name: &str| set.contains(name) || (name == "integer" && set.contains("number"));
    left.union(right).filter(|name| admits(left, name) && admits(right, name)).cloned().collect()
}
