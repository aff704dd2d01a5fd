//! `properties`, `patternProperties` and `additionalProperties`, which only mean something together.

use serde_json::Value;

use super::{Intersect, Merging, is_open};
use crate::json::Object;

const GROUP: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];

/// The object keywords of one schema.
#[derive(Debug, Default)]
struct Group {
    properties: Option<Object>,
    patterns: Option<Object>,
    additional: Option<Value>,
}

impl Group {
    /// Takes the keywords out of a schema; their places in the order of keywords stay.
    fn take(entries: &mut Object) -> Self {
        let mut map = |word: &str| match entries.get_mut(word).map(Value::take) {
            Some(Value::Object(map)) => Some(map),
            _ => None,
        };
        let (properties, patterns) = (map("properties"), map("patternProperties"));
        Self { properties, patterns, additional: entries.get_mut("additionalProperties").map(Value::take) }
    }

    fn put(self, entries: &mut Object) {
        entries.extend(self.properties.map(|map| ("properties".to_owned(), Value::Object(map))));
        entries.extend(self.patterns.map(|map| ("patternProperties".to_owned(), Value::Object(map))));
        entries.extend(self.additional.map(|schema| ("additionalProperties".to_owned(), schema)));
    }
}

impl Intersect {
    /// Intersects the object keywords of two schemas.
    ///
    /// A property that only one side names is, for the other side, an additional one: it must satisfy that side's
    /// `additionalProperties` unless one of its patterns matches. Forgetting this is how merging opens closed objects.
    pub(super) fn properties(&mut self, merging: &mut Merging, right: &Object) {
        let copy = |into: &mut Object| {
            for word in GROUP {
                into.extend(right.get(word).map(|value| (word.to_owned(), value.clone())));
            }
        };
        let has_group = |entries: &Object| GROUP.iter().any(|word| entries.contains_key(*word));
        if !has_group(right) {
            return;
        }
        if !has_group(&merging.out) {
            return copy(&mut merging.out);
        }
        if !self.can_merge(&merging.out, right) {
            return copy(&mut merging.rest);
        }
        let mut group = Group::take(&mut merging.out);
        self.demand_of_ours(&mut group, right);
        self.add_theirs(&mut group, right);
        self.add_patterns(&mut group, right);
        group.additional = match (group.additional, right.get("additionalProperties")) {
            (Some(ours), Some(theirs)) => Some(self.append(ours, theirs)),
            (ours, theirs) => ours.or_else(|| theirs.cloned()),
        };
        group.put(&mut merging.out);
    }

    /// Whether no pattern of one side may overlap the additional properties of the other in a way that only
    /// `allOf` can say, and every pattern that decides about a name can be run.
    fn can_merge(&mut self, left: &Object, right: &Object) -> bool {
        let patterns =
            |side: &Object| side.get("patternProperties").and_then(Value::as_object).cloned().unwrap_or_default();
        let (ours, theirs) = (patterns(left), patterns(right));
        let only_ours = ours.keys().any(|pattern| !theirs.contains_key(pattern));
        let only_theirs = theirs.keys().any(|pattern| !ours.contains_key(pattern));
        let word = "additionalProperties";
        let overlaps = (only_ours && !is_open(right, word)) || (only_theirs && !is_open(left, word));
        let mut can_run = |pattern: &String| self.patterns.is_match(pattern, "").is_some();
        !overlaps && ours.keys().chain(theirs.keys()).all(&mut can_run)
    }

    /// What the right side demands of properties that only the left side names.
    fn demand_of_ours(&mut self, group: &mut Group, right: &Object) {
        let Some(additional) = right.get("additionalProperties") else { return };
        let theirs = right.get("properties").and_then(Value::as_object);
        for (name, schema) in group.properties.iter_mut().flatten() {
            let is_named = theirs.is_some_and(|map| map.contains_key(name));
            if !is_named && !self.matches_pattern(right.get("patternProperties"), name) {
                let ours = schema.take();
                *schema = self.append(ours, additional);
            }
        }
    }

    /// Adds the properties of the right side, with what the left side demands of those it does not name.
    fn add_theirs(&mut self, group: &mut Group, right: &Object) {
        let Some(theirs) = right.get("properties").and_then(Value::as_object) else { return };
        let patterns = group.patterns.clone().map(Value::Object);
        let mut ours = group.properties.take().unwrap_or_default();
        for (name, schema) in theirs {
            if let Some(own) = ours.get_mut(name) {
                let taken = own.take();
                *own = self.append(taken, schema);
                continue;
            }
            let additional = group.additional.as_ref();
            let merged = match additional.filter(|_| !self.matches_pattern(patterns.as_ref(), name)) {
                Some(additional) => self.schemas(schema, additional),
                None => schema.clone(),
            };
            ours.insert(name.clone(), merged);
        }
        group.properties = Some(ours);
    }

    fn add_patterns(&mut self, group: &mut Group, right: &Object) {
        let Some(theirs) = right.get("patternProperties").and_then(Value::as_object) else { return };
        let mut ours = group.patterns.take().unwrap_or_default();
        for (pattern, schema) in theirs {
            let merged = match ours.get(pattern) {
                Some(own) => self.schemas(own, schema),
                None => schema.clone(),
            };
            ours.insert(pattern.clone(), merged);
        }
        group.patterns = Some(ours);
    }

    fn matches_pattern(&mut self, patterns: Option<&Value>, name: &str) -> bool {
        let patterns = patterns.and_then(Value::as_object);
        patterns
            .into_iter()
            .flat_map(|map| map.keys())
            .any(|pattern| self.patterns.is_match(pattern, name) == Some(true))
    }
}
