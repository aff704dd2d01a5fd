//! A mutating server: calling it twice is not the same as calling it once.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Tools, unknown};

#[derive(Default)]
pub(super) struct Ledger {
    balances: BTreeMap<String, i64>,
}

impl Tools for Ledger {
    fn list(&self) -> Vec<Value> {
        let account = json!({"type": "string", "minLength": 1, "description": "The account's name."});
        vec![
            json!({
                "name": "add_entry",
                "description": "Book an amount to an account and return its new balance. This changes the ledger.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "account": account,
                        "cents": {"type": "integer", "description": "The amount in cents; negative to withdraw."},
                    },
                    "required": ["account", "cents"],
                },
                "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false},
            }),
            json!({
                "name": "balance",
                "description": "Tell the balance of an account, in cents.",
                "inputSchema": {"type": "object", "properties": {"account": account}, "required": ["account"]},
                "annotations": {"readOnlyHint": true},
            }),
        ]
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Result<String, String> {
        let account = arguments["account"].as_str().unwrap_or_default().to_owned();
        match name {
            "add_entry" => {
                let cents = arguments["cents"].as_i64().ok_or("`cents` must be a whole number")?;
                let balance = self.balances.get(&account).copied().unwrap_or_default();
                let balance = balance.checked_add(cents).ok_or("no account holds that much")?;
                self.balances.insert(account.clone(), balance);
                Ok(format!("{account}: {balance} cents"))
            }
            "balance" => {
                let balance = self.balances.get(&account).copied().unwrap_or_default();
                Ok(format!("{account}: {balance} cents"))
            }
            other => unknown(other),
        }
    }
}
