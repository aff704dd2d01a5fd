//! What is still to be said when a connection ends, and what would be waited for without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, legacy_http, modern_http};
use mcp_transport::{
    Backoff, Change, Connection, Dialer, Endpoint, HttpOptions, Negotiation, StdioOptions, Timeouts, connect,
};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::{connect_to_http, options, raw, reply, serve};

fn of(server: &HttpPeer, method: &str) -> Vec<HttpRequest> {
    server.requests().into_iter().filter(|request| request.rpc_method() == method).collect()
}

/// Waits until the server has been sent so many requests that `count` counts.
async fn seen(server: &HttpPeer, count: impl Fn(&HttpRequest) -> bool, number: usize) {
    while server.requests().iter().filter(|request| count(request)).count() < number {
        tokio::task::yield_now().await;
    }
}

/// I15.
#[tokio::test]
async fn i15_a_failure_is_shared_by_those_who_waited() {
    let server = serve(|_| HttpAnswer::new(0)).await;
    let options = options().with_timeouts(Timeouts::default().with_connect(Duration::from_secs(1)));
    let dialer = Dialer::new(Endpoint::Http(HttpOptions::new(server.url("/mcp"))), options, Backoff::default());
    let started = Instant::now();
    for outcome in join_all((0..5).map(|_| dialer.connection())).await {
        assert!(outcome.expect_err("a silent server").is_timeout());
    }
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!((of(&server, "server/discover").len(), of(&server, "initialize").len()), (1, 1), "one attempt");
    dialer.connection().await.expect_err("another attempt");
    assert_eq!(of(&server, "initialize").len(), 2, "who asks later does not hear of an old failure");
}

/// A caller that is dropped takes its attempt along; the next makes its own.
#[tokio::test]
async fn a_dropped_attempt_is_made_by_the_next() {
    let server = serve(modern_http).await;
    let dialer = Dialer::new(Endpoint::Http(HttpOptions::new(server.url("/mcp"))), options(), Backoff::default());
    let mut first = Box::pin(dialer.connection());
    assert!(futures_util::poll!(&mut first).is_pending());
    let mut second = Box::pin(dialer.connection());
    assert!(futures_util::poll!(&mut second).is_pending());
    drop(first);
    second.await.expect("a connection");
}

