//! Steps that something may take on a value.

use std::cell::Cell;

use serde_json::Value;

/// Steps that a value may take whatever its size, and those that each of its parts adds.
const STEPS: u64 = 100_000;
const STEPS_PER_PART: u64 = 100;

/// Steps that copying a part of a value takes.
const STEPS_PER_COPY: u64 = 4;

/// A budget of steps for one value, shared by everything that is done with it. A step is what one subschema takes for
/// one part of the value.
#[derive(Debug)]
pub(crate) struct Fuel(Cell<u64>);

impl Fuel {
    /// The budget of a value, whose honest work grows with its size.
    pub(crate) fn of(value: &Value) -> Self {
        Self(Cell::new(parts(value).saturating_mul(STEPS_PER_PART).saturating_add(STEPS)))
    }

    /// Spends steps; `None` when there are not so many left, and then there are none any more.
    pub(crate) fn take(&self, steps: u64) -> Option<()> {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.unwrap_or(0));
        left.map(|_| ())
    }

    /// Spends what copying a value takes.
    pub(crate) fn take_for_copy(&self, value: &Value) -> Option<()> {
        self.take(parts(value).saturating_mul(STEPS_PER_COPY))
    }
}

/// The JSON values in a value, itself included.
pub(crate) fn parts(value: &Value) -> u64 {
    let mut count = 0_u64;
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        count += 1;
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(members) => pending.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    count
}
