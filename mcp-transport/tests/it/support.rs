//! What every test needs: a scripted peer and short timeouts.

use std::time::Duration;

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, example_binary};
use mcp_transport::{ConnectOptions, Connection, Endpoint, Error, HttpOptions, StdioOptions, Timeouts, connect};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The stdio peer that plays `row`.
pub(crate) fn peer(row: &str) -> StdioOptions {
    StdioOptions::new(example_binary("hostile_peer")).with_args([row]).with_host_env(std::env::vars_os())
}

/// Short enough that a test which hangs fails soon, long enough for a loaded machine.
pub(crate) fn options() -> ConnectOptions {
    let timeouts = Timeouts::default()
        .with_connect(Duration::from_secs(20))
        .with_list(Duration::from_secs(10))
        .with_call(Duration::from_secs(10));
    ConnectOptions::default().with_timeouts(timeouts)
}

pub(crate) async fn connect_to(row: &str) -> Result<Connection, Error> {
    connect(Endpoint::Stdio(peer(row)), options()).await
}

pub(crate) async fn serve(respond: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static) -> HttpPeer {
    HttpPeer::start(respond).await.expect("a free port")
}

pub(crate) async fn connect_to_http(server: &HttpPeer) -> Result<Connection, Error> {
    connect(Endpoint::Http(HttpOptions::new(server.url("/mcp"))), options()).await
}

/// The answer to a request.
pub(crate) fn reply(request: &HttpRequest, result: &Value) -> HttpAnswer {
    HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": result}))
}

pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("JSON")
}
