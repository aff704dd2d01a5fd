//! Failures that pass: what can be asked twice is asked again, within the time it has.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, legacy_http, modern_http, well_behaved};
use mcp_transport::{
    Authorize, BoxFuture, CallScope, Cause, ConnectOptions, Connection, Endpoint, Error, HttpOptions, Negotiation,
    RequestHead, ResponseHead, Timeouts, Verdict, connect,
};
use serde_json::json;

use crate::support::{connect_to_http, options, raw, reply, serve};

type Failure = fn() -> HttpAnswer;

const FAILURES: [Failure; 5] = [
    || HttpAnswer::new(502).body("bad gateway"),
    || HttpAnswer::new(503).header("content-type", "text/html").body("<html>back soon</html>"),
    || HttpAnswer::new(504),
    || HttpAnswer::new(503).header("retry-after", "0"),
    || HttpAnswer::new(0).break_off(),
];

/// A server without sessions, which fails the first request of every kind.
async fn flaky(failure: Failure, healthy: fn(&HttpRequest) -> HttpAnswer) -> HttpPeer {
    let failed = Mutex::new(HashSet::new());
    serve(move |request| {
        let kind = format!("{} {}", request.rpc_method(), request.json()["params"]["name"]);
        let is_first = failed.lock().expect("unpoisoned").insert(kind);
        if is_first && !request.rpc_method().starts_with("notifications/") { failure() } else { healthy(request) }
    })
    .await
}

fn legacy(request: &HttpRequest) -> HttpAnswer {
    let tools = json!([
        {"name": "look", "inputSchema": {}, "annotations": {"readOnlyHint": true}},
        {"name": "write", "inputSchema": {}},
    ]);
    match request.rpc_method().as_str() {
        "resources/read" => reply(request, &json!({"contents": []})),
        _ => well_behaved(request, &tools, |_| json!({"content": []})),
    }
}

fn count(server: &HttpPeer, method: &str) -> usize {
    server.requests().iter().filter(|request| request.rpc_method() == method).count()
}

/// I30, on the way to the server.
#[tokio::test]
async fn i30_what_can_be_asked_twice_is_asked_again() {
    for (number, failure) in FAILURES.into_iter().enumerate() {
        let server = flaky(failure, legacy).await;
        let connection = connect_to_http(&server).await.unwrap_or_else(|error| panic!("{number}: {error}"));
        assert_eq!(connection.list_tools().await.expect("the second try").items.len(), 2, "{number}");
        let uri = raw(&json!({"uri": "a://b"}));
        connection.request("resources/read", Some(&uri)).await.expect("the second try");
        connection.call_tool("look", None).await.expect("it changes nothing");
        for method in ["initialize", "tools/list", "resources/read", "tools/call"] {
            assert_eq!(count(&server, method), 2, "{number}: {method}");
        }
    }
}

/// I30: a connection that breaks says nothing about the session, and costs no new one.
#[tokio::test]
async fn i30_a_lost_connection_is_no_lost_session() {
    let server = flaky(FAILURES[4], legacy_http).await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let handshakes = count(&server, "initialize");
    assert_eq!(connection.list_tools().await.expect("the second try").items.len(), 1);
    assert_eq!((count(&server, "tools/list"), count(&server, "initialize")), (2, handshakes));
}

/// I30: the modern handshake too.
#[tokio::test]
async fn i30_a_modern_handshake_is_made_again() {
    for (number, failure) in FAILURES.into_iter().enumerate() {
        let server = flaky(failure, modern_http).await;
        let options = options().with_negotiation(Negotiation::ModernOnly);
        let endpoint = Endpoint::Http(HttpOptions::new(server.url("/mcp")));
        connect(endpoint, options).await.unwrap_or_else(|error| panic!("{number}: {error}"));
        assert_eq!(count(&server, "server/discover"), 2, "{number}");
    }
}

