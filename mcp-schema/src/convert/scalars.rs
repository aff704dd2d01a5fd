//! Keywords about single values: `enum`, `const`, bounds, formats and patterns.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};

use super::{At, Lowering, notes::Notes};
use crate::{
    codec::{Renamed, Step},
    definitions::rename_root,
    fuel::Fuel,
    guard::Guard,
    intersect,
    json::{self, Object},
    keyword, patterns,
    profile::NullStyle,
    report::LossKind,
};

/// What becomes of one keyword.
pub(super) enum Outcome {
    Kept(String, Value),
    /// A keyword, its weaker value, and why.
    Weakened(String, Value, &'static str),
    Dropped(&'static str),
}

/// What becomes of `enum` and `const`.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) keywords: Object,
    pub(super) step: Step,
    /// Whether other values are sent as strings.
    pub(super) are_text: bool,
    pub(super) listed: Listed,
}

/// What the schema lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Listed {
    /// Nothing: every value of the type is meant.
    #[default]
    Everything,
    /// Values of which its type admits none.
    Nothing,
    /// Values that are not null.
    WithoutNull,
    /// Values, null among them.
    WithNull,
    /// Null, which its type says as well.
    OnlyNull,
}

impl Lowering<'_> {
    /// Writes `enum` and `const`.
    pub(super) fn values(&mut self, entries: &Object, at: &At, notes: &mut Notes) -> Values {
        let Some(all) = intersect::allowed(entries) else { return Values::default() };
        let admitted: Vec<Value> = match json::types(entries) {
            Some(names) => {
                let admits = |value: &Value| names.iter().any(|name| json::type_admits(name, value));
                all.into_iter().filter(admits).collect()
            }
            None => all,
        };
        let has_null = admitted.contains(&Value::Null);
        if has_null && admitted.iter().all(Value::is_null) && !self.can_send(&admitted) {
            return Values { listed: Listed::OnlyNull, ..Values::default() };
        }
        let separates_null = self.profile.unions.null != NullStyle::Type || self.profile.enums.strings_only;
        let mut sent: Vec<Value> = admitted.into_iter().filter(|value| !separates_null || !value.is_null()).collect();
        let listed = match (has_null, sent.is_empty()) {
            (true, _) => Listed::WithNull,
            (false, true) => Listed::Nothing,
            (false, false) => Listed::WithoutNull,
        };
        let mut values = Values { listed, ..Values::default() };
        self.enum_values += sent.len();
        if self.profile.limits.enum_values.is_some_and(|limit| self.enum_values > limit) {
            self.enum_values -= sent.len();
            self.lose(LossKind::Widened, at, "enum", "the provider accepts no more values in one schema");
            notes.constraint("enum", &Value::Array(sent));
            return values;
        }
        if self.profile.accepts("const") && entries.contains_key("const") && self.can_send(&sent) {
            values.keywords.extend(sent.pop().map(|value| ("const".to_owned(), value)));
            return values;
        }
        if !self.profile.accepts("enum") {
            self.lose(LossKind::Widened, at, "enum", "the keyword is not accepted");
            notes.constraint("enum", &Value::Array(sent));
            return values;
        }
        if !self.can_send(&sent) {
            let renamed = texts(&sent);
            sent = renamed.iter().map(|pair| pair.sent.clone()).collect();
            values.are_text = true;
            values.step = Step::Values(renamed);
        }
        if !sent.is_empty() {
            values.keywords.insert("enum".to_owned(), Value::Array(sent));
        }
        values
    }

    /// A schema that lists its values needs nothing else: the values that satisfy the rest are the schema. `None` where
    /// there is nothing else, or it cannot be decided.
    pub(super) fn only_values(&self, entries: &Object) -> Option<Value> {
        let is_other =
            |word: &str| keyword::is_assertion(word) && !matches!(word, "type" | "enum" | "const" | "format");
        if !entries.keys().any(|word| is_other(word)) {
            return None;
        }
        let listed = intersect::allowed(entries)?;
        let whole = rename_root(Value::Object(entries.clone()), &self.root_name);
        let guard = Guard::new(whole, Arc::clone(&self.originals));
        let listed = Value::Array(listed);
        let fuel = Fuel::of(&listed);
        let mut left = Vec::new();
        for value in listed.as_array().into_iter().flatten() {
            if guard.verdict(value, &fuel)? {
                left.push(value.clone());
            }
        }
        if left.is_empty() {
            return Some(json!(false));
        }
        let mut reduced: Object = entries
            .iter()
            .filter(|(word, _)| keyword::is_annotation(word) || word.as_str() == "format")
            .map(|(word, value)| (word.clone(), value.clone()))
            .collect();
        match (entries.contains_key("const"), left.as_slice()) {
            (true, [only]) => reduced.insert("const".to_owned(), only.clone()),
            _ => reduced.insert("enum".to_owned(), Value::Array(left)),
        };
        reduced.extend(entries.get("type").map(|names| ("type".to_owned(), names.clone())));
        Some(Value::Object(reduced))
    }

    /// Whether the profile accepts exactly these values in one enum.
    fn can_send(&self, values: &[Value]) -> bool {
        let rules = &self.profile.enums;
        let kind = |value: &Value| match value {
            Value::Number(_) => "number",
            other => json::type_name(other),
        };
        let first = values.iter().find(|value| !value.is_null()).map(kind);
        values.iter().all(|value| match value {
            Value::String(text) => rules.empty_string || !text.is_empty(),
            // Where anything inside may be sent as text, so must the listed value.
            Value::Array(_) | Value::Object(_) => {
                let may_be_text = self.profile.objects.closed || self.profile.types.required;
                rules.containers && !rules.strings_only && !may_be_text
            }
            Value::Bool(_) | Value::Null => rules.booleans && !rules.strings_only,
            Value::Number(_) => !rules.strings_only,
        }) && (!rules.one_type || values.iter().all(|value| value.is_null() || Some(kind(value)) == first))
    }

    /// Writes a keyword about strings, numbers or sizes.
    pub(super) fn scalar(&self, word: &str, value: &Value, entries: &Object, accepted: bool) -> Outcome {
        if !accepted {
            return self.rewritten(word, value, entries);
        }
        match (word, value) {
            ("format", Value::String(format)) => {
                let is_known = self.profile.formats.as_ref().is_none_or(|known| known.contains(format));
                if is_known { kept(word, value) } else { Outcome::Dropped("the format is not accepted") }
            }
            ("pattern", Value::String(pattern)) => match self.pattern_problem(pattern) {
                Some(reason) => Outcome::Dropped(reason),
                None => kept(word, value),
            },
            ("maxLength", Value::Number(_)) => match self.profile.arrays.largest_repetition {
                Some(largest) if json::count(value).is_none_or(|length| length > largest) => {
                    Outcome::Dropped("the repetition is too large")
                }
                _ => kept(word, value),
            },
            _ => kept(word, value),
        }
    }

    /// Why a pattern is refused.
    fn pattern_problem(&self, pattern: &str) -> Option<&'static str> {
        let rules = &self.profile.patterns;
        if !rules.lookaround && patterns::has_lookaround(pattern) {
            return Some("lookaround is not accepted");
        }
        if rules.anchored && !(pattern.starts_with('^') && pattern.ends_with('$')) {
            return Some("the pattern must be anchored at both ends");
        }
        let has_class = [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"].iter().any(|class| pattern.contains(class));
        (!rules.classes && has_class).then_some("character classes are not accepted")
    }

    /// Says the same with another keyword, if there is one.
    fn rewritten(&self, word: &str, value: &Value, entries: &Object) -> Outcome {
        let dropped = Outcome::Dropped("the keyword is not accepted");
        let (inclusive, direction) = match word {
            "exclusiveMinimum" => ("minimum", 1),
            "exclusiveMaximum" => ("maximum", -1),
            _ => return dropped,
        };
        if !self.profile.accepts(inclusive) || entries.contains_key(inclusive) {
            return dropped;
        }
        let is_integer = json::types(entries).is_some_and(|names| names == ["integer"]);
        match value.as_i64().and_then(|bound| bound.checked_add(direction)) {
            Some(bound) if is_integer => kept(inclusive, &json!(bound)),
            _ => Outcome::Weakened(inclusive.to_owned(), value.clone(), "the bound can only be inclusive"),
        }
    }
}

