//! A compiled schema that decides which branch of a union a value belongs to.

use std::sync::Arc;

use serde_json::Value;

use crate::{compile, json::Object, limits::Limits};

/// Admits the values of one schema.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    validator: Option<Arc<jsonschema::Validator>>,
}

impl Guard {
    /// Compiles a schema that may refer to `definitions`; a schema that cannot be compiled admits nothing.
    pub(crate) fn new(schema: &Value, definitions: &Object) -> Self {
        let mut whole = match schema {
            Value::Object(entries) => entries.clone(),
            Value::Bool(true) => Object::new(),
            _ => return Self { validator: None },
        };
        if !definitions.is_empty() {
            whole.insert("$defs".to_owned(), Value::Object(definitions.clone()));
        }
        Self {
            validator: compile::validator(&Value::Object(whole), Limits::default().reference_depth).ok().map(Arc::new),
        }
    }

    pub(crate) fn admits(&self, value: &Value) -> bool {
        self.validator.as_ref().is_some_and(|validator| validator.is_valid(value))
    }
}
