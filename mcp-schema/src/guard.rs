//! A schema that decides which branch of a union a value belongs to.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::{
    compile::Compiled,
    definitions,
    fuel::Fuel,
    json::Object,
    limits::{self, Limits},
};

/// What compiling takes for each JSON value of the schema.
const STEPS_PER_VALUE: u64 = 4;

/// Admits the values of one schema. It is compiled when it is first asked: most unions never see a value.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    schema: Value,
    definitions: Arc<Object>,
    compiled: OnceLock<Option<Arc<Compiled>>>,
}

impl Guard {
    /// A guard for a schema that may refer to `definitions`.
    pub(crate) fn new(schema: Value, definitions: Arc<Object>) -> Self {
        Self { schema, definitions, compiled: OnceLock::new() }
    }

    /// Whether the schema accepts a value; one that cannot be judged is not accepted.
    pub(crate) fn admits(&self, value: &Value, fuel: &Fuel) -> bool {
        self.verdict(value, fuel).unwrap_or(false)
    }

    /// Whether the schema accepts a value; `None` when the schema cannot be compiled, or the fuel is used up.
    pub(crate) fn verdict(&self, value: &Value, fuel: &Fuel) -> Option<bool> {
        self.compiled(fuel)?.verdict(value, fuel)
    }

    fn compiled(&self, fuel: &Fuel) -> Option<&Compiled> {
        if self.compiled.get().is_none() {
            let whole = definitions::close(self.schema.clone(), &self.definitions);
            let values = u64::try_from(limits::node_count(&whole)).unwrap_or(u64::MAX);
            fuel.take(values.saturating_mul(STEPS_PER_VALUE))?;
            let compiled = Compiled::new(whole, Limits::default().reference_depth).ok().map(Arc::new);
            // Another thread may have been faster, with the same result.
            drop(self.compiled.set(compiled));
        }
        self.compiled.get()?.as_deref()
    }
}
