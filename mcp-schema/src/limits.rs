//! How much a schema may cost.

use serde_json::Value;

use crate::error::Error;

/// Budgets that keep a hostile or careless schema from costing time, memory or stack.
///
/// A schema above [`Limits::bytes`], [`Limits::nodes`] or [`Limits::depth`] is refused with a typed error. The other
/// budgets never refuse: where inlining or distributing would exceed them, the schema keeps its `$ref` or `allOf`.
///
/// The largest of 940 real tool schemas has 231 values; the defaults leave room for forty times as much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of JSON text of the schema, estimated without serialising it. Default 1 MiB.
    pub bytes: usize,
    /// JSON values in the schema, containers included. Default 10 000.
    pub nodes: usize,
    /// Nesting depth of the schema as written. Default 128, which is also the depth `serde_json` parses.
    pub depth: usize,
    /// JSON values that inlining and merging may produce. Default 3 000.
    pub expanded_nodes: usize,
    /// Nesting depth that following every `$ref` may lead a [`Validator`](crate::Validator) into. Default 256.
    pub reference_depth: usize,
    /// Branches that `anyOf` × `anyOf` may be distributed into. Default 16.
    pub branches: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 1024 * 1024,
            nodes: 10_000,
            depth: 128,
            expanded_nodes: 3_000,
            reference_depth: 256,
            branches: 16,
        }
    }
}

impl Limits {
    /// Measures `value` and refuses it when it is over a budget.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Error> {
        let found = Measure::of(value, self);
        let over = |what, limit, found| Err(Error::TooLarge { what, limit, found });
        if found.depth > self.depth {
            return over("nesting levels", self.depth, found.depth);
        }
        if found.nodes > self.nodes {
            return over("JSON values", self.nodes, found.nodes);
        }
        if found.bytes > self.bytes {
            return over("bytes", self.bytes, found.bytes);
        }
        Ok(())
    }
}

/// Size of a JSON value, counted without recursion so that depth cannot overflow the stack.
#[derive(Debug, Default)]
struct Measure {
    bytes: usize,
    nodes: usize,
    depth: usize,
}

impl Measure {
    /// Stops counting as soon as one budget is exceeded: what is beyond it costs nothing.
    fn of(value: &Value, limits: &Limits) -> Self {
        let mut found = Self::default();
        let mut pending = vec![(value, 1_usize)];
        while let Some((value, depth)) = pending.pop() {
            found.nodes += 1;
            found.depth = found.depth.max(depth);
            match value {
                Value::Null => found.bytes += 4,
                Value::Bool(_) => found.bytes += 5,
                Value::Number(_) => found.bytes += 8,
                Value::String(text) => found.bytes += text.len() + 2,
                Value::Array(items) => {
                    found.bytes += items.len() + 2;
                    pending.extend(items.iter().map(|item| (item, depth + 1)));
                }
                Value::Object(entries) => {
                    found.bytes += 2 + entries.keys().map(|key| key.len() + 4).sum::<usize>();
                    pending.extend(entries.values().map(|entry| (entry, depth + 1)));
                }
            }
            if found.nodes > limits.nodes || found.bytes > limits.bytes || found.depth > limits.depth {
                break;
            }
        }
        found
    }
}

/// Counts the JSON values in `value`, containers included.
pub(crate) fn node_count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(node_count).sum::<usize>(),
        Value::Object(entries) => 1 + entries.values().map(node_count).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}
