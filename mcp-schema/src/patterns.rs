//! Matching strings against the regular expressions of schemas, in time linear in the string.

use std::collections::BTreeMap;

use jsonschema::PatternOptions;
use serde_json::{Value, json};

/// Patterns above this size compile to more memory than a property name is worth.
const LARGEST_PROGRAM: usize = 1024 * 1024;

/// Compiled patterns, kept for the length of one pass.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    compiled: BTreeMap<String, Option<jsonschema::Validator>>,
}

impl Patterns {
    /// Whether `pattern` matches somewhere in `text`; `None` when the pattern is invalid or needs backtracking.
    pub(crate) fn is_match(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let compiled = self.compiled.entry(pattern.to_owned()).or_insert_with(|| compile(pattern));
        compiled.as_ref().map(|validator| validator.is_valid(&Value::from(text)))
    }
}

/// Whether a pattern is a regular expression that either engine can compile.
pub(crate) fn is_valid(pattern: &str) -> bool {
    if !needs_backtracking(pattern) {
        return compile(pattern).is_some();
    }
    let options = PatternOptions::fancy_regex().size_limit(LARGEST_PROGRAM);
    let builder = jsonschema::draft202012::options().offline().with_pattern_options(options);
    builder.build(&json!({ "pattern": pattern })).is_ok()
}

/// Whether a pattern looks around, which linear engines and several providers refuse.
pub(crate) fn has_lookaround(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|group| pattern.contains(group))
}

fn compile(pattern: &str) -> Option<jsonschema::Validator> {
    jsonschema::draft202012::options()
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(LARGEST_PROGRAM))
        .build(&json!({ "pattern": pattern }))
        .ok()
}

/// Whether a pattern needs an engine that backtracks: it looks around or refers back to a group.
pub(crate) fn needs_backtracking(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    let mut refers_back = false;
    while let Some(character) = characters.next() {
        if character == '\\' {
            refers_back |= matches!(characters.next(), Some('1'..='9' | 'k'));
        }
    }
    refers_back || has_lookaround(pattern)
}
