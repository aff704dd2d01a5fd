//! Rules about objects and property names.

use serde_json::{Value, json};

use super::{Check, Spot};
use crate::json::{self, Object};

impl Check<'_> {
    pub(super) fn object(&mut self, entries: &Object, spot: &Spot) {
        self.names(entries, spot);
        let is_object = json::types(entries).is_some_and(|names| names.contains(&"object"));
        if !is_object {
            return;
        }
        self.totals.deepest = self.totals.deepest.max(spot.level);
        let rules = self.profile.objects.clone();
        let additional = entries.get("additionalProperties");
        if rules.closed && additional != Some(&json!(false)) {
            self.find(&spot.pointer, "closed", "the object does not say `additionalProperties: false`");
        }
        if rules.closed_unless_stated && additional.is_none() {
            self.find(&spot.pointer, "closed", "the provider closes objects that do not say `additionalProperties`");
        }
        if rules.properties_required && !entries.contains_key("properties") {
            self.find(&spot.pointer, "properties", "the object has no `properties`");
        }
        self.required(entries, spot);
    }

    fn required(&mut self, entries: &Object, spot: &Spot) {
        let required = json::strings(entries, "required");
        let properties = entries.get("properties").and_then(Value::as_object);
        let is_declared = |name: &str| properties.is_some_and(|map| map.contains_key(name));
        if self.profile.objects.all_required {
            let optional: Vec<&String> = properties
                .into_iter()
                .flat_map(|map| map.keys())
                .filter(|name| !required.contains(&name.as_str()))
                .collect();
            for name in optional {
                self.find(&spot.pointer, "required", format!("the property `{name}` is not in `required`"));
            }
        }
        let must_declare = self.profile.objects.closed || !self.profile.accepts("additionalProperties");
        for name in required.into_iter().filter(|name| must_declare && !is_declared(name)) {
            self.find(&spot.pointer, "required", format!("`{name}` is required but not declared"));
        }
    }

    fn names(&mut self, entries: &Object, spot: &Spot) {
        let declared: Vec<&String> =
            entries.get("properties").and_then(Value::as_object).into_iter().flat_map(|map| map.keys()).collect();
        self.totals.properties += declared.len();
        self.totals.name_characters += declared.iter().map(|name| name.chars().count()).sum::<usize>();
        let Some(rules) = self.profile.keys.as_ref().filter(|rules| spot.is_root || !rules.root_only) else { return };
        let is_fine = |name: &str| {
            let first_is_letter = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
            !name.is_empty()
                && name.chars().count() <= rules.longest
                && name.chars().all(|char| char.is_ascii_alphanumeric() || rules.also.contains(char))
                && (first_is_letter || !rules.starts_with_letter)
        };
        let refused: Vec<&String> = declared.into_iter().filter(|name| !is_fine(name)).collect();
        for name in refused {
            self.find(&spot.pointer, "key", format!("the property name `{name}` is not accepted"));
        }
    }
}
