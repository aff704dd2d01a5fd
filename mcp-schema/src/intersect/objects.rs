//! `properties`, `patternProperties` and `additionalProperties`, which only mean something together.

use serde_json::Value;

use super::{Intersect, Merging, entries, is_open};
use crate::json::Object;

const GROUP: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];

impl Intersect {
    /// Intersects the object keywords of two schemas.
    ///
    /// A property that only one side names is, for the other side, an additional one: it must satisfy that side's
    /// `additionalProperties` unless one of its patterns matches. Forgetting this is how merging opens closed objects.
    pub(super) fn properties(&mut self, merging: &mut Merging, right: &Object) {
        if !GROUP.iter().any(|word| right.contains_key(*word)) {
            return;
        }
        if !GROUP.iter().any(|word| merging.out.contains_key(*word)) {
            for word in GROUP {
                merging.out.extend(right.get(word).map(|value| (word.to_owned(), value.clone())));
            }
            return;
        }
        let left = merging.out.clone();
        match self.object_group(&left, right) {
            Some(group) => merging.out.extend(group),
            None => {
                for word in GROUP {
                    merging.rest.extend(right.get(word).map(|value| (word.to_owned(), value.clone())));
                }
            }
        }
    }

    /// The merged keywords; `None` where a pattern on one side may overlap the other side's additional properties.
    fn object_group(&mut self, left: &Object, right: &Object) -> Option<Object> {
        let patterns = self.merged_patterns(left, right)?;
        let properties = self.merged_properties(left, right)?;
        let mut group = Object::new();
        if ["properties"].iter().any(|word| left.contains_key(*word) || right.contains_key(*word)) {
            group.insert("properties".to_owned(), Value::Object(properties));
        }
        if !patterns.is_empty() {
            group.insert("patternProperties".to_owned(), Value::Object(patterns));
        }
        let word = "additionalProperties";
        let additional = match (left.get(word), right.get(word)) {
            (Some(left), Some(right)) => Some(self.schemas(left, right)),
            (one, other) => one.or(other).cloned(),
        };
        group.extend(additional.map(|schema| (word.to_owned(), schema)));
        Some(group)
    }

    fn merged_properties(&mut self, left: &Object, right: &Object) -> Option<Object> {
        let (ours, theirs) = (entries(left, "properties"), entries(right, "properties"));
        let mut merged = Object::new();
        for (name, schema) in left.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let other = match theirs.get(name.as_str()) {
                Some(other) => Some((*other).clone()),
                None => self.additional(right, name)?,
            };
            let both = other.map_or_else(|| schema.clone(), |other| self.schemas(schema, &other));
            merged.insert(name.clone(), both);
        }
        for (name, schema) in right.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if !ours.contains_key(name.as_str()) {
                let other = self.additional(left, name)?;
                let both = other.map_or_else(|| schema.clone(), |other| self.schemas(schema, &other));
                merged.insert(name.clone(), both);
            }
        }
        Some(merged)
    }

    /// What `side`, which does not name the property, demands of it as an additional one: `Some(None)` is nothing,
    /// `None` is unknown.
    #[expect(clippy::option_option, reason = "unknown and nothing are different answers")]
    fn additional(&mut self, side: &Object, name: &str) -> Option<Option<Value>> {
        let Some(additional) = side.get("additionalProperties") else { return Some(None) };
        for pattern in entries(side, "patternProperties").keys() {
            if self.patterns.is_match(pattern, name)? {
                return Some(None);
            }
        }
        Some(Some(additional.clone()))
    }

    fn merged_patterns(&mut self, left: &Object, right: &Object) -> Option<Object> {
        let (ours, theirs) = (entries(left, "patternProperties"), entries(right, "patternProperties"));
        let only_ours = ours.keys().any(|pattern| !theirs.contains_key(pattern));
        let only_theirs = theirs.keys().any(|pattern| !ours.contains_key(pattern));
        let word = "additionalProperties";
        if (only_ours && !is_open(right, word)) || (only_theirs && !is_open(left, word)) {
            return None;
        }
        let mut merged = left.get("patternProperties").and_then(Value::as_object).cloned().unwrap_or_default();
        for (pattern, schema) in right.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            let both = match merged.get(pattern) {
                Some(ours) => self.schemas(&ours.clone(), schema),
                None => schema.clone(),
            };
            merged.insert(pattern.clone(), both);
        }
        Some(merged)
    }
}
