//! What a lost answer leads to, by the ledger that the server keeps.

use mcp_client::{Call, Error};
use mcp_testkit::{HttpAnswer, HttpRequest};
use serde_json::json;

use crate::stage::{Stage, answer, reads, writes};

fn failing(status: u16, request: &HttpRequest) -> HttpAnswer {
    let object = json!({"type": "object"});
    match request.rpc_method().as_str() {
        "tools/call" => HttpAnswer::new(status),
        _ => answer(request, &json!([reads("look", &object), writes("write", &object)])),
    }
}

#[tokio::test]
async fn a_read_is_tried_again_and_a_write_once() {
    // A server that broke down is asked once more, one that is away for a moment as often as its transport finds polite.
    for (status, reads) in [(500, 2), (503, 4), (502, 4)] {
        let stage = Stage::new().with_answers("one", move |request| failing(status, request)).await;
        let client = stage.client().await;
        for (tool, attempts) in [("look", reads), ("write", 1)] {
            let before = stage.calls().len();
            let error = client.call_with(Call::new(tool, json!({})).with_consent()).await.unwrap_err();
            assert!(matches!(error, Error::Call { .. }), "{error:?}");
            assert_eq!(stage.calls().len() - before, attempts, "{status}: {tool}");
        }
    }
}

/// What the user says of a tool counts, whatever its server says.
#[tokio::test]
async fn a_tool_that_the_settings_call_read_only_is_tried_again() {
    let stage = Stage::new().with_answers("one", |request| failing(503, request)).await;
    stage.write_settings(&json!({"effects": {"one": {"write": "read-only"}}}));
    let client = stage.client().await;
    client.call_with(Call::new("write", json!({})).with_consent()).await.unwrap_err();
    assert_eq!(stage.calls().len(), 4);
}

#[tokio::test]
async fn a_refusal_is_not_repeated() {
    let object = json!({"type": "object"});
    let refuse = move |request: &HttpRequest| match request.rpc_method().as_str() {
        "tools/call" => {
            let id = request.json()["id"].clone();
            HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "no"}}))
        }
        _ => answer(request, &json!([reads("look", &object)])),
    };
    let stage = Stage::new().with_answers("one", refuse).await;
    stage.client().await.call("look", json!({})).await.unwrap_err();
    assert_eq!(stage.calls().len(), 1);
}
