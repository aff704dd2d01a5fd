//! Servers that are away for a moment, and servers of another kind than was said.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, well_behaved};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use crate::stage::{Stage, configuration};

/// A scripted server, and the threads it runs on.
pub(crate) struct Served {
    // Dropped first: its tasks end with their runtime.
    pub(crate) peer: HttpPeer,
    _runtime: Runtime,
}

impl Served {
    pub(crate) fn start(respond: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static) -> Self {
        let runtime = Runtime::new().unwrap();
        let peer = runtime.block_on(HttpPeer::start(respond)).unwrap();
        Self { peer, _runtime: runtime }
    }

    fn requests(&self, method: &str) -> usize {
        self.peer.requests().iter().filter(|request| request.rpc_method() == method).count()
    }
}

fn healthy(request: &HttpRequest) -> HttpAnswer {
    let tools = json!([
        {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "write", "inputSchema": {"type": "object"}},
    ]);
    well_behaved(request, &tools, |_| json!({"content": [{"type": "text", "text": "done"}]}))
}

/// I30: the first request of every kind meets a gateway whose server is being restarted.
#[test]
fn i30_a_server_that_is_away_for_a_moment_costs_a_moment() {
    for failure in
        [|| HttpAnswer::new(502), || HttpAnswer::new(503), || HttpAnswer::new(504), || HttpAnswer::new(0).break_off()]
    {
        let failed = Mutex::new(HashSet::new());
        let server = Served::start(move |request| {
            if failed.lock().unwrap().insert(request.rpc_method()) { failure() } else { healthy(request) }
        });
        let stage = Stage::new();
        let servers = json!({"it": {"type": "http", "url": server.peer.url("/mcp")}});
        let config = stage.write("servers.json", configuration(&servers));
        let config = config.to_str().unwrap();
        let called = stage.run(&["--config", config, "call", "it.look"]).expect_code(0);
        assert_eq!(called.stdout, "done\n");
        let counted = ["initialize", "tools/list", "tools/call"].map(|method| server.requests(method));
        assert_eq!(counted, [2, 2, 2]);
    }
}

/// I30: what may have changed something is not done twice.
#[test]
fn i30_a_call_that_changes_something_is_made_once() {
    let server = Served::start(|request| match request.rpc_method().as_str() {
        "tools/call" => HttpAnswer::new(503),
        _ => healthy(request),
    });
    let stage = Stage::new();
    let servers = json!({"it": {"type": "http", "url": server.peer.url("/mcp")}});
    let config = stage.write("servers.json", configuration(&servers));
    let failed = stage.run(&["--config", config.to_str().unwrap(), "call", "it.write", "--yes"]);
    assert!(failed.code != 0 && failed.stderr.contains("503"), "{failed:?}");
    assert_eq!(server.requests("tools/call"), 1);
}

/// I12: what web frameworks answer to a POST at the address of an event stream.
#[test]
fn i12_a_server_of_2024_is_named_whatever_its_framework_says() {
    let page = "<!DOCTYPE html><html><body><pre>Cannot POST /sse</pre></body></html>";
    let refusals: [fn(&str) -> HttpAnswer; 4] = [
        |page| HttpAnswer::new(404).header("content-type", "text/html").body(page),
        |page| HttpAnswer::new(405).header("content-type", "text/html; charset=utf-8").body(page),
        |_| HttpAnswer::new(405).header("allow", "GET"),
        |_| HttpAnswer::new(400).header("content-type", "application/json").body("{\"detail\":\"Method Not Allowed\"}"),
    ];
    for (number, refusal) in refusals.into_iter().enumerate() {
        let bell = Arc::new(Notify::new());
        let server = Served::start(move |request| match (request.method.as_str(), request.target.as_str()) {
            ("GET", _) => {
                let result = json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}});
                let answer = json!({"jsonrpc": "2.0", "id": 1, "result": result});
                HttpAnswer::events("event: endpoint\ndata: /messages\n\n")
                    .until(bell.clone())
                    .body(format!("event: message\ndata: {answer}\n\n"))
                    .hang()
            }
            (_, "/messages") => {
                bell.notify_one();
                HttpAnswer::new(202)
            }
            _ => refusal(page),
        });
        let stage = Stage::new();
        let servers = json!({"old": {"type": "http", "url": server.peer.url("/sse")}});
        let config = stage.write("servers.json", configuration(&servers));
        let said = stage.run(&["--config", config.to_str().unwrap(), "tools"]);
        assert!(said.stderr.contains("--transport sse"), "{number}: {said:?}");
        assert!(!said.stderr.contains('<'), "{number}: {said:?}");
    }
}
