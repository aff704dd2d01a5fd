//! `items`, `prefixItems` and the number of items.

use serde_json::{Value, json};

use super::{At, Lowered, Lowering, unions};
use crate::{
    codec::Step,
    json::{self, Distinct, Object},
    report::LossKind,
};

/// What becomes of the array keywords.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) keywords: Object,
    pub(super) step: Step,
}

impl Lowering<'_> {
    /// Writes the array keywords together: a tuple may have to become a list.
    pub(super) fn array(&mut self, entries: &Object, at: &At) -> Group {
        let is_array = json::types(entries).is_some_and(|names| names.contains(&"array"));
        let has_keywords =
            ["items", "prefixItems", "minItems", "maxItems"].iter().any(|word| entries.contains_key(*word));
        let is_excluded = !is_array && json::types(entries).is_some();
        if is_excluded || !is_array && !has_keywords {
            return Group::default();
        }
        let mut group = Group::default();
        let prefix = self.positions(entries, at);
        let items = self.items(entries, prefix.len(), at);
        let steps: Vec<Step> = prefix.iter().map(|lowered| lowered.step.clone()).collect();
        let rest = items.as_ref().map(|lowered| lowered.step.clone()).unwrap_or_default();
        self.counts(&mut group.keywords, entries, at);
        if prefix.is_empty() || self.profile.accepts("prefixItems") {
            if !prefix.is_empty() {
                let written = prefix.into_iter().map(|lowered| lowered.schema).collect();
                group.keywords.insert("prefixItems".to_owned(), written);
            }
            group.keywords.extend(items.map(|lowered| ("items".to_owned(), lowered.schema)));
        } else {
            self.as_list(&mut group.keywords, prefix, items, at);
        }
        let demands_items = self.profile.arrays.items_required && is_array;
        if demands_items && !group.keywords.contains_key("items") {
            let any = self.anything(&Object::new());
            group.keywords.insert("items".to_owned(), any.schema);
            group.step = Step::Array { prefix: steps, items: Box::new(any.step) };
        } else {
            group.step = Step::Array { prefix: steps, items: Box::new(rest) };
        }
        group
    }

    fn positions(&mut self, entries: &Object, at: &At) -> Vec<Lowered> {
        let prefix = entries.get("prefixItems").and_then(Value::as_array);
        let indexed = prefix.into_iter().flatten().enumerate();
        let in_union = !self.profile.accepts("prefixItems");
        indexed
            .map(|(index, schema)| {
                let below = At { in_union, ..at.inside("prefixItems", Some(&index.to_string())) };
                self.lower(schema, &below)
            })
            .collect()
    }

    /// The schema of the items behind the prefix; `items: false` is said by `maxItems` where `false` is no schema.
    fn items(&mut self, entries: &Object, prefix: usize, at: &At) -> Option<Lowered> {
        let items = entries.get("items")?;
        if *items == json!(false) {
            return self.can_close(prefix).then(|| Lowered::plain(json!(false)));
        }
        let in_union = prefix > 0 && !self.profile.accepts("prefixItems");
        Some(self.lower(items, &At { in_union, ..at.inside("items", None) }))
    }

    /// Whether `items: false` can be said behind a prefix of this length.
    fn can_close(&self, prefix: usize) -> bool {
        self.profile.types.boolean_schemas && (prefix == 0 || self.profile.accepts("prefixItems"))
    }

    /// A tuple as a list whose items are any of its positions.
    fn as_list(&mut self, out: &mut Object, prefix: Vec<Lowered>, items: Option<Lowered>, at: &At) {
        self.lose(LossKind::Widened, at, "prefixItems", "the positions of the items are not accepted");
        let is_closed = items.is_none() && out.contains_key("maxItems");
        let rest = match items {
            Some(items) => Some(items.schema),
            None if is_closed => None,
            None => Some(self.anything(&Object::new()).schema),
        };
        let branches: Distinct = prefix.into_iter().map(|lowered| lowered.schema).chain(rest).collect();
        let branches = unions::joined_values(self.with_null_in_type(branches.into_values()));
        let schema = match <[Value; 1]>::try_from(branches) {
            Ok([only]) => only,
            Err(several) => json!({ "anyOf": several }),
        };
        out.insert("items".to_owned(), schema);
    }

    /// Writes `minItems` and `maxItems`, the latter also for a closed tuple.
    fn counts(&mut self, out: &mut Object, entries: &Object, at: &At) {
        let bound = |word: &str| entries.get(word).and_then(json::count);
        let prefix = entries.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        let is_closed = entries.get("items") == Some(&json!(false)) && !self.can_close(prefix);
        let most = match (bound("maxItems"), is_closed) {
            (given, true) => Some(given.unwrap_or(u64::MAX).min(prefix as u64)),
            (given, false) => given,
        };
        let largest = self.profile.arrays.largest_repetition.unwrap_or(u64::MAX);
        if let Some(most) = most {
            if self.profile.accepts("maxItems") && most <= largest {
                out.insert("maxItems".to_owned(), json!(most));
            } else {
                self.lose(LossKind::Widened, at, "maxItems", "the number of items cannot be bounded");
            }
        }
        let Some(least) = bound("minItems") else { return };
        let smallest = self.profile.arrays.largest_minimum.unwrap_or(u64::MAX).min(largest);
        if !self.profile.accepts("minItems") {
            self.lose(LossKind::Widened, at, "minItems", "the keyword is not accepted");
            return;
        }
        if least > smallest {
            self.lose(LossKind::Widened, at, "minItems", "the number of items cannot be demanded");
        }
        out.insert("minItems".to_owned(), json!(least.min(smallest)));
    }
}
