//! A client whose servers are scripted, in the test's own process.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_client::config::Environment;
use mcp_client::{Client, ClientBuilder};
use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, well_behaved};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Notify;

/// A folder with a configuration, and the servers that it names.
pub(crate) struct Stage {
    folder: TempDir,
    servers: serde_json::Map<String, Value>,
    peers: Vec<HttpPeer>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), servers: serde_json::Map::new(), peers: Vec::new() }
    }

    /// Adds a server with these tools, each of which answers with the arguments it was given.
    pub(crate) async fn with_server(mut self, name: &str, tools: Value) -> Self {
        let peer = HttpPeer::start(move |request| answer(request, &tools)).await.unwrap();
        self.servers.insert(name.to_owned(), json!({"type": "http", "url": peer.url("/mcp")}));
        self.peers.push(peer);
        self
    }

    /// Adds a server as [`with_server`](Self::with_server) does that says what tools it has once the bell rings.
    pub(crate) async fn with_late_server(mut self, name: &str, tools: Value, bell: Arc<Notify>) -> Self {
        let late = move |request: &HttpRequest| {
            if request.rpc_method() != "tools/list" {
                return answer(request, &tools);
            }
            let listing = json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": {"tools": tools}});
            let answer = HttpAnswer::new(200).header("content-type", "application/json").until(bell.clone());
            answer.body(listing.to_string())
        };
        let peer = HttpPeer::start(late).await.unwrap();
        self.servers.insert(name.to_owned(), json!({"type": "http", "url": peer.url("/mcp")}));
        self.peers.push(peer);
        self
    }

    /// Writes the user's settings.
    pub(crate) fn write_settings(&self, settings: &Value) {
        self.write("home/.config/mcp-toolkit/settings.json", &settings.to_string());
    }

    /// Adds an entry as it stands in a file.
    pub(crate) fn with_entry(mut self, name: &str, entry: Value) -> Self {
        self.servers.insert(name.to_owned(), entry);
        self
    }

    /// Changes an entry before it is written.
    pub(crate) fn with_changed_entry(mut self, name: &str, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.servers[name]);
        self
    }

    /// A builder of a client for this configuration, named and so approved.
    pub(crate) fn builder(&self) -> ClientBuilder {
        self.builder_with(&[])
    }

    /// The same where the environment has these variables.
    pub(crate) fn builder_with(&self, variables: &[(&str, &str)]) -> ClientBuilder {
        let file = self.write("project/servers.json", &json!({ "mcpServers": self.servers }).to_string());
        let environment = Environment::new(self.path("project"))
            .with_home(self.path("home"))
            .with_vars(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        Client::builder(environment).config(file)
    }

    /// Writes a file below the stage's folder, which holds `home` and `project`.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A path below the stage's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a server that answers as the test says.
    pub(crate) async fn with_answers(
        mut self,
        name: &str,
        answer: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static,
    ) -> Self {
        let peer = HttpPeer::start(answer).await.unwrap();
        self.servers.insert(name.to_owned(), json!({"type": "http", "url": peer.url("/mcp")}));
        self.peers.push(peer);
        self
    }

    /// A client with every server connected.
    pub(crate) async fn client(&self) -> Client {
        let client = self.builder().build();
        client.start().await;
        client
    }

    /// The arguments of every call that reached a server, in order.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let requests = self.peers.iter().flat_map(HttpPeer::requests);
        requests
            .filter(|request| request.rpc_method() == "tools/call")
            .map(|request| request.json()["params"]["arguments"].clone())
            .collect()
    }

    /// How often a client introduced itself, over all servers.
    pub(crate) fn introductions(&self) -> usize {
        let requests = self.peers.iter().flat_map(HttpPeer::requests);
        requests.filter(|request| request.rpc_method() == "initialize").count()
    }
}

/// What a well-behaved server with these tools answers; a call is answered with the arguments it was given.
pub(crate) fn answer(request: &HttpRequest, tools: &Value) -> HttpAnswer {
    well_behaved(
        request,
        tools,
        |params| json!({"content": [{"type": "text", "text": params["arguments"].to_string()}]}),
    )
}

/// A tool with this input schema that claims to be read-only.
pub(crate) fn reads(name: &str, schema: &Value) -> Value {
    json!({"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": true}})
}

/// A tool with this input schema that claims nothing.
pub(crate) fn writes(name: &str, schema: &Value) -> Value {
    json!({"name": name, "inputSchema": schema})
}
