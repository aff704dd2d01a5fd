//! Which properties and items a schema evaluates, as `unevaluatedProperties` and `unevaluatedItems` see it
//! (2020-12 core §11), when that does not depend on the instance.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::json::Object;

/// Keywords whose subschemas apply to the same instance, but only under a condition.
const CONDITIONAL: [&str; 3] = ["if", "then", "else"];

/// The properties a schema evaluates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Properties {
    pub(crate) names: BTreeSet<String>,
    pub(crate) patterns: BTreeSet<String>,
    pub(crate) all: bool,
}

impl Properties {
    /// What is evaluated in every case; `None` when the instance decides.
    pub(crate) fn of(entries: &Object) -> Option<Self> {
        let mut always = Self::default();
        always.add_static(entries);
        let mut sometimes = Self::default();
        let is_known = sometimes.add_conditional(entries);
        (always.all || (is_known && sometimes.is_within(&always))).then_some(always)
    }

    fn add_static(&mut self, entries: &Object) {
        let keys = |word: &str| entries.get(word).and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
        self.names.extend(keys("properties").cloned());
        self.patterns.extend(keys("patternProperties").cloned());
        self.all |= ["additionalProperties", "unevaluatedProperties"].iter().any(|word| entries.contains_key(*word));
        for branch in objects(entries, "allOf") {
            self.add_static(branch);
        }
    }

    /// Adds what may be evaluated; `false` when that is unknown because a recursive reference hides it.
    fn add_conditional(&mut self, entries: &Object) -> bool {
        let nested = objects(entries, "allOf").all(|branch| self.add_conditional(branch));
        !entries.contains_key("$ref")
            && nested
            && conditional(entries).all(|branch| {
                self.add_static(branch);
                self.add_conditional(branch)
            })
    }

    fn is_within(&self, other: &Self) -> bool {
        (!self.all || other.all) && self.names.is_subset(&other.names) && self.patterns.is_subset(&other.patterns)
    }
}

/// The items a schema evaluates: a prefix, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Items {
    pub(crate) prefix: usize,
    pub(crate) all: bool,
}

impl Items {
    /// What is evaluated in every case; `None` when the instance decides.
    pub(crate) fn of(entries: &Object) -> Option<Self> {
        let mut always = Self::default();
        always.add_static(entries);
        let mut sometimes = Self::default();
        let is_known = sometimes.add_conditional(entries);
        (always.all || (is_known && !sometimes.all && sometimes.prefix <= always.prefix)).then_some(always)
    }

    fn add_static(&mut self, entries: &Object) {
        let prefix = entries.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        self.prefix = self.prefix.max(prefix);
        self.all |= ["items", "unevaluatedItems"].iter().any(|word| entries.contains_key(*word));
        for branch in objects(entries, "allOf") {
            self.add_static(branch);
        }
    }

    /// `contains` evaluates the items it matches, which only the instance can tell.
    fn add_conditional(&mut self, entries: &Object) -> bool {
        let nested = objects(entries, "allOf").all(|branch| self.add_conditional(branch));
        !entries.contains_key("$ref")
            && !entries.contains_key("contains")
            && nested
            && conditional(entries).all(|branch| {
                self.add_static(branch);
                self.add_conditional(branch)
            })
    }
}

fn objects<'a>(entries: &'a Object, word: &str) -> impl Iterator<Item = &'a Object> {
    entries.get(word).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn conditional(entries: &Object) -> impl Iterator<Item = &Object> {
    let dependent = entries.get("dependentSchemas").and_then(Value::as_object);
    objects(entries, "anyOf")
        .chain(objects(entries, "oneOf"))
        .chain(CONDITIONAL.iter().filter_map(|word| entries.get(*word)?.as_object()))
        .chain(dependent.into_iter().flat_map(|map| map.values().filter_map(Value::as_object)))
}
