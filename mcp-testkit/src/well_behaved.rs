//! A small server over HTTP that does nothing wrong, for the tests that are about something else.

use serde_json::{Value, json};

use crate::{HttpAnswer, HttpRequest};

/// Answers a request as a server of 2025-11-25 with these tools does: `tools` is the array of a `tools/list`, and `call` gives
/// the result of a `tools/call` from its parameters. What is no MCP gets a 405.
///
/// ```
/// use mcp_testkit::{HttpRequest, well_behaved};
/// use serde_json::json;
///
/// let mut request = HttpRequest::default();
/// request.body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
/// let answer = well_behaved(&request, &json!([]), |_| json!({"content": []}));
/// # assert!(format!("{answer:?}").contains("status: 200"));
/// ```
pub fn well_behaved(request: &HttpRequest, tools: &Value, call: impl FnOnce(&Value) -> Value) -> HttpAnswer {
    let message = request.json();
    let result = match request.rpc_method().as_str() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": tools }),
        "tools/call" => call(&message["params"]),
        "notifications/initialized" => return HttpAnswer::new(202),
        "server/discover" => return HttpAnswer::new(400),
        _ => return HttpAnswer::new(405),
    };
    HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}
