//! Calls that become tasks.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Fixture, answer, modern};
use crate::ConnectOptions;

/// A server whose calls are tasks that end, after `looks` looks, like this.
fn server(looks: usize, end: Value) -> impl FnMut(&Value) -> Vec<Value> + Send + 'static {
    let mut looked = 0;
    move |message| {
        if let Some(handshake) = modern(message, &json!({})) {
            return handshake;
        }
        let working = json!({"taskId": "t1", "status": "working", "pollIntervalMs": 2000, "ttlMs": null});
        let state = match message["method"].as_str().unwrap_or_default() {
            "tools/call" => {
                let mut seed = working;
                seed["resultType"] = json!("task");
                seed
            }
            "tasks/get" if looked < looks => {
                looked += 1;
                working
            }
            "tasks/get" => end.clone(),
            _ => json!({}),
        };
        vec![answer(message, &state)]
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_is_polled_to_its_result() {
    let end = json!({"taskId": "t1", "status": "completed", "result": {"content": [{"type": "text", "text": "done"}]}});
    let peer = Fixture::start(ConnectOptions::default(), server(2, end)).await;
    let started = Instant::now();
    let result = peer.connection.call_tool("slow", None).await.expect("a result");
    assert_eq!(result.get(), r#"{"content":[{"type":"text","text":"done"}]}"#);
    assert_eq!(started.elapsed().as_secs(), 6, "three looks, two seconds apart as the server asked");
    assert!(peer.seen("tasks/get").iter().all(|look| look["params"]["taskId"] == "t1"));
}

#[tokio::test(start_paused = true)]
async fn a_failed_task_is_the_error_of_its_call() {
    let end = json!({"taskId": "t1", "status": "failed", "error": {"code": -32000, "message": "no"}});
    let peer = Fixture::start(ConnectOptions::default(), server(0, end)).await;
    let error = peer.connection.call_tool("slow", None).await.expect_err("it failed");
    assert_eq!(error.to_string(), "server refused `tools/call`: no (code -32000)");
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_so_the_task_is_cancelled() {
    let peer = Fixture::start(ConnectOptions::default(), server(usize::MAX, Value::Null)).await;
    let abandoned = tokio::time::timeout(Duration::from_secs(5), peer.connection.call_tool("slow", None)).await;
    assert!(abandoned.is_err());
    peer.settle().await;
    let cancels = peer.seen("tasks/cancel");
    assert_eq!(cancels.iter().map(|cancel| &cancel["params"]["taskId"]).collect::<Vec<_>>(), [&json!("t1")]);
}

#[tokio::test(start_paused = true)]
async fn a_task_without_end_meets_the_total_timeout() {
    let peer = Fixture::start(ConnectOptions::default(), server(usize::MAX, Value::Null)).await;
    let started = Instant::now();
    let error = peer.connection.call_tool("slow", None).await.expect_err("it never ends");
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(started.elapsed().as_secs(), ConnectOptions::default().timeouts.call_total.as_secs());
    peer.settle().await;
    assert_eq!(peer.seen("tasks/cancel").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_given_up_after_a_failure_is_cancelled() {
    let mut play = server(0, Value::Null);
    let peer = Fixture::start(ConnectOptions::default(), move |message| {
        if message["method"] != "tasks/get" {
            return play(message);
        }
        let error = json!({"code": -32603, "message": "no"});
        vec![json!({"jsonrpc": "2.0", "id": message["id"], "error": error})]
    });
    let peer = peer.await;
    peer.connection.call_tool("slow", None).await.expect_err("the look is refused");
    peer.settle().await;
    assert_eq!(peer.seen("tasks/cancel").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ended_is_not_cancelled() {
    let end = json!({"taskId": "t1", "status": "failed", "error": {"code": -32000, "message": "no"}});
    let peer = Fixture::start(ConnectOptions::default(), server(0, end)).await;
    peer.connection.call_tool("slow", None).await.expect_err("it failed");
    peer.settle().await;
    assert_eq!(peer.seen("tasks/cancel").len(), 0);
}
