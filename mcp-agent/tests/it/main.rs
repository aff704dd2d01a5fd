//! A model's turn, answered by scripted servers.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use mcp_agent::{ToolUse, Turn, answer};
use mcp_client::config::Environment;
use mcp_client::registry::Answer as Reply;
use mcp_client::{Approve, Client, Question};
use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, well_behaved};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// Answers `slow` only once `quick` has been called: two calls that wait for each other must run side by side.
fn reply(request: &HttpRequest, quick_was_called: &Arc<Notify>) -> HttpAnswer {
    let tool =
        |name: &str| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let tools = json!([tool("slow"), tool("quick"), {"name": "write", "inputSchema": {"type": "object"}}]);
    let text = |params: &Value| {
        let text = params["arguments"]["say"].as_str().or(params["name"].as_str());
        json!({"content": [{"type": "text", "text": text}]})
    };
    let message = request.json();
    match message["params"]["name"].as_str() {
        Some("slow") => {
            let response = json!({"jsonrpc": "2.0", "id": message["id"], "result": text(&message["params"])});
            let head = HttpAnswer::new(200).header("content-type", "application/json");
            head.until(quick_was_called.clone()).body(response.to_string())
        }
        name => {
            if name == Some("quick") {
                quick_was_called.notify_one();
            }
            well_behaved(request, &tools, text)
        }
    }
}

fn asks(id: &str, name: &str, arguments: Value) -> ToolUse {
    ToolUse { id: id.to_owned(), name: name.to_owned(), arguments }
}

#[tokio::test]
async fn a_turn_is_answered_in_order_reads_side_by_side_and_faults_included() {
    let quick_was_called = Arc::new(Notify::new());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let peer = HttpPeer::start(move |request| {
        if request.rpc_method() == "tools/call" {
            log.lock().unwrap().push(request.json()["params"]["name"].clone());
        }
        reply(request, &quick_was_called)
    })
    .await
    .unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("servers.json");
    std::fs::write(&file, json!({"mcpServers": {"s": {"type": "http", "url": peer.url("/mcp")}}}).to_string()).unwrap();
    let client = Client::builder(Environment::new(folder.path())).config(file).build();
    client.start().await;

    let asked = vec![
        asks("1", "mcp__s__slow", json!({})),
        asks("2", "mcp__s__quick", json!({})),
        asks("3", "mcp__s__write", json!({})),
        asks("4", "mcp__s__no_such_tool", json!({})),
        asks("5", "mcp__s__quick", json!([])),
    ];
    let results = answer(&client, &Turn::new("s", "openai"), asked).await;
    let summary: Vec<(&str, bool)> = results.iter().map(|result| (result.id.as_str(), result.is_error)).collect();
    assert_eq!(summary, [("1", false), ("2", false), ("3", true), ("4", true), ("5", true)], "{results:#?}");
    assert_eq!(results[0].text, "slow");
    let mut seen: Vec<Value> = seen.lock().unwrap().clone();
    seen.sort_by_key(ToString::to_string);
    assert_eq!(seen, ["quick", "slow"], "what is denied, unknown or unfit never reaches the server");
}

#[tokio::test]
async fn a_long_output_is_cut_and_its_middle_read_on_request() {
    let quick_was_called = Arc::new(Notify::new());
    let peer = HttpPeer::start(move |request| reply(request, &quick_was_called)).await.unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("servers.json");
    std::fs::write(&file, json!({"mcpServers": {"s": {"type": "http", "url": peer.url("/mcp")}}}).to_string()).unwrap();
    let client = Client::builder(Environment::new(folder.path())).config(file).build();
    client.start().await;

    let long = (1..=9_000).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
    let turn = Turn::new("s", "openai");
    let cut = answer(&client, &turn, vec![asks("1", "mcp__s__quick", json!({ "say": long }))]).await;
    assert!(cut[0].text.len() < 40_000 && cut[0].text.contains("out-1"), "{}", cut[0].text.len());
    assert!(!cut[0].text.contains("line 5000\n"));

    let read = |session: &str| {
        (Turn::new(session, "openai"), asks("2", "output", json!({"id": "out-1", "pattern": "^line 5000$"})))
    };
    let (turn, use_it) = read("s");
    let page = answer(&client, &turn, vec![use_it]).await;
    assert!(page[0].text.contains("line 5000") && !page[0].is_error, "{page:?}");
    let (turn, use_it) = read("another conversation");
    assert!(answer(&client, &turn, vec![use_it]).await[0].is_error, "outputs belong to their conversation");
}

/// Says yes to everything.
struct Yes;

impl Approve for Yes {
    fn approve<'a>(&'a self, _question: &'a Question) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        Box::pin(std::future::ready(Reply::Once))
    }
}

#[tokio::test]
async fn calls_that_change_something_never_run_beside_each_other() {
    let (arrived, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let ledger = Arc::new(Mutex::new(0));
    let (seen, gate, count) = (arrived.clone(), release.clone(), ledger.clone());
    let peer = HttpPeer::start(move |request| {
        if request.json()["params"]["name"] != "write" {
            return reply(request, &Arc::new(Notify::new()));
        }
        *count.lock().unwrap() += 1;
        seen.notify_one();
        let id = request.json()["id"].clone();
        let result = json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}).to_string();
        HttpAnswer::new(200).header("content-type", "application/json").until(gate.clone()).body(result)
    })
    .await
    .unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("servers.json");
    std::fs::write(&file, json!({"mcpServers": {"s": {"type": "http", "url": peer.url("/mcp")}}}).to_string()).unwrap();
    let client = Client::builder(Environment::new(folder.path())).config(file).approver(Arc::new(Yes)).build();
    client.start().await;

    let asked = vec![asks("1", "mcp__s__write", json!({})), asks("2", "mcp__s__write", json!({}))];
    let writer = client.clone();
    let writing = tokio::spawn(async move { answer(&writer, &Turn::new("s", "openai"), asked).await });
    arrived.notified().await;
    // Were both on their way, the second would have been sent with the first, and so before this whole round trip.
    client.call("mcp__s__quick", json!({})).await.unwrap();
    assert_eq!(*ledger.lock().unwrap(), 1, "the second waits for the first");
    release.notify_one();
    arrived.notified().await;
    release.notify_one();
    assert!(writing.await.unwrap().iter().all(|result| !result.is_error));
}