/// I30: what may change something is tried once, unless its caller knows better.
#[tokio::test]
async fn i30_what_may_change_something_is_tried_once() {
    for failure in [FAILURES[0], FAILURES[4]] {
        let server = flaky(failure, legacy).await;
        let connection = connect_to_http(&server).await.expect("a connection");
        connection.list_tools().await.expect("a list");
        connection.call_tool("write", None).await.expect_err("it may have written");
        assert_eq!(count(&server, "tools/call"), 1);

        let server = flaky(failure, legacy).await;
        let connection = connect_to_http(&server).await.expect("a connection");
        connection.call_tool_in(CallScope::default().repeatable(), "write", None).await.expect("the second try");
        assert_eq!(count(&server, "tools/call"), 2);
    }
}

/// I30: nobody waits in vain. A wait that would outlast the call is not begun, and what the server said is told.
#[tokio::test]
async fn i30_no_wait_is_longer_than_the_call() {
    fn busy(request: &HttpRequest) -> HttpAnswer {
        match request.rpc_method().as_str() {
            "tools/call" => HttpAnswer::new(503).header("retry-after", "20"),
            _ => legacy(request),
        }
    }
    let server = serve(busy).await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let started = Instant::now();
    let error = connection
        .call_tool_in(CallScope::default().within(Duration::from_secs(15)), "look", None)
        .await
        .expect_err("the server is busy");
    assert_eq!((error.http_status(), error.retry_after()), (Some(503), Some(Duration::from_secs(20))), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(count(&server, "tools/call"), 1);

    let server = serve(|_| HttpAnswer::new(503).header("retry-after", "20")).await;
    let started = Instant::now();
    let options = ConnectOptions::default().with_timeouts(Timeouts::default().with_connect(Duration::from_secs(15)));
    let endpoint = Endpoint::Http(HttpOptions::new(server.url("/mcp")));
    let error = connect(endpoint, options).await.expect_err("the server is busy");
    assert_eq!(error.http_status(), Some(503), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// I30: a wait that a server asks for is kept.
#[tokio::test]
async fn i30_a_server_is_not_asked_sooner_than_it_said() {
    let server = flaky(|| HttpAnswer::new(502).header("retry-after", "1"), legacy).await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let started = Instant::now();
    connection.call_tool_in(CallScope::default().repeatable(), "look", None).await.expect("the second try");
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
}

/// Counts what is signed, and so how often a request went out.
#[derive(Default)]
struct Counting(Mutex<usize>);

impl Authorize for Counting {
    fn prepare<'a>(&'a self, _request: &'a mut RequestHead) -> BoxFuture<'a, Result<(), Cause>> {
        *self.0.lock().expect("unpoisoned") += 1;
        Box::pin(async { Ok(()) })
    }

    fn inspect<'a>(
        &'a self,
        _request: &'a RequestHead,
        _response: &'a ResponseHead,
    ) -> BoxFuture<'a, Result<Verdict, Cause>> {
        Box::pin(async { Ok(Verdict::Accept) })
    }
}

/// I30: a port where nobody listens, as it is while a server is restarted. What is not sent can be sent again, whatever it is.
#[tokio::test]
async fn i30_a_refused_connection_is_tried_again() {
    let attempts = Arc::new(Counting::default());
    let dead = || HttpOptions::new("http://127.0.0.1:1/mcp").with_authorize(attempts.clone());
    let error = connect(Endpoint::Http(dead()), options().with_negotiation(Negotiation::LegacyOnly))
        .await
        .expect_err("nobody is there");
    assert!(error.is_unreachable(), "{error}");
    assert_eq!(*attempts.0.lock().expect("unpoisoned"), 4);

    let server = serve(legacy).await;
    let counted = HttpOptions::new(server.url("/mcp")).with_authorize(attempts.clone());
    let connection: Connection = connect(Endpoint::Http(counted), options()).await.expect("a connection");
    drop(server);
    let before = *attempts.0.lock().expect("unpoisoned");
    let error = connection.call_tool("write", None).await.expect_err("nobody is there any more");
    let after = *attempts.0.lock().expect("unpoisoned") - before;
    match error {
        // Whether the old connection was still used is the network's affair.
        Error::Unreachable { .. } => assert_eq!(after, 4),
        error => assert!(matches!(error, Error::Interrupted { .. }), "{error}"),
    }
}
