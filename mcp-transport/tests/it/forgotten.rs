//! Servers that forget a session, or refuse what needs no answer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, legacy_http};
use mcp_transport::{Endpoint, Era, EraMemory, HttpOptions, connect};
use serde_json::json;

use crate::support::{connect_to_http, options, reply, serve};

fn handshakes(server: &HttpPeer) -> usize {
    server.requests().iter().filter(|request| request.rpc_method() == "initialize").count()
}

fn calls(server: &HttpPeer) -> usize {
    server.requests().iter().filter(|request| request.rpc_method() == "tools/call").count()
}

/// A server whose first session it forgets at once, and refuses with `refusal`; the second lasts.
async fn forgetful(refusal: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static) -> HttpPeer {
    let sessions = AtomicUsize::new(0);
    serve(move |request| match (request.rpc_method().as_str(), request.header("mcp-session-id")) {
        ("initialize", _) => {
            let session = format!("s{}", sessions.fetch_add(1, Ordering::SeqCst));
            reply(request, &json!({"protocolVersion": "2025-11-25", "capabilities": {}}))
                .header("mcp-session-id", session)
        }
        ("tools/call" | "prompts/list", Some("s0")) => refusal(request),
        ("tools/list", _) => {
            let echo = json!({"name": "echo", "inputSchema": {}, "annotations": {"readOnlyHint": true}});
            reply(request, &json!({"tools": [echo]}))
        }
        ("prompts/list", _) => reply(request, &json!({"prompts": []})),
        _ => legacy_http(request),
    })
    .await
}

fn refused(status: u16, text: &str) -> HttpAnswer {
    HttpAnswer::new(status).header("content-type", "text/plain").body(text)
}

fn rpc_error(request: &HttpRequest, status: u16, code: i64, message: &str) -> HttpAnswer {
    let error = json!({"code": code, "message": message});
    let body = json!({"jsonrpc": "2.0", "id": request.json()["id"], "error": error});
    HttpAnswer::new(status).header("content-type", "application/json").body(body.to_string())
}

type Refusal = fn(&HttpRequest) -> HttpAnswer;

/// I4: the ways in which servers say that a session is gone.
#[tokio::test]
async fn a_call_is_repeated_when_the_refusal_says_session() {
    let ways: [Refusal; 7] = [
        |_| HttpAnswer::new(404),
        |request| rpc_error(request, 400, -32000, "Bad Request: No valid session ID provided"),
        |_| refused(400, "Invalid session ID"),
        |request| rpc_error(request, 401 + 9, -32001, "Session not found"),
        |request| rpc_error(request, 200, -32600, "Session terminated"),
        |_| refused(503, "unknown session"),
        |request| rpc_error(request, 400, -32000, "Bad Request: Server not initialized"),
    ];
    for (number, refusal) in ways.into_iter().enumerate() {
        let server = forgetful(refusal).await;
        let connection = connect_to_http(&server).await.expect("a connection");
        connection.call_tool("echo", None).await.unwrap_or_else(|error| panic!("way {number}: {error}"));
        assert_eq!((handshakes(&server), calls(&server)), (2, 2), "way {number}");
    }
}

/// I4: a refusal that names no cause may mean the session; what can be asked twice is.
#[tokio::test]
async fn any_refusal_gets_one_handshake_and_what_is_read_only_is_repeated() {
    for status in [400, 403, 410, 500, 502, 503] {
        let server = forgetful(move |_| refused(status, "sorry")).await;
        let connection = connect_to_http(&server).await.expect("a connection");
        connection.list_prompts().await.unwrap_or_else(|error| panic!("{status}: {error}"));
        assert_eq!(handshakes(&server), 2, "{status}");

        let server = forgetful(move |_| refused(status, "sorry")).await;
        let connection = connect_to_http(&server).await.expect("a connection");
        connection.list_tools().await.expect("`echo` says that it is read-only");
        connection.call_tool("echo", None).await.unwrap_or_else(|error| panic!("{status}: {error}"));
        assert_eq!((handshakes(&server), calls(&server)), (2, 2), "{status}");

        let server = forgetful(move |_| refused(status, "sorry")).await;
        let connection = connect_to_http(&server).await.expect("a connection");
        connection.call_tool("change", None).await.expect_err("it may have changed something");
        assert_eq!((handshakes(&server), calls(&server)), (2, 1), "{status}: not repeated");
        connection.call_tool("change", None).await.expect("the next call is in the new session");
    }
}

