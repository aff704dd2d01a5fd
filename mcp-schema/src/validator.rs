//! Validation of arguments against the original schema, in words a model can act on.

mod coerce;
mod explain;

use serde::Serialize;
use serde_json::Value;

use crate::{compile::Compiled, error::Error, fuel::Fuel, resolve, schema::Schema};

/// Violations that one validation reports: a model repairs a few at a time.
const MOST_VIOLATIONS: usize = 20;

/// Instances nested deeper than this are refused without looking: validation recurses with the instance.
const DEEPEST_INSTANCE: usize = 128;

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Where, as a JSON pointer into the value; empty for the value itself.
    pub path: String,
    /// What the schema asks for there.
    pub expected: String,
    /// What was found, shortened.
    pub got: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.path.is_empty() { "the arguments" } else { &self.path };
        write!(formatter, "{place}: expected {}, got {}", self.expected, self.got)
    }
}

/// Validates values against a schema as its author wrote it.
///
/// `format` is an annotation, as 2020-12 has it by default. A pattern that only a backtracking engine can run gives up
/// after a fixed number of steps, which counts as a violation.
///
/// ```
/// use mcp_schema::{Limits, Schema, Validator};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]});
/// let validator = Validator::new(&Schema::parse(schema, Limits::default())?)?;
///
/// let violations = validator.validate(&json!({"age": "thirty"})).expect_err("not an integer");
/// assert_eq!(violations[0].to_string(), r#"/age: expected integer, got "thirty""#);
///
/// // A model that writes numbers as strings is understood where the schema leaves no doubt.
/// assert_eq!(validator.coerce(json!({"age": "30"})), json!({"age": 30}));
/// # Ok::<(), mcp_schema::Error>(())
/// ```
#[derive(Debug)]
pub struct Validator {
    compiled: Compiled,
}

impl Validator {
    /// Compiles a schema.
    ///
    /// A reference inside the schema that leads nowhere accepts everything; the schema's
    /// [report](Schema::report) names it.
    ///
    /// # Errors
    ///
    /// [`Error::ExternalReference`] when the schema refers to a document that was not supplied: nothing is fetched, and
    /// guessing that it accepts everything would be no validation. [`Error::Invalid`] when a keyword has a value its
    /// dialect forbids, and [`Error::TooLarge`] when references form too long a chain.
    pub fn new(schema: &Schema) -> Result<Self, Error> {
        if let Some((pointer, reference)) = schema.external_reference() {
            return Err(Error::ExternalReference { pointer: pointer.to_owned(), reference: reference.to_owned() });
        }
        let resolved = resolve::inline(schema.upgraded(), schema.limits()).into_owned();
        Ok(Self { compiled: Compiled::new(resolved, schema.limits().reference_depth)? })
    }

    /// Whether a value satisfies the schema. Schemas can be made such that judging a value takes longer than anybody
    /// waits; a value for which that is so is refused.
    pub fn is_valid(&self, value: &Value) -> bool {
        !is_too_deep(value) && self.compiled.verdict(value, &Fuel::of(value)) == Some(true)
    }

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// What is wrong, at most twenty violations, in the order of the schema.
    pub fn validate(&self, value: &Value) -> Result<(), Vec<Violation>> {
        if is_too_deep(value) {
            return Err(vec![whole(&format!("at most {DEEPEST_INSTANCE} levels of nesting"))]);
        }
        let mut violations: Vec<Violation> = Vec::new();
        match self.compiled.verdict(value, &Fuel::of(value)) {
            Some(true) => return Ok(()),
            Some(false) => {}
            None => return Err(vec![whole("a value that the schema can judge in a bounded number of steps")]),
        }
        let Some(errors) = self.compiled.errors(value, &Fuel::of(value)) else {
            return Err(vec![whole("what the schema asks for; listing every difference takes too long")]);
        };
        for error in errors {
            for violation in explain::violations(&error) {
                if !violations.contains(&violation) {
                    violations.push(violation);
                }
            }
            if violations.len() >= MOST_VIOLATIONS {
                violations.truncate(MOST_VIOLATIONS);
                break;
            }
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    /// Reads strings as the numbers, booleans, nulls, arrays and objects they spell, where the schema refuses the
    /// string and accepts the other, at any depth. A value that is valid already is returned unchanged.
    pub fn coerce(&self, value: Value) -> Value {
        if is_too_deep(&value) || self.compiled.verdict(&value, &Fuel::of(&value)) == Some(true) {
            return value;
        }
        coerce::coerce(self.compiled.schema(), value)
    }
}

/// A violation by the whole value.
fn whole(expected: &str) -> Violation {
    Violation { path: String::new(), expected: expected.to_owned(), got: "something else".to_owned() }
}

fn is_too_deep(value: &Value) -> bool {
    let mut pending = vec![(value, 1)];
    while let Some((value, depth)) = pending.pop() {
        if depth > DEEPEST_INSTANCE {
            return true;
        }
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(entries) => pending.extend(entries.values().map(|entry| (entry, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}
