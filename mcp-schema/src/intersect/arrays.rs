//! `prefixItems` and `items`, and the `contains` group.

use serde_json::{Value, json};

use super::{Intersect, Merging, values};
use crate::json::Object;

impl Intersect {
    /// Intersects item by item: behind its prefix, a side demands its `items` of every position.
    pub(super) fn items(&mut self, merging: &mut Merging, right: &Object) {
        let words = ["prefixItems", "items"];
        if !words.iter().any(|word| right.contains_key(*word)) {
            return;
        }
        let own = words.into_iter().filter_map(|word| Some((word.to_owned(), merging.out.get_mut(word)?.take())));
        let left: Object = own.collect();
        let prefix = |side: &Object| side.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
        let (ours, theirs) = (prefix(&left), prefix(right));
        let rest = |side: &Object| side.get("items").cloned();
        let at = |list: &[Value], side: &Object, index: usize| {
            list.get(index).cloned().or_else(|| rest(side)).unwrap_or(json!(true))
        };
        let length = ours.len().max(theirs.len());
        let merged: Vec<Value> =
            (0..length).map(|index| self.schemas(&at(&ours, &left, index), &at(&theirs, right, index))).collect();
        if length > 0 {
            merging.out.insert("prefixItems".to_owned(), Value::Array(merged));
        }
        let items = match (rest(&left), rest(right)) {
            (Some(left), Some(right)) => Some(self.schemas(&left, &right)),
            (one, other) => one.or(other),
        };
        merging.out.extend(items.map(|schema| ("items".to_owned(), schema)));
    }
}

/// Two `contains` stay two, unless they look for the same thing.
pub(super) fn contains(merging: &mut Merging, right: &Object) {
    let Some(theirs) = right.get("contains") else { return };
    let words = ["contains", "minContains", "maxContains"];
    match merging.out.get("contains") {
        Some(ours) if ours == theirs => {
            let one = json!(1);
            let minimum = |side: &Object| side.get("minContains").cloned().unwrap_or(one.clone());
            let least = values::larger(&minimum(&merging.out), &minimum(right));
            let most = match (merging.out.get("maxContains"), right.get("maxContains")) {
                (Some(ours), Some(theirs)) => Some(values::smaller(ours, theirs)),
                (ours, theirs) => ours.or(theirs).cloned(),
            };
            if least != one || merging.out.contains_key("minContains") {
                merging.out.insert("minContains".to_owned(), least);
            }
            merging.out.extend(most.map(|most| ("maxContains".to_owned(), most)));
        }
        found => {
            let into = if found.is_some() { &mut merging.rest } else { &mut merging.out };
            for word in words {
                into.extend(right.get(word).map(|value| (word.to_owned(), value.clone())));
            }
        }
    }
}
