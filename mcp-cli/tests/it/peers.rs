//! Servers in the test's own process whose tools the test changes between two runs of the binary.

use std::sync::{Arc, Mutex};

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, well_behaved};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A server's tools and instructions, as the test wants them at the moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Says {
    pub(crate) tools: Value,
    pub(crate) instructions: Option<String>,
}

/// Scripted servers, and the threads they run on.
pub(crate) struct Peers {
    // Dropped first: the servers' tasks end with their runtime.
    servers: Vec<(HttpPeer, Arc<Mutex<Says>>)>,
    runtime: Runtime,
}

impl Peers {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Self { servers: Vec::new(), runtime }
    }

    /// Starts a server with these tools; returns its entry in a configuration.
    pub(crate) fn start(&mut self, tools: Value) -> Value {
        let says = Arc::new(Mutex::new(Says { tools, instructions: None }));
        let shared = says.clone();
        let peer = self.runtime.block_on(HttpPeer::start(move |request| answer(request, &shared.lock().unwrap())));
        let peer = peer.unwrap();
        self.servers.push((peer, says));
        self.entry(self.servers.len() - 1)
    }

    /// A server's entry in a configuration.
    pub(crate) fn entry(&self, server: usize) -> Value {
        json!({"type": "http", "url": self.servers[server].0.url("/mcp")})
    }

    /// The names of the tools that a server was asked to call.
    pub(crate) fn calls(&self, server: usize) -> Vec<String> {
        let requests = self.servers[server].0.requests().into_iter();
        let calls = requests.filter(|request| request.rpc_method() == "tools/call");
        calls.map(|request| request.json()["params"]["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Changes what a server says from the next run on.
    pub(crate) fn change(&self, server: usize, change: impl FnOnce(&mut Says)) {
        change(&mut self.servers[server].1.lock().unwrap());
    }
}

fn answer(request: &HttpRequest, says: &Says) -> HttpAnswer {
    if let (Some(instructions), "initialize") = (&says.instructions, request.rpc_method().as_str()) {
        let result = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
            "instructions": instructions,
        });
        return HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": result}));
    }
    well_behaved(request, &says.tools, |params| json!({"content": [{"type": "text", "text": params["name"]}]}))
}
