//! Streamable HTTP: sessions, headers, streams, redirects.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, legacy_http, modern_http};
use mcp_transport::{Change, ConnectOptions, Endpoint, Era, Error, HttpOptions, Proxy, connect};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::{connect_to_http, options, raw, reply, serve};

/// The requests of one JSON-RPC method.
fn of(server: &HttpPeer, method: &str) -> Vec<HttpRequest> {
    server.requests().into_iter().filter(|request| request.rpc_method() == method).collect()
}

#[tokio::test]
async fn a_legacy_session_is_carried_and_given_back() {
    let server = serve(legacy_http).await;
    let connection = connect_to_http(&server).await.expect("a connection");
    assert_eq!((connection.transport(), connection.protocol_version()), ("http", "2025-11-25"));
    connection.call_tool("echo", None).await.expect("a result");
    connection.shutdown().await;
    assert!(connection.is_closed());
    let calls = of(&server, "tools/call");
    let [call] = &calls[..] else { unreachable!("one call, not {}", calls.len()) };
    assert_eq!((call.header("mcp-session-id"), call.header("mcp-protocol-version")), (Some("s0"), Some("2025-11-25")));
    assert_eq!(call.header("mcp-method"), None, "that header is younger than this era");
    let deleted = server.requests().into_iter().find(|request| request.method == "DELETE").expect("a DELETE");
    assert_eq!(deleted.header("mcp-session-id"), Some("s0"));
}

#[tokio::test]
async fn modern_requests_repeat_themselves_in_headers() {
    let server = serve(modern_http).await;
    let connection = connect_to_http(&server).await.expect("a connection");
    assert_eq!(connection.era(), Era::Modern);
    connection.call_tool("naïve tool", None).await.expect("a result");
    let call = of(&server, "tools/call").remove(0);
    let headers = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"].map(|name| call.header(name));
    assert_eq!(headers, [Some("2026-07-28"), Some("tools/call"), Some("=?base64?bmHDr3ZlIHRvb2w=?="), None]);
    let probe = of(&server, "server/discover").remove(0);
    assert_eq!(
        (probe.header("mcp-protocol-version"), probe.header("mcp-method")),
        (Some("2026-07-28"), Some("server/discover"))
    );
}

/// A modern server with a tool whose `region` travels as a header from the second listing on.
fn with_tool_headers(request: &HttpRequest, listings: &Mutex<usize>) -> HttpAnswer {
    match request.rpc_method().as_str() {
        "tools/list" => {
            let mut listings = listings.lock().expect("unpoisoned");
            *listings += 1;
            let name = if *listings == 1 { "Old" } else { "Region" };
            let region = json!({"type": "string", "x-mcp-header": name});
            let good = json!({"name": "good", "inputSchema": {"type": "object", "properties": {"region": region}}});
            let bad = json!({"name": "bad", "inputSchema": {"type": "object", "x-mcp-header": "X"}});
            reply(request, &json!({"tools": [good, bad]}))
        }
        "tools/call" if request.header("mcp-param-region") != Some("eu") => {
            let error = json!({"code": -32020, "message": "header mismatch"});
            let body = json!({"jsonrpc": "2.0", "id": request.json()["id"], "error": error});
            HttpAnswer::new(400).header("content-type", "application/json").body(body.to_string())
        }
        _ => modern_http(request),
    }
}

