//! Compiles a self-contained 2020-12 schema with the `jsonschema` crate, offline and with bounded patterns.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::PatternOptions;
use serde_json::Value;

use crate::{
    definitions::{self, Definitions, ROOT},
    effort,
    error::Error,
    fuel::Fuel,
    json::Object,
    keyword, patterns,
};

/// Bytes a compiled pattern may take.
const LARGEST_PATTERN: usize = 1024 * 1024;

/// Steps a pattern that looks around may take on one string before it gives up.
const BACKTRACKS: usize = 100_000;

/// A schema that is ready to judge values.
#[derive(Debug)]
pub(crate) struct Compiled {
    schema: Value,
    validator: jsonschema::Validator,
}

impl Compiled {
    /// Compiles `schema`.
    ///
    /// The library recurses along references, both when it compiles and when it validates, so a nesting deeper than
    /// `reference_depth` and a reference that leads back to the same instance are refused here.
    pub(crate) fn new(schema: Value, reference_depth: usize) -> Result<Self, Error> {
        if !definitions::uses(&schema).is_empty() {
            check_references(&schema, reference_depth)?;
        }
        let validator = validator(&schema)?;
        Ok(Self { schema, validator })
    }

    /// What was compiled.
    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether a value is valid; `None` when finding out would take more steps than there are, or too much stack.
    pub(crate) fn verdict(&self, instance: &Value, fuel: &Fuel) -> Option<bool> {
        let effort = effort::judging(&self.schema, instance, fuel)?;
        fuel.take(effort.verdict)?;
        Some(self.validator.is_valid(instance))
    }

    /// What is wrong with a value; `None` as for [`verdict`](Self::verdict).
    pub(crate) fn errors<'a>(&'a self, instance: &'a Value, fuel: &Fuel) -> Option<jsonschema::ErrorIterator<'a>> {
        let effort = effort::judging(&self.schema, instance, fuel)?;
        fuel.take(effort.errors)?;
        Some(self.validator.iter_errors(instance))
    }
}

/// Patterns run in time linear in the text, unless one of them looks around: then all of them may backtrack, up to a
/// limit.
fn validator(schema: &Value) -> Result<jsonschema::Validator, Error> {
    let options = jsonschema::draft202012::options().offline().should_validate_formats(false);
    let built = if uses_lookaround(schema) {
        let fancy = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS).size_limit(LARGEST_PATTERN);
        options.with_pattern_options(fancy).build(schema)
    } else {
        options.with_pattern_options(PatternOptions::regex().size_limit(LARGEST_PATTERN)).build(schema)
    };
    built.map_err(|error| Error::Invalid { pointer: error.instance_path().to_string(), message: error.to_string() })
}

fn check_references(schema: &Value, limit: usize) -> Result<(), Error> {
    let found = Definitions::of(schema).reach();
    if found > limit {
        return Err(Error::TooLarge { what: "nesting levels behind references", limit, found });
    }
    match loops(schema) {
        Some(name) => {
            let message = "the reference leads back to itself without going into the instance".to_owned();
            Err(Error::Invalid { pointer: format!("/$defs/{name}"), message })
        }
        None => Ok(()),
    }
}

/// Finds a definition that refers to itself for the same instance, which no validator can finish.
fn loops<'a>(schema: &'a Value) -> Option<&'a str> {
    let declared = schema.get("$defs").and_then(Value::as_object);
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    edges.insert(ROOT, in_place(schema));
    edges.extend(declared.into_iter().flatten().map(|(name, body)| (name.as_str(), in_place(body))));
    let next = |name: &'a str| edges.get(name).into_iter().flatten().copied();
    definitions::prune(edges.keys().copied().collect(), next).into_iter().next()
}

/// The definitions a schema applies to the very instance it is applied to.
fn in_place(schema: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut pending = vec![schema];
    while let Some(schema) = pending.pop() {
        let Value::Object(entries) = schema else { continue };
        found.extend(entries.get("$ref").and_then(definitions::target));
        pending.extend(
            keyword::children(entries).filter(|(word, ..)| keyword::is_in_place(word)).map(|(_, _, child)| child),
        );
    }
    found
}

fn uses_lookaround(schema: &Value) -> bool {
    let Value::Object(entries) = schema else { return false };
    own_patterns(entries).any(patterns::needs_backtracking)
        || keyword::children(entries).any(|(_, _, child)| uses_lookaround(child))
}

fn own_patterns(entries: &Object) -> impl Iterator<Item = &str> {
    let keys = entries.get("patternProperties").and_then(Value::as_object);
    let pattern = entries.get("pattern").and_then(Value::as_str);
    pattern.into_iter().chain(keys.into_iter().flat_map(|map| map.keys().map(String::as_str)))
}
