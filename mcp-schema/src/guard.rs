//! A schema that decides which branch of a union a value belongs to.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::{compile, definitions, json::Object, limits::Limits};

/// Admits the values of one schema. It is compiled when it is first asked: most unions never see a value.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    schema: Value,
    definitions: Arc<Object>,
    compiled: OnceLock<Option<Arc<jsonschema::Validator>>>,
}

impl Guard {
    /// A guard for a schema that may refer to `definitions`.
    pub(crate) fn new(schema: Value, definitions: Arc<Object>) -> Self {
        Self { schema, definitions, compiled: OnceLock::new() }
    }

    /// Whether the schema accepts a value; one that cannot be compiled accepts none.
    pub(crate) fn admits(&self, value: &Value) -> bool {
        self.verdict(value).unwrap_or(false)
    }

    /// Whether the schema accepts a value; `None` when it cannot be compiled.
    pub(crate) fn verdict(&self, value: &Value) -> Option<bool> {
        let compiled = self.compiled.get_or_init(|| {
            let whole = definitions::assemble(self.schema.clone(), (*self.definitions).clone());
            compile::validator(&whole, Limits::default().reference_depth).ok().map(Arc::new)
        });
        compiled.as_ref().map(|validator| validator.is_valid(value))
    }
}
