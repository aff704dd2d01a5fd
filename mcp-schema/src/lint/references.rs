//! Rules about `$ref`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Check, Spot};
use crate::{
    json::{self, Object},
    keyword,
    profile::Recursion,
};

impl Check<'_> {
    pub(super) fn reference(&mut self, entries: &Object, spot: &Spot) {
        let Some(reference) = entries.get("$ref") else { return };
        let rules = self.profile.references.clone();
        if !rules.allowed {
            return;
        }
        let Some(reference) = reference.as_str() else {
            self.find(&spot.pointer, "reference", "`$ref` is not a string");
            return;
        };
        let is_restricted = self.profile.keywords.is_some();
        let name = reference.strip_prefix("#/$defs/");
        let is_plain = reference == "#" || name.is_some_and(|name| !name.contains('/'));
        if is_restricted && !is_plain {
            self.find(&spot.pointer, "reference", format!("`{reference}` must be `#` or `#/$defs/name`"));
        } else if let Some(name) = name.filter(|_| is_plain)
            && self.root.get("$defs").and_then(|definitions| definitions.get(name)).is_none()
        {
            self.find(&spot.pointer, "reference", format!("`{reference}` refers to nothing"));
        }
        if !reference.starts_with('#') {
            self.find(&spot.pointer, "reference", format!("`{reference}` leads out of the schema"));
        }
        if !rules.siblings && entries.len() > 1 {
            self.find(&spot.pointer, "siblings", "other keywords stand beside `$ref`");
        }
    }

    /// Looks for recursion where it is refused, by walking from every definition until it comes back.
    pub(super) fn references(&mut self) {
        let recursion = self.profile.references.recursion;
        if !self.profile.references.allowed || recursion == Recursion::Keep {
            return;
        }
        let definitions = self.root.get("$defs").and_then(Value::as_object);
        let named = definitions.into_iter().flatten().map(|(name, body)| (format!("#/$defs/{name}"), body));
        let starts: Vec<(String, &Value)> = named.chain([("#".to_owned(), self.root)]).collect();
        for (reference, body) in starts {
            if self.comes_back(&reference, body, recursion == Recursion::OptionalOnly) {
                let pointer = reference.trim_start_matches('#').to_owned();
                self.find(&pointer, "recursion", format!("`{reference}` contains itself"));
            }
        }
    }

    /// Whether a definition reaches itself; with `through_required`, by properties that are required alone.
    fn comes_back(&self, start: &str, body: &Value, through_required: bool) -> bool {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut pending = vec![body];
        while let Some(schema) = pending.pop() {
            let Value::Object(entries) = schema else { continue };
            if let Some(reference) = entries.get("$ref").and_then(Value::as_str) {
                if reference == start {
                    return true;
                }
                let target = reference.strip_prefix("#/$defs/").and_then(|name| self.root.get("$defs")?.get(name));
                if seen.insert(reference.to_owned()) {
                    pending.extend(target);
                }
            }
            pending.extend(below(entries, through_required));
        }
        false
    }
}

fn below(entries: &Object, through_required: bool) -> impl Iterator<Item = &Value> {
    let required = json::strings(entries, "required");
    keyword::children(entries)
        .filter(move |(word, token, _)| {
            let is_optional = *word == "properties" && token.as_deref().is_some_and(|name| !required.contains(&name));
            *word != "$defs" && !(through_required && is_optional)
        })
        .map(|(_, _, child)| child)
}
