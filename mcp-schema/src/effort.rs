//! What validating one value would take.
//!
//! `jsonschema` bounds neither its steps nor its recursion, and a small schema can drive both: definitions that refer
//! to each other twice double the steps with every level, and a chain of references is followed again for every level
//! of the value. So the walk is counted before it is made. The count is an upper bound, and itself bounded: what a
//! definition takes for one part of the value is counted once.

use std::collections::HashMap;

use serde_json::Value;

use crate::{
    definitions::{self, ROOT},
    fuel::{self, Fuel},
    json::Object,
    keyword,
};

/// Subschemas that may be applied inside each other: each takes the library some stack, of which a thread may have no
/// more than 2 MiB.
const DEEPEST: usize = 2_000;

/// A name, where only names are validated.
static NAME: Value = Value::String(String::new());

/// What judging `instance` by a self-contained schema takes; `None` when counting it used up the fuel, or it would go too
/// deep.
pub(crate) fn judging(schema: &Value, instance: &Value, fuel: &Fuel) -> Option<Effort> {
    Walk { root: schema, fuel, known: HashMap::new() }.count(instance)
}

/// What one subschema takes for one part of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Steps of finding out whether it is valid.
    pub(crate) verdict: u64,
    /// Steps of finding every error.
    pub(crate) errors: u64,
    /// Subschemas applied inside each other.
    height: usize,
}

impl Effort {
    const LEAF: Self = Self { verdict: 1, errors: 1, height: 1 };

    fn add(&mut self, below: Self, way: Way) {
        let verdicts = below.verdict.saturating_mul(way.verdicts);
        let errors = match way.errors {
            Errors::Ignored => verdicts,
            Errors::Passed => below.errors.saturating_add(verdicts.saturating_sub(below.verdict)),
            Errors::Kept { parts } => below.errors.saturating_add(verdicts).saturating_add(parts),
        };
        self.verdict = self.verdict.saturating_add(verdicts);
        self.errors = self.errors.saturating_add(errors);
        self.height = self.height.max(below.height + 1);
    }
}

/// How a keyword applies its subschemas.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// How often it asks for a verdict.
    verdicts: u64,
    errors: Errors,
}

/// What a keyword makes of errors below it.
#[derive(Debug, Clone, Copy)]
enum Errors {
    /// It only asks for the verdict.
    Ignored,
    /// They are errors of the whole.
    Passed,
    /// It asks for the verdict first, and then keeps the errors, with a copy of the value and its parts.
    Kept { parts: u64 },
}

/// A subschema that is to be applied to a part of the value.
#[derive(Debug, Clone, Copy)]
struct Application<'a> {
    schema: &'a Value,
    instance: &'a Value,
    way: Way,
    /// Whether other references may lead to it as well.
    is_shared: bool,
}

/// An application whose own ones are being counted.
struct Frame<'a> {
    way: Way,
    /// Where to remember the result, for what several references may lead to.
    key: Option<Key>,
    pending: Vec<Application<'a>>,
    total: Effort,
}

/// A definition and a part of the value, by their addresses.
type Key = (usize, usize);

struct Walk<'a> {
    root: &'a Value,
    fuel: &'a Fuel,
    known: HashMap<Key, Effort>,
}

impl<'a> Walk<'a> {
    /// `None` when it is too much. The frames are on the heap: a hostile schema may go deep.
    fn count(&mut self, instance: &'a Value) -> Option<Effort> {
        let way = Way { verdicts: 1, errors: Errors::Passed };
        let mut frames = vec![self.frame(Application { schema: self.root, instance, way, is_shared: false }, None)?];
        while let Some(frame) = frames.last_mut() {
            let Some(next) = frame.pending.pop() else {
                let Frame { way, key, total, .. } = frames.pop()?;
                self.known.extend(key.map(|key| (key, total)));
                let Some(parent) = frames.last_mut() else { return Some(total) };
                parent.total.add(total, way);
                continue;
            };
            let key = next.is_shared.then(|| (address(next.schema), address(next.instance)));
            let known = key.and_then(|key| self.known.get(&key));
            if let Some(known) = known {
                frame.total.add(*known, next.way);
            }
            let height = known.map_or(1, |known| known.height);
            if frames.len() + height > DEEPEST {
                return None;
            }
            if known.is_none() {
                frames.push(self.frame(next, key)?);
            }
        }
        None
    }

    /// Every application costs before it takes memory: thousands of patterns may apply to thousands of members.
    fn frame(&self, application: Application<'a>, key: Option<Key>) -> Option<Frame<'a>> {
        let Application { schema, instance, way, .. } = application;
        let pending = match schema {
            Value::Object(entries) => self.applications(entries, instance)?,
            _ => Vec::new(),
        };
        Some(Frame { way, key, pending, total: Effort::LEAF })
    }

    /// What a schema applies to a part of the value and to the parts of that.
    fn applications(&self, entries: &'a Object, instance: &'a Value) -> Option<Vec<Application<'a>>> {
        // What is evaluated is found out by asking everything in place once more.
        let asks_again = entries.contains_key("unevaluatedProperties") || entries.contains_key("unevaluatedItems");
        let in_place = Way { verdicts: if asks_again { 2 } else { 1 }, errors: Errors::Passed };
        let target = entries.get("$ref").and_then(definitions::target).and_then(|name| self.definition(name));
        let mut found: Vec<Application<'a>> =
            target.into_iter().map(|schema| Application { schema, instance, way: in_place, is_shared: true }).collect();
        for (word, token, schema) in keyword::children(entries) {
            let way = match word {
                "not" | "if" | "contains" | "propertyNames" => Way { errors: Errors::Ignored, ..in_place },
                "anyOf" | "oneOf" => Way { errors: Errors::Kept { parts: self.parts(instance)? }, ..in_place },
                _ => in_place,
            };
            for instance in below(word, token.as_deref(), instance) {
                self.fuel.take(1)?;
                found.push(Application { schema, instance, way, is_shared: false });
            }
        }
        Some(found)
    }

    fn parts(&self, instance: &Value) -> Option<u64> {
        let parts = fuel::parts(instance);
        self.fuel.take(parts)?;
        Some(parts)
    }

    fn definition(&self, name: &str) -> Option<&'a Value> {
        if name == ROOT { Some(self.root) } else { self.root.get("$defs")?.get(name) }
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// The parts of an instance that a keyword applies a subschema to.
fn below<'a>(word: &str, token: Option<&str>, instance: &'a Value) -> Box<dyn Iterator<Item = &'a Value> + 'a> {
    match (word, instance) {
        ("properties", Value::Object(members)) => Box::new(token.and_then(|name| members.get(name)).into_iter()),
        ("propertyNames", Value::Object(members)) => Box::new(members.iter().map(|_| &NAME)),
        ("patternProperties" | "additionalProperties" | "unevaluatedProperties", Value::Object(members)) => {
            Box::new(members.values())
        }
        ("prefixItems", Value::Array(items)) => {
            Box::new(token.and_then(|index| items.get(index.parse::<usize>().ok()?)).into_iter())
        }
        ("items" | "contains" | "unevaluatedItems", Value::Array(items)) => Box::new(items.iter()),
        _ if keyword::is_in_place(word) => Box::new(std::iter::once(instance)),
        _ => Box::new(std::iter::empty()),
    }
}