#[tokio::test]
async fn a_task_that_was_just_given_up_is_cancelled_before_a_shutdown() {
    let server = serve(|request| match request.rpc_method().as_str() {
        "tools/call" => reply(request, &json!({"resultType": "task", "taskId": "t1", "status": "working"})),
        "tasks/cancel" => reply(request, &json!({"resultType": "complete"})),
        _ => modern_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let call = connection.call_tool("slow", None);
    let became_a_task = tokio::time::timeout(Duration::from_millis(500), call).await;
    assert!(became_a_task.is_err(), "a task takes its time");
    connection.shutdown().await;
    assert_eq!(of(&server, "tasks/cancel").len(), 1);
}

/// A server of 2024-11-05, and when its answer to `initialize` is due.
fn old_server(request: &HttpRequest, initialized: &Arc<Notify>, is_deaf: &AtomicBool) -> HttpAnswer {
    if request.method == "GET" {
        let result =
            json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2024-11-05", "capabilities": {}}});
        return HttpAnswer::events("event: endpoint\ndata: /messages\n\n")
            .until(initialized.clone())
            .body(format!("event: message\ndata: {result}\n\n"))
            .hang();
    }
    if request.rpc_method() == "initialize" {
        initialized.notify_one();
    }
    // Deaf it takes a message and never says so.
    HttpAnswer::new(if is_deaf.load(Ordering::SeqCst) { 0 } else { 202 })
}

#[tokio::test]
async fn a_cancellation_is_said_before_an_old_server_is_left() {
    for deaf in [false, true] {
        let (bell, is_deaf) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let deafness = is_deaf.clone();
        let server = serve(move |request| old_server(request, &bell, &deafness)).await;
        let options = options().with_timeouts(Timeouts::default().with_shutdown(Duration::from_millis(300)));
        let endpoint = Endpoint::Sse(HttpOptions::new(server.url("/sse")));
        let connection = connect(endpoint, options).await.expect("a connection");
        let mut call = Box::pin(connection.call_tool("slow", None));
        while of(&server, "tools/call").is_empty() {
            assert!(futures_util::poll!(&mut call).is_pending(), "nobody answers");
            tokio::task::yield_now().await;
        }
        is_deaf.store(deaf, Ordering::SeqCst);
        drop(call);
        let started = Instant::now();
        connection.shutdown().await;
        assert_eq!(of(&server, "notifications/cancelled").len(), 1);
        assert!(started.elapsed() < Duration::from_secs(5), "a deaf server holds nobody up");
    }
}

fn unauthorized() -> HttpAnswer {
    HttpAnswer::new(401).header("www-authenticate", "Bearer")
}

/// Ends the first stream, lets the login end before the second, and gives it back.
async fn loses_its_login(
    server: &HttpPeer,
    connection: &Connection,
    login: &AtomicBool,
    listens: fn(&HttpRequest) -> bool,
) {
    seen(server, listens, 2).await;
    assert!(connection.call_tool("echo", None).await.expect_err("no login").is_auth_required());
    let mut changes = connection.changes();
    login.store(true, Ordering::SeqCst);
    connection.call_tool("echo", None).await.expect("a renewed login");
    seen(server, listens, 3).await;
    assert_eq!(changes.next().await, Some(Change::Tools), "it may have changed while nobody listened");
}

#[tokio::test]
async fn a_modern_stream_is_opened_again_after_a_login() {
    let login = Arc::new(AtomicBool::new(true));
    let is_in = login.clone();
    let server = serve(move |request| match request.rpc_method().as_str() {
        _ if !is_in.load(Ordering::SeqCst) => unauthorized(),
        "server/discover" => reply(
            request,
            &json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}}}),
        ),
        "subscriptions/listen" if request.number < 3 => {
            // The end of the first stream is the end of the login.
            is_in.store(false, Ordering::SeqCst);
            HttpAnswer::events(": open\n\n")
        }
        "subscriptions/listen" => HttpAnswer::events(": open\n\n").hang(),
        _ => modern_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    loses_its_login(&server, &connection, &login, |request| request.rpc_method() == "subscriptions/listen").await;
}

#[tokio::test]
async fn a_legacy_stream_is_opened_again_after_a_login() {
    let login = Arc::new(AtomicBool::new(true));
    let (is_in, is_first) = (login.clone(), AtomicBool::new(true));
    let server = serve(move |request| match request.method.as_str() {
        _ if !is_in.load(Ordering::SeqCst) => unauthorized(),
        "GET" if is_first.swap(false, Ordering::SeqCst) => {
            is_in.store(false, Ordering::SeqCst);
            HttpAnswer::events(": open\n\n")
        }
        "GET" => HttpAnswer::events(": open\n\n").hang(),
        _ => legacy_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    loses_its_login(&server, &connection, &login, |request| request.method == "GET").await;
}

/// A login that is good for everything else, and not for listening, leads to no endless asking.
#[tokio::test]
async fn a_stream_that_is_refused_whatever_the_login_is_given_up() {
    let server = serve(move |request| match request.method.as_str() {
        "GET" => unauthorized(),
        _ => legacy_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let listens = |request: &HttpRequest| request.method == "GET";
    for tries in 1..=4 {
        while server.requests().iter().filter(|request| listens(request)).count() < tries {
            connection.call_tool("echo", None).await.expect("a result");
        }
    }
    let calls = of(&server, "tools/call").len();
    // As long again, and nobody asks any more.
    for _ in 0..calls.max(200) {
        connection.call_tool("echo", None).await.expect("a result");
    }
    assert_eq!(server.requests().iter().filter(|request| listens(request)).count(), 4);
}

/// A server that takes the request for its stream and says nothing, not even that it heard.
#[tokio::test]
async fn a_stream_without_even_a_head_is_opened_again() {
    for (modern, method) in [(true, "POST"), (false, "GET")] {
        let server = serve(move |request| match (request.method.as_str(), request.rpc_method().as_str()) {
            ("GET", _) | (_, "subscriptions/listen") => HttpAnswer::new(0),
            (_, "server/discover") if modern => reply(
                request,
                &json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}}}),
            ),
            _ if modern => modern_http(request),
            _ => legacy_http(request),
        });
        let server = server.await;
        let timeouts = Timeouts::default().with_idle(Duration::from_millis(200));
        let endpoint = Endpoint::Http(HttpOptions::new(server.url("/mcp")));
        let connection = connect(endpoint, options().with_timeouts(timeouts)).await.expect("a connection");
        let listens = move |request: &HttpRequest| {
            request.method == method && (!modern || request.rpc_method() == "subscriptions/listen")
        };
        seen(&server, listens, 2).await;
        assert!(!connection.is_closed());
    }
}

