//! A server with a fault: one of its tools breaks the protocol. The other must not suffer for it.

use serde_json::{Value, json};

use super::{Tools, unknown};

pub(super) struct Clumsy;

impl Tools for Clumsy {
    fn list(&self) -> Vec<Value> {
        vec![
            json!({"name": "broken", "description": "Has a text where its input schema should be.", "inputSchema": "none"}),
            json!({
                "name": "roll_dice",
                "description": "Roll dice; always the same ones, so that the demo is.",
                "inputSchema": {"type": "object", "properties": {"sides": {"type": "integer", "minimum": 2}}},
                "annotations": {"readOnlyHint": true},
            }),
        ]
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Result<String, String> {
        match name {
            "roll_dice" => Ok((arguments["sides"].as_u64().unwrap_or(6) / 2 + 1).to_string()),
            other => unknown(other),
        }
    }
}
