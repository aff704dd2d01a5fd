//! HTTP+SSE, and finding out that it is what a server speaks.

use std::sync::{Arc, Mutex};

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest};
use mcp_transport::{Connection, Endpoint, Error, HttpOptions, connect};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::options;

/// A server of 2024-11-05: messages are posted to `/messages`, answers come on the one event stream.
///
/// The stream is written in pieces, each when the test's client has posted enough.
fn old_server(request: &HttpRequest, posted: &Arc<[Notify]>, after: &str) -> HttpAnswer {
    if request.method == "GET" {
        let message = |value: Value| format!("event: message\ndata: {value}\n\n");
        let initialized =
            json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2024-11-05", "capabilities": {}}});
        let called = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": []}});
        return HttpAnswer::events("event: endpoint\ndata: /messages?session=7\n\n")
            .until_one_of(posted.clone(), 0)
            .body(message(initialized))
            .until_one_of(posted.clone(), 1)
            .body(message(called))
            .body(after.to_owned());
    }
    if request.target != "/messages?session=7" {
        return HttpAnswer::new(405);
    }
    match request.rpc_method().as_str() {
        "initialize" => posted[0].notify_one(),
        "tools/call" => posted[1].notify_one(),
        _ => {}
    }
    HttpAnswer::new(202).body("Accepted")
}

async fn serve(after: &'static str) -> HttpPeer {
    let posted: Arc<[Notify]> = Arc::new([Notify::new(), Notify::new()]);
    HttpPeer::start(move |request| old_server(request, &posted, after)).await.expect("a free port")
}

async fn call(endpoint: Endpoint) -> Result<Connection, Error> {
    let connection = connect(endpoint, options()).await?;
    assert_eq!((connection.transport(), connection.protocol_version()), ("sse", "2024-11-05"));
    let result = connection.call_tool("echo", None).await?;
    assert_eq!(result.get(), r#"{"content":[]}"#);
    Ok(connection)
}

#[tokio::test]
async fn an_old_server_is_spoken_to_directly() {
    let server = serve(": bye\n\n").await;
    let options = HttpOptions::new(server.url("/sse")).with_header("X-Key", "k");
    let connection = call(Endpoint::Sse(options)).await.expect("a connection");
    let error = connection.closed().await;
    assert_eq!(error.to_string(), "connection is closed: the server ended its event stream; connect again");
    assert!(
        server.requests().iter().all(|request| request.header("x-key") == Some("k")),
        "every request has the header"
    );
    assert!(connection.call_tool("echo", None).await.is_err_and(|error| error.is_closed()));
}

#[tokio::test]
async fn an_old_server_is_found_by_fallback() {
    let server = serve(": bye\n\n").await;
    call(Endpoint::HttpAuto(HttpOptions::new(server.url("/sse")))).await.expect("a connection");
    let methods: Vec<String> = server.requests().into_iter().take(3).map(|request| request.method).collect();
    assert_eq!(methods, ["POST", "POST", "GET"], "discover, initialize, and only then the stream");
}

#[tokio::test]
async fn a_login_never_leads_to_the_fallback() {
    let seen = Arc::new(Mutex::new(0));
    for status in [401, 403, 429, 500] {
        let server =
            HttpPeer::start(move |_| HttpAnswer::new(status).header("retry-after", "100")).await.expect("a port");
        let endpoint = Endpoint::HttpAuto(HttpOptions::new(server.url("/")));
        let error = connect(endpoint, options()).await.expect_err("no server");
        assert_eq!(error.http_status(), Some(status), "{error:?}");
        assert!(server.requests().iter().all(|request| request.method == "POST"), "{status}");
        *seen.lock().expect("unpoisoned") += 1;
    }
    assert_eq!(*seen.lock().expect("unpoisoned"), 4);
}

#[tokio::test]
async fn a_stream_that_breaks_the_rules_is_refused() {
    for (stream, expected) in [
        ("event: endpoint\ndata: http://example.com/messages\n\n", "another server"),
        ("event: endpoint\ndata: http://[\n\n", "no address"),
        ("event: message\ndata: {}\n\n", "ended its event stream before the `endpoint` event"),
    ] {
        let server = HttpPeer::start(move |_| HttpAnswer::events(stream)).await.expect("a port");
        let error = connect(Endpoint::Sse(HttpOptions::new(server.url("/"))), options()).await.expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
    }
}