/// A server that works on and never reads again.
#[cfg(unix)]
#[tokio::test]
async fn a_server_that_does_not_read_is_given_up() {
    let script = r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'; exec sleep 60"#;
    let server = StdioOptions::new("sh").with_args(["-c", script]).with_host_env(std::env::vars_os());
    let timeouts = Timeouts::default().with_idle(Duration::from_millis(300));
    let options = options().with_timeouts(timeouts).with_negotiation(Negotiation::LegacyOnly);
    let connection = connect(Endpoint::Stdio(server), options).await.expect("a connection");
    let large = raw(&json!({"text": "x".repeat(4 << 20)}));
    let error = connection.call_tool("echo", Some(&large)).await.expect_err("nobody reads it");
    assert!(error.is_closed() && error.to_string().contains("does not read its input"), "{error}");
}

/// I3: what the rest of a broken stream would have brought is lost, whyever it cannot be had.
#[tokio::test]
async fn i3_what_a_stream_would_have_brought_may_have_changed() {
    for (id, status) in [("id: 7\n", 400), ("id: 7\n", 405), ("", 405)] {
        let server = serve(move |request| match (request.method.as_str(), request.rpc_method().as_str()) {
            (_, "tools/call") => HttpAnswer::events(format!("{id}data: {{}}\n\n")).break_off(),
            ("GET", _) => HttpAnswer::new(status),
            _ => legacy_http(request),
        });
        let server = server.await;
        let connection = connect_to_http(&server).await.expect("a connection");
        let mut changes = connection.changes();
        connection.call_tool("echo", None).await.expect_err("its stream broke");
        assert_eq!(changes.next().await, Some(Change::Tools), "{id:?} {status}");
    }
}

/// I3: a server that will not be listened to any more may have changed before it said so.
#[tokio::test]
async fn i3_when_nobody_listens_any_more_all_may_have_changed() {
    let (was_open, status) = (AtomicBool::new(false), 404);
    let server = serve(move |request| match request.method.as_str() {
        "GET" if !was_open.swap(true, Ordering::SeqCst) => HttpAnswer::events("id: 1\ndata: {}\n\n"),
        "GET" => HttpAnswer::new(status),
        _ => legacy_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    assert_eq!(connection.changes().next().await, Some(Change::Tools), "a legacy stream");

    let was_open = AtomicBool::new(false);
    let server = serve(move |request| match request.rpc_method().as_str() {
        "server/discover" => reply(
            request,
            &json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}}}),
        ),
        "subscriptions/listen" if !was_open.swap(true, Ordering::SeqCst) => HttpAnswer::events(": open\n\n"),
        "subscriptions/listen" => HttpAnswer::new(404),
        _ => modern_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let mut changes = connection.changes();
    assert_eq!(changes.next().await, Some(Change::Tools), "the stream ended");
    seen(&server, |request| request.rpc_method() == "subscriptions/listen", 2).await;
    assert_eq!(changes.next().await, Some(Change::Tools), "and it was the last");
}
