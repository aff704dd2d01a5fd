//! What a lost answer leads to, by the ledger that the server keeps.

use mcp_client::{Call, Error};
use mcp_testkit::{HttpAnswer, HttpRequest};
use serde_json::json;

use crate::stage::{Stage, answer, reads, writes};

fn overloaded(request: &HttpRequest) -> HttpAnswer {
    let object = json!({"type": "object"});
    match request.rpc_method().as_str() {
        "tools/call" => HttpAnswer::new(503),
        _ => answer(request, &json!([reads("look", &object), writes("write", &object)])),
    }
}

#[tokio::test]
async fn a_read_is_tried_twice_and_a_write_once() {
    let stage = Stage::new().with_answers("one", overloaded).await;
    let client = stage.client().await;
    for (tool, attempts) in [("look", 2), ("write", 1)] {
        let before = stage.calls().len();
        let error = client.call_with(Call::new(tool, json!({})).with_consent()).await.unwrap_err();
        assert!(matches!(error, Error::Call { .. }), "{error:?}");
        assert_eq!(stage.calls().len() - before, attempts, "{tool}");
    }
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