fn kept(word: &str, value: &Value) -> Outcome {
    Outcome::Kept(word.to_owned(), value.clone())
}

/// A distinct, readable, non-empty string for every value; strings stand for themselves.
fn texts(values: &[Value]) -> Vec<Renamed> {
    let strings = values.iter().filter_map(Value::as_str).filter(|text| !text.is_empty());
    let mut taken: BTreeSet<String> = strings.map(str::to_owned).collect();
    let mut named = BTreeSet::new();
    let mut renamed = Vec::new();
    for value in values.iter().filter(|value| named.insert(json::canonical(value))) {
        let sent = match value.as_str() {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => text(value, &mut taken),
        };
        renamed.push(Renamed { sent: Value::String(sent), original: value.clone() });
    }
    renamed
}

/// A string for a value that cannot stand for itself, and that stands for no other.
fn text(value: &Value, taken: &mut BTreeSet<String>) -> String {
    let plain = if value.is_string() { "(empty)".to_owned() } else { value.to_string() };
    let candidates = (1..=usize::MAX).map(|count| match count {
        1 => plain.clone(),
        2 => format!("{plain} ({})", json::type_name(value)),
        _ => format!("{plain} ({count})"),
    });
    candidates.into_iter().find(|candidate| taken.insert(candidate.clone())).unwrap_or_default()
}
