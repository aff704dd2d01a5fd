//! Small facts about JSON values that the standard library of JSON does not give.

use std::{cmp::Ordering, collections::BTreeSet};

use serde_json::{Map, Number, Value};

/// A JSON object; property order is kept.
pub(crate) type Object = Map<String, Value>;

/// Returns the JSON Schema name of a value's type; every number without a fraction is an `integer`.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if is_integer(number) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a number has no fractional part: `1.0` is an integer (2020-12 validation §6.1.1).
pub(crate) fn is_integer(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Compares two numbers by value, exactly for integers.
pub(crate) fn compare(left: &Number, right: &Number) -> Ordering {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
    }
}

/// Returns the number as an integer when it was written as one.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// A count, such as the value of `minItems`, which may be written `1.0`; larger ones than can be counted are cut.
pub(crate) fn count(value: &Value) -> Option<u64> {
    let number = value.as_number().filter(|number| is_integer(number))?;
    let whole = || number.as_f64().filter(|float| *float >= 0.0).and_then(|float| format!("{float:.0}").parse().ok());
    number.as_u64().or_else(whole)
}

/// Equality as JSON Schema means it: `1` equals `1.0`, and the order of properties does not matter.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare(left, right) == Ordering::Equal,
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => left == right,
    }
}

/// A text that is the same for values that are equal as JSON Schema means it.
pub(crate) fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => match (integer(number), number.as_f64()) {
            (Some(integer), _) => integer.to_string(),
            (None, Some(float)) if float.fract() == 0.0 => format!("{float:.0}"),
            (None, _) => number.to_string(),
        },
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(entries) => {
            let mut entries: Vec<String> = entries
                .iter()
                .map(|(key, entry)| format!("{}:{}", Value::from(key.as_str()), canonical(entry)))
                .collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
    }
}

/// Up to this many values are compared one by one: writing them in canonical form costs more.
const FEW: usize = 16;

/// Values as JSON Schema tells them apart: in order, each once.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    values: Vec<Value>,
    /// The canonical forms of all values, once there are more than a few.
    known: BTreeSet<String>,
}

impl Distinct {
    /// Adds a value at the end, unless an equal one is there.
    pub(crate) fn push(&mut self, value: Value) {
        if self.contains(&value) {
            return;
        }
        if self.values.len() == FEW {
            self.known = self.values.iter().map(canonical).collect();
        }
        if self.values.len() >= FEW {
            self.known.insert(canonical(&value));
        }
        self.values.push(value);
    }

    pub(crate) fn contains(&self, value: &Value) -> bool {
        if self.values.len() <= FEW {
            self.values.iter().any(|known| equal(known, value))
        } else {
            self.known.contains(&canonical(value))
        }
    }

    pub(crate) fn into_values(self) -> Vec<Value> {
        self.values
    }
}

impl Extend<Value> for Distinct {
    fn extend<Values: IntoIterator<Item = Value>>(&mut self, values: Values) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl FromIterator<Value> for Distinct {
    fn from_iter<Values: IntoIterator<Item = Value>>(values: Values) -> Self {
        let mut distinct = Self::default();
        distinct.extend(values);
        distinct
    }
}

/// The type names a schema allows by its `type` keyword, in the order written; `None` when it has none.
pub(crate) fn types(schema: &Object) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// The value of a `type` keyword that allows exactly `names`.
pub(crate) fn type_value(names: &[&str]) -> Value {
    match names {
        [name] => Value::from(*name),
        several => several.iter().copied().collect(),
    }
}

/// Whether `type` (a declared type name) admits `value`.
pub(crate) fn type_admits(declared: &str, value: &Value) -> bool {
    let found = type_name(value);
    declared == found || (declared == "number" && found == "integer")
}

/// The strings of an array keyword such as `required`.
pub(crate) fn strings<'a>(schema: &'a Object, keyword: &str) -> Vec<&'a str> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether a schema accepts everything: `true`, or an object that says nothing about instances.
pub(crate) fn is_trivial(schema: &Value) -> bool {
    match schema {
        Value::Bool(accepts) => *accepts,
        Value::Object(entries) => entries.keys().all(|key| crate::keyword::is_annotation(key)),
        _ => false,
    }
}
