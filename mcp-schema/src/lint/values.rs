//! Rules about enums, formats, patterns, unions and arrays.

use serde_json::Value;

use super::{Check, Spot};
use crate::{
    json::{self, Object},
    keyword,
};

/// A rule of an enum: whether it holds, which values it refuses, and what to say.
type EnumRule = (bool, fn(&Value) -> bool, &'static str);

impl Check<'_> {
    pub(super) fn values(&mut self, entries: &Object, spot: &Spot) {
        if let Some(Value::Array(listed)) = entries.get("enum") {
            self.listed(listed, spot);
        }
        if let Some(Value::String(format)) = entries.get("format")
            && self.profile.formats.as_ref().is_some_and(|known| !known.contains(format))
        {
            self.find(&spot.pointer, "format", format!("the format `{format}` is not accepted"));
        }
        if let Some(Value::String(pattern)) = entries.get("pattern") {
            self.pattern(pattern, spot);
        }
        for pattern in
            entries.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(|map| map.keys())
        {
            self.lookaround(pattern, spot);
        }
        let largest = self.profile.arrays.largest_repetition;
        for word in ["maxLength", "maxItems"] {
            let found = entries.get(word).and_then(json::count);
            if largest.is_some_and(|limit| found.is_some_and(|found| found > limit)) {
                self.find(&spot.pointer, "repetition", format!("`{word}` is too large for a grammar"));
            }
        }
    }

    fn listed(&mut self, listed: &[Value], spot: &Spot) {
        let rules = self.profile.enums.clone();
        self.totals.enum_values += listed.len();
        self.totals.name_characters +=
            listed.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum::<usize>();
        if listed.is_empty() {
            self.find(&spot.pointer, "enum", "an `enum` without values");
        }
        let refused: [EnumRule; 4] = [
            (rules.strings_only, |value| !value.is_string(), "only strings are accepted in `enum`"),
            (
                !rules.containers,
                |value| value.is_object() || value.is_array(),
                "objects and arrays are not accepted in `enum`",
            ),
            (
                !rules.booleans,
                |value| value.is_boolean() || value.is_null(),
                "booleans and null are not accepted in `enum`",
            ),
            (!rules.empty_string, |value| value.as_str() == Some(""), "the empty string is not accepted in `enum`"),
        ];
        for (is_rule, refuses, message) in refused {
            if is_rule && listed.iter().any(refuses) {
                let rule = if message.starts_with("the empty") { "empty" } else { "enum" };
                self.find(&spot.pointer, rule, message);
            }
        }
        let kinds = |value: &Value| (value.is_string(), value.is_number(), value.is_null());
        let mut all = listed.iter().filter(|value| !value.is_null()).map(kinds);
        let first = all.next();
        if rules.one_type && all.any(|kind| Some(kind) != first) {
            self.find(&spot.pointer, "enum", "all values of `enum` must have one type");
        }
    }

    fn pattern(&mut self, pattern: &str, spot: &Spot) {
        self.lookaround(pattern, spot);
        let rules = &self.profile.patterns;
        let is_anchored = pattern.starts_with('^') && pattern.ends_with('$');
        let has_class = pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && b"dwsDWS".contains(&pair[1]));
        if rules.anchored && !is_anchored {
            self.find(&spot.pointer, "anchored", format!("the pattern `{pattern}` is not anchored at both ends"));
        }
        if !self.profile.patterns.classes && has_class {
            self.find(&spot.pointer, "classes", format!("the pattern `{pattern}` uses character classes"));
        }
    }

    fn lookaround(&mut self, pattern: &str, spot: &Spot) {
        let looks =
            pattern.contains("(?=") || pattern.contains("(?!") || pattern.contains("(?<=") || pattern.contains("(?<!");
        if looks && !self.profile.patterns.lookaround {
            self.find(&spot.pointer, "lookaround", format!("the pattern `{pattern}` looks around"));
        }
    }

    pub(super) fn union(&mut self, entries: &Object, spot: &Spot) {
        let Some(Value::Array(branches)) = entries.get("anyOf") else { return };
        if branches.is_empty() {
            self.find(&spot.pointer, "union", "an `anyOf` without branches");
        }
        let rules = &self.profile.unions;
        let has_siblings = entries.keys().any(|word| word != "anyOf" && keyword::is_assertion(word));
        let has_reference = branches.iter().any(|branch| branch.get("$ref").is_some());
        let (siblings, references) = (rules.siblings, rules.references);
        if has_siblings && !siblings {
            self.find(&spot.pointer, "union", "other constraints stand beside `anyOf`");
        }
        if has_reference && !references {
            self.find(&spot.pointer, "union", "a branch of `anyOf` is a `$ref`");
        }
    }

    pub(super) fn array(&mut self, entries: &Object, spot: &Spot) {
        let is_array = json::types(entries).is_some_and(|names| names.contains(&"array"));
        if !is_array {
            return;
        }
        self.totals.deepest = self.totals.deepest.max(spot.level);
        if self.profile.arrays.items_required && !entries.contains_key("items") {
            self.find(&spot.pointer, "items", "the array has no `items`");
        }
        let least = entries.get("minItems").and_then(json::count).unwrap_or(0);
        if self.profile.arrays.largest_minimum.is_some_and(|largest| least > largest) {
            self.find(&spot.pointer, "min-items", format!("`minItems: {least}` is not accepted"));
        }
    }
}