#[tokio::test]
async fn arguments_travel_as_headers_and_a_mismatch_refreshes_the_list() {
    let listings = Mutex::new(0);
    let server = serve(move |request| with_tool_headers(request, &listings)).await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let tools = connection.list_tools().await.expect("a list");
    assert_eq!(tools.items.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert_eq!(tools.rejected.iter().map(|tool| tool.name.as_deref()).collect::<Vec<_>>(), [Some("bad")]);

    connection.call_tool("good", Some(&raw(&json!({"region": "eu"})))).await.expect("a result on the second try");
    let calls = of(&server, "tools/call");
    let sent: Vec<_> =
        calls.iter().map(|call| (call.header("mcp-param-old"), call.header("mcp-param-region"))).collect();
    assert_eq!(sent, [(Some("eu"), None), (None, Some("eu"))]);
    assert_eq!(of(&server, "tools/list").len(), 2);
}

#[tokio::test]
async fn own_headers_go_to_the_server_and_to_no_other() {
    let other = serve(legacy_http).await;
    let elsewhere = other.url("/mcp");
    let server = serve(move |_| HttpAnswer::new(308).header("location", elsewhere.clone())).await;
    let endpoint = Endpoint::Http(HttpOptions::new(server.url("/mcp?key=secret")).with_header("X-Key", "hush"));
    let error = connect(endpoint, options()).await.expect_err("another origin");
    assert!(matches!(error, Error::Redirect { .. }), "{error:?}");
    let text = format!("{error} {error:?}");
    assert!(!text.contains("secret") && !text.contains("hush"), "{text}");
    assert_eq!(other.requests().len(), 0, "the other server never heard of it");
    assert_eq!(server.requests()[0].header("x-key"), Some("hush"));
}

#[tokio::test]
async fn callers_that_lose_their_session_at_once_share_one_handshake() {
    let server = serve(|request| {
        let lost = request.header("mcp-session-id") == Some("s0") && request.rpc_method() == "tools/call";
        match request.rpc_method().as_str() {
            "initialize" => {
                let first = request.number < 2;
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
                reply(request, &result).header("mcp-session-id", if first { "s0" } else { "s9" })
            }
            _ if lost => HttpAnswer::new(404),
            _ => legacy_http(request),
        }
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let mut changes = connection.changes();
    let calls = (0..8).map(|_| connection.call_tool("echo", None));
    for result in futures_util::future::join_all(calls).await {
        result.expect("a result in the new session");
    }
    assert_eq!(of(&server, "initialize").len(), 2, "one at the start, one for all eight");
    assert_eq!(changes.next().await, Some(Change::SessionRenewed));
}

#[tokio::test]
async fn a_legacy_server_may_push_on_its_own_stream() {
    let push = Arc::new(Notify::new());
    let pushed = push.clone();
    let server = serve(move |request| match request.method.as_str() {
        "GET" => {
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            HttpAnswer::events(": hi\n\n").until(pushed.clone()).body(format!("data: {changed}\n\n")).hang()
        }
        _ => legacy_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let mut changes = connection.changes();
    push.notify_one();
    assert_eq!(changes.next().await, Some(Change::Tools));
    let stream = server.requests().into_iter().find(|request| request.method == "GET").expect("a GET");
    assert_eq!((stream.header("accept"), stream.header("mcp-session-id")), (Some("text/event-stream"), Some("s0")));
}

#[tokio::test]
async fn a_question_inside_a_call_is_answered_by_a_post() {
    let server = serve(|request| {
        let ask = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
        match request.rpc_method().as_str() {
            "tools/call" => {
                let answer = json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": {"content": []}});
                HttpAnswer::events(format!("data: {ask}\n\ndata: {answer}\n\n"))
            }
            _ => legacy_http(request),
        }
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    connection.call_tool("echo", None).await.expect("a result");
    let pong = json!({"jsonrpc": "2.0", "id": 9, "result": {}});
    while !server.requests().iter().any(|request| request.json() == pong) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn dropping_a_modern_call_ends_its_exchange_and_says_nothing_more() {
    let entered = Arc::new(Notify::new());
    let inside = entered.clone();
    let server = serve(move |request| match request.rpc_method().as_str() {
        "tools/call" => {
            inside.notify_one();
            HttpAnswer::events(": wait\n\n").hang()
        }
        _ => modern_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    tokio::select! {
        result = connection.call_tool("echo", None) => unreachable!("it hangs: {result:?}"),
        () = entered.notified() => {}
    }
    connection.health().await.expect("the server is there");
    assert_eq!(of(&server, "notifications/cancelled").len(), 0);
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let server = serve(legacy_http).await;
    let url = server.url("/mcp");
    drop(server);
    let error = connect(Endpoint::Http(HttpOptions::new(url)), options()).await.expect_err("nobody is there");
    assert!(error.is_unreachable(), "{error:?}");
}

#[tokio::test]
async fn memory_of_eras_spares_the_probe() {
    use mcp_transport::EraMemory;

    #[derive(Default)]
    struct Memory(Mutex<Vec<(String, Era)>>);

    impl EraMemory for Memory {
        fn recall(&self, key: &str) -> Option<Era> {
            let known = self.0.lock().expect("unpoisoned");
            known.iter().find(|(name, _)| name == key).map(|(_, era)| *era)
        }

        fn remember(&self, key: &str, era: Era) {
            self.0.lock().expect("unpoisoned").push((key.to_owned(), era));
        }
    }

    let (server, memory) = (serve(legacy_http).await, Arc::new(Memory::default()));
    let options: ConnectOptions = options().with_eras(memory.clone());
    for _ in 0..2 {
        let endpoint = Endpoint::Http(HttpOptions::new(server.url("/mcp")));
        connect(endpoint, options.clone()).await.expect("a connection");
    }
    assert_eq!(of(&server, "server/discover").len(), 1, "the second connection knows");
    let remembered = memory.0.lock().expect("unpoisoned");
    assert_eq!(remembered.iter().map(|(key, era)| (key.len(), *era)).collect::<Vec<_>>(), [(64, Era::Legacy)]);
}

#[tokio::test]
async fn calls_that_are_answered_by_streams_share_a_connection() {
    let server = serve(|request| match request.rpc_method().as_str() {
        "tools/call" => {
            let answer = json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": {"content": []}});
            HttpAnswer::event(&answer)
        }
        _ => legacy_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    for _ in 0..20 {
        connection.call_tool("echo", None).await.expect("a result");
    }
    assert!(server.connections() < 10, "{} connections for 20 calls", server.connections());
}

#[tokio::test]
async fn a_proxy_is_used_for_servers_elsewhere() {
    let proxy = serve(legacy_http).await;
    let elsewhere = HttpOptions::new("http://mcp.example/mcp").with_proxy(Proxy::Url(proxy.url("")));
    connect(Endpoint::Http(elsewhere), options()).await.expect("a connection through the proxy");
    assert!(
        proxy.requests().iter().all(|request| request.target == "http://mcp.example/mcp"),
        "{:?}",
        proxy.requests()
    );
}

#[tokio::test]
async fn no_secret_is_in_what_debug_shows() {
    let server = serve(legacy_http).await;
    let endpoint = HttpOptions::new(server.url("/mcp?key=secret")).with_header("X-Key", "hush");
    let connection = connect(Endpoint::Http(endpoint), options()).await.expect("a connection");
    let text = format!("{connection:?}");
    assert!(!text.contains("secret") && !text.contains("hush"), "{text}");
    assert!(text.contains("x-key"), "{text}");
}

#[tokio::test]
async fn an_abandoned_task_is_cancelled_with_the_headers_of_its_era() {
    let server = serve(|request| match request.rpc_method().as_str() {
        "tools/call" => reply(request, &json!({"resultType": "task", "taskId": "t1", "status": "working"})),
        "tasks/cancel" => reply(request, &json!({"resultType": "complete"})),
        _ => modern_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let mut call = Box::pin(connection.call_tool("slow", None));
    while of(&server, "tools/call").is_empty() {
        assert!(futures_util::poll!(&mut call).is_pending(), "a task takes its time");
        tokio::task::yield_now().await;
    }
    // Once more, so that the answer, which is on its way by now, makes the call a task.
    let became_a_task = tokio::time::timeout(Duration::from_millis(500), &mut call).await;
    assert!(became_a_task.is_err());
    drop(call);
    let cancel = loop {
        if let Some(cancel) = of(&server, "tasks/cancel").pop() {
            break cancel;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!((cancel.header("mcp-method"), cancel.header("mcp-name")), (Some("tasks/cancel"), Some("t1")));
}

#[tokio::test]
async fn a_look_at_a_task_that_fails_once_is_repeated() {
    let failed = Mutex::new(0);
    let server = serve(move |request| match request.rpc_method().as_str() {
        "tools/call" => {
            reply(request, &json!({"resultType": "task", "taskId": "t1", "status": "working", "pollIntervalMs": 0}))
        }
        "tasks/get" => {
            let mut failed = failed.lock().expect("unpoisoned");
            *failed += 1;
            match *failed {
                1 => HttpAnswer::new(502).body("bad gateway"),
                2 => HttpAnswer::new(0).break_off(),
                _ => reply(request, &json!({"taskId": "t1", "status": "completed", "result": {"content": []}})),
            }
        }
        _ => modern_http(request),
    });
    let server = server.await;
    let connection = connect_to_http(&server).await.expect("a connection");
    let result = connection.call_tool("slow", None).await.expect("the task's result");
    assert_eq!(result.get(), r#"{"content":[]}"#);
    assert_eq!((of(&server, "tools/call").len(), of(&server, "tasks/cancel").len()), (1, 0));
}

#[tokio::test]
async fn what_a_server_asks_to_wait_is_told() {
    let now = "Mon, 30 Nov 2026 08:00:00 GMT";
    for (asked, date, expected) in [
        ("100", None, Some(100)),
        ("Mon, 30 Nov 2026 08:01:40 GMT", Some(now), Some(100)),
        ("Monday, 30-Nov-26 08:01:40 GMT", Some(now), Some(100)),
        ("Mon, 30 Nov 2026 07:00:00 GMT", Some(now), Some(0)),
        ("Mon, 30 Nov 2026 08:01:40 GMT", None, None),
        ("Mon, 30 Nov 2026 08:01:40 GMT", Some("yesterday"), None),
        ("later", Some(now), None),
        ("-1", Some(now), None),
    ] {
        let answer = move |_: &HttpRequest| {
            let answer = HttpAnswer::new(500).header("retry-after", asked);
            date.map_or(answer.clone(), |date| answer.header("date", date))
        };
        let error = connect_to_http(&serve(answer).await).await.expect_err("no server");
        assert_eq!(error.retry_after(), expected.map(Duration::from_secs), "{asked} at {date:?}: {error:?}");
    }
}