/// I4: what every session refuses is the call's own fault.
#[tokio::test]
async fn a_refusal_that_the_new_session_repeats_costs_no_further_handshake() {
    let server = serve(|request| match request.rpc_method().as_str() {
        "tools/call" if request.body.contains("bad") => refused(400, "no such tool"),
        _ => legacy_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    for _ in 0..3 {
        let error = connection.call_tool("bad", None).await.expect_err("it is refused");
        assert_eq!(error.http_status(), Some(400), "{error}");
        connection.call_tool("echo", None).await.expect("others are not concerned");
    }
    assert_eq!(handshakes(&server), 2, "the first refusal might have meant the session");
    assert_eq!(calls(&server), 6, "a call that may change something is not repeated");
}

/// I4: a login comes first, and "later" is no refusal.
#[tokio::test]
async fn a_login_is_no_lost_session() {
    let server = forgetful(|_| HttpAnswer::new(401)).await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let error = connection.call_tool("echo", None).await.expect_err("a login is wanted");
    assert!(error.is_auth_required(), "{error}");
    assert_eq!(handshakes(&server), 1);
}

/// I4: a server that is away for a while has no session for us then, and a new one later.
#[tokio::test]
async fn a_handshake_that_failed_is_tried_again_by_the_next_call() {
    let down = std::sync::Arc::new(AtomicBool::new(false));
    let is_down = down.clone();
    let server = serve(move |request| match request.rpc_method().as_str() {
        _ if is_down.load(Ordering::SeqCst) => refused(502, "the server restarts"),
        _ => legacy_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    down.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        connection.call_tool("echo", None).await.expect_err("nobody answers");
    }
    down.store(false, Ordering::SeqCst);
    connection.call_tool("echo", None).await.expect("a call in a new session");
    let call = server.requests().into_iter().rfind(|request| request.rpc_method() == "tools/call").expect("a call");
    assert!(call.header("mcp-session-id").is_some());
}

/// I5.
#[tokio::test]
async fn a_refused_notification_ends_no_handshake() {
    for status in [400, 404, 500] {
        let server = serve(move |request| match request.rpc_method().as_str() {
            "notifications/initialized" => HttpAnswer::new(status),
            _ => legacy_http(request),
        });
        let server = server.await;
        let connection = connect_to_http(&server).await.unwrap_or_else(|error| panic!("{status}: {error}"));
        connection.call_tool("echo", None).await.expect("a result");
    }
}

/// I6.
#[tokio::test]
async fn when_both_eras_are_refused_the_error_says_what_initialize_said() {
    struct Legacy;
    impl EraMemory for Legacy {
        fn recall(&self, _key: &str) -> Option<Era> {
            Some(Era::Legacy)
        }
        fn remember(&self, _key: &str, _era: Era) {}
    }
    let server = serve(|request| match request.rpc_method().as_str() {
        "initialize" => rpc_error(request, 200, -32000, "the licence has run out"),
        _ => rpc_error(request, 200, -32601, "Method not found"),
    });
    let server = server.await;
    for options in [options(), options().with_eras(std::sync::Arc::new(Legacy))] {
        let endpoint = Endpoint::Http(HttpOptions::new(server.url("/mcp")));
        let error = connect(endpoint, options).await.expect_err("no era is left");
        assert!(error.to_string().contains("the licence has run out"), "{error}");
    }
}

/// I12, and a web site's page.
#[tokio::test]
async fn a_wrong_address_is_named() {
    let older = serve(|request| match request.method.as_str() {
        "GET" => HttpAnswer::events("event: endpoint\ndata: /messages\n\n").hang(),
        _ if request.target == "/messages" => HttpAnswer::new(202),
        _ => {
            HttpAnswer::new(404).header("content-type", "text/html").body("<!DOCTYPE html><pre>Cannot POST /sse</pre>")
        }
    });
    let older = older.await;
    let error = connect_to_http(&older).await.expect_err("the page of a web framework");
    assert!(!error.to_string().contains("<pre>") && error.to_string().contains("a web page"), "{error}");

    let site =
        serve(|_| HttpAnswer::new(200).header("content-type", "text/html").body("<html><title>Shop</title></html>"));
    let error = connect_to_http(&site.await).await.expect_err("a web site");
    assert!(error.to_string().contains("a web page titled `Shop`"), "{error}");
}

/// I11, and the invalid text of one message.
#[tokio::test]
async fn an_answer_without_its_blank_line_is_delivered_and_counted() {
    for (tail, works) in [("", true), ("\n", true), ("!", false)] {
        let server = serve(move |request| match request.rpc_method().as_str() {
            "tools/call" => {
                let answer = json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": {"content": []}});
                let stray = b"data: {\"method\":\"notifications/message\",\"params\":\"\xff\"}\n\n";
                HttpAnswer::events("").body(&stray[..]).body(format!("data: {answer}{tail}"))
            }
            _ => legacy_http(request),
        });
        let server = server.await;
        let connection = connect_to_http(&server).await.expect("a connection");
        let outcome = connection.call_tool("echo", None).await;
        assert_eq!(outcome.is_ok(), works, "{tail:?}: {outcome:?}");
        assert!(connection.noise() > 0, "{tail:?}");
    }
}
