//! What a provider would refuse in a schema, before it is sent.
//!
//! Written apart from the converter on purpose: that the converter's output passes the lint means something only
//! because neither looks at the other's code.

mod objects;
mod references;
mod values;

use serde::Serialize;
use serde_json::Value;

use crate::{
    json::{self, Object},
    keyword,
    limits::Limits,
    pointer,
    profile::Profile,
};

/// One thing that a provider refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The schema it is about, as a JSON pointer into the schema that was checked.
    pub pointer: String,
    /// The rule, in a fixed word: `root`, `keyword`, `type`, `type-list`, `boolean-schema`, `null`, `enum`, `empty`,
    /// `format`, `lookaround`, `anchored`, `classes`, `repetition`, `union`, `items`, `min-items`, `closed`,
    /// `properties`, `required`, `key`, `reference`, `siblings`, `recursion`, `size` or `invalid`.
    pub rule: &'static str,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What the provider answers, where that is known.
    pub provider_error: Option<String>,
}

/// Checks a schema against a profile's rules and predicts what the provider would refuse.
///
/// The schema is taken as it stands: nothing is upgraded, resolved or repaired first. An empty list means that the
/// provider is expected to accept it.
///
/// ```
/// use mcp_schema::{Profile, lint};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"n": {"type": ["string", "null"]}}});
/// let findings = lint(&schema, &Profile::builtin("gemini").expect("a built-in profile"));
/// assert_eq!(findings[0].pointer, "/properties/n");
/// assert_eq!(findings[0].rule, "type-list");
/// assert_eq!(
///     findings[0].provider_error.as_deref(),
///     Some("Proto field is not repeating, cannot start list."),
/// );
/// ```
pub fn lint(schema: &Value, profile: &Profile) -> Vec<Finding> {
    let mut check = Check { profile, root: schema, findings: Vec::new(), totals: Totals::default() };
    if let Err(error) = Limits::default().check(schema) {
        check.find("", "size", error.to_string());
        return check.findings;
    }
    check.root();
    check.schema(schema, &Spot { pointer: String::new(), level: 1, is_root: true });
    check.references();
    check.totals();
    check.validity();
    check.findings
}

/// Where the check stands.
#[derive(Debug, Clone)]
struct Spot {
    pointer: String,
    /// Nesting of objects and arrays; the root object is level 1.
    level: usize,
    is_root: bool,
}

/// What is counted over the whole schema.
#[derive(Debug, Default)]
struct Totals {
    properties: usize,
    enum_values: usize,
    name_characters: usize,
    deepest: usize,
}

struct Check<'a> {
    profile: &'a Profile,
    root: &'a Value,
    findings: Vec<Finding>,
    totals: Totals,
}

impl Check<'_> {
    fn find(&mut self, pointer: &str, rule: &'static str, message: impl Into<String>) {
        let provider_error = self.profile.errors.get(rule).cloned();
        self.findings.push(Finding { pointer: pointer.to_owned(), rule, message: message.into(), provider_error });
    }

    /// As `find`, with the keyword filled into the provider's answer.
    fn find_keyword(&mut self, pointer: &str, word: &str, message: String) {
        let provider_error = self.profile.errors.get("keyword").map(|text| text.replace("{keyword}", word));
        self.findings.push(Finding { pointer: pointer.to_owned(), rule: "keyword", message, provider_error });
    }

    fn root(&mut self) {
        if self.root.get("type").and_then(Value::as_str) != Some("object") {
            self.find("", "root", "the root must say `type: \"object\"`");
        }
        let Some(entries) = self.root.as_object() else { return };
        let forbidden: Vec<&String> =
            self.profile.root.forbidden.iter().filter(|word| entries.contains_key(*word)).collect();
        for word in forbidden {
            self.find("", "root", format!("`{word}` is refused at the root"));
        }
    }

    fn schema(&mut self, schema: &Value, spot: &Spot) {
        let Value::Object(entries) = schema else {
            if schema.is_boolean() && !self.profile.types.boolean_schemas {
                self.find(&spot.pointer, "boolean-schema", format!("`{schema}` is not accepted as a schema"));
            }
            return;
        };
        self.keywords(entries, spot);
        self.types(entries, spot);
        self.values(entries, spot);
        self.object(entries, spot);
        self.array(entries, spot);
        self.union(entries, spot);
        self.reference(entries, spot);
        self.descend(entries, spot);
    }

    fn descend(&mut self, entries: &Object, spot: &Spot) {
        for (word, token, child) in keyword::children(entries) {
            let mut pointer = pointer::join(&spot.pointer, word);
            if let Some(token) = &token {
                pointer::push(&mut pointer, token);
            }
            let level = match word {
                "$defs" => 1,
                "anyOf" | "oneOf" | "allOf" | "not" | "if" | "then" | "else" | "dependentSchemas" => spot.level,
                _ => spot.level + 1,
            };
            // `additionalProperties: false` is a keyword of its own in every dialect, not a schema.
            if word != "additionalProperties" || !child.is_boolean() {
                self.schema(child, &Spot { pointer, level, is_root: false });
            }
        }
    }

    fn keywords(&mut self, entries: &Object, spot: &Spot) {
        for word in entries.keys() {
            let only = self.profile.root.keywords.as_ref().filter(|_| spot.is_root);
            let accepted = only.or(self.profile.keywords.as_ref());
            let is_accepted = accepted.is_none_or(|accepted| accepted.contains(word));
            // `nullable` belongs to a dialect of its own; where any keyword is accepted it is merely ignored.
            if !is_accepted {
                self.find_keyword(&spot.pointer, word, format!("the keyword `{word}` is not accepted"));
            }
        }
    }

    fn types(&mut self, entries: &Object, spot: &Spot) {
        let rules = &self.profile.types;
        match entries.get("type") {
            Some(Value::Array(names)) => {
                let has_container = names.iter().any(|name| name == "object" || name == "array");
                if !rules.lists {
                    self.find(&spot.pointer, "type-list", "`type` must be a single name");
                } else if has_container && !rules.lists_of_containers {
                    self.find(&spot.pointer, "type-list", "a list of types must not name `object` or `array`");
                }
            }
            None if rules.required && !["anyOf", "$ref"].iter().any(|word| entries.contains_key(*word)) => {
                self.find(&spot.pointer, "type", "the schema has no `type`");
            }
            _ => {}
        }
        let names_null = json::types(entries).is_some_and(|names| names.contains(&"null"));
        if names_null && self.profile.unions.null != crate::profile::NullStyle::Type {
            self.find(&spot.pointer, "null", "the type `null` is not accepted");
        }
    }

    /// Whether the schema is one at all: providers check it against the metaschema first.
    fn validity(&mut self) {
        if !self.findings.is_empty() {
            return;
        }
        if let Err(error) = jsonschema::draft202012::meta::validate(self.root) {
            let pointer = error.instance_path().to_string();
            let message = format!("the schema is not valid JSON Schema 2020-12: {}", error.masked());
            self.find(&pointer, "invalid", message);
        }
    }

    fn totals(&mut self) {
        let limits = &self.profile.limits;
        let counted = [
            ("nesting levels", limits.nesting, self.totals.deepest),
            ("properties", limits.properties, self.totals.properties),
            ("enum values", limits.enum_values, self.totals.enum_values),
            ("characters of names", limits.name_characters, self.totals.name_characters),
        ];
        for (what, limit, found) in counted {
            if let Some(limit) = limit.filter(|limit| found > *limit) {
                self.find("", "size", format!("{found} {what}, at most {limit} are accepted"));
            }
        }
    }
}
