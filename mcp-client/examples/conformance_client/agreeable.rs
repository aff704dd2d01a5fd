//! A person who agrees to everything.

use mcp_client::form_defaults;
use mcp_client::transport::{BoxFuture, Elicitation, ElicitationAnswer, Features, Handler, RpcError};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// Agrees to everything: forms with their defaults, where required without one with something that fits.
pub(crate) struct Agreeable;

impl Handler for Agreeable {
    fn features(&self) -> Features {
        Features { elicitation_form: true, elicitation_url: true, sampling: true, roots: true }
    }

    fn elicit<'a>(&'a self, _server: &'a str, question: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
        let content = match question {
            Elicitation::Form { schema, .. } => to_raw_value(&filled_in(&schema)).ok(),
            _ => None,
        };
        Box::pin(std::future::ready(ElicitationAnswer::Accept(content)))
    }

    fn sample<'a>(
        &'a self,
        _server: &'a str,
        _request: &'a RawValue,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let message = json!({"role": "assistant", "model": "none", "content": {"type": "text", "text": "agreed"}});
        let message =
            to_raw_value(&message).map_err(|error| RpcError::new(RpcError::INTERNAL_ERROR, error.to_string()));
        Box::pin(std::future::ready(message))
    }
}

fn filled_in(schema: &RawValue) -> Map<String, Value> {
    let mut content = form_defaults(schema);
    let schema: Value = serde_json::from_str(schema.get()).unwrap_or_default();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let value = match schema["properties"][name]["type"].as_str() {
            Some("boolean") => json!(true),
            Some("integer" | "number") => json!(5),
            _ => json!("text"),
        };
        content.entry(name).or_insert(value);
    }
    content
}
