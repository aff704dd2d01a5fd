//! Faults of servers that are reached over HTTP.

use serde_json::{Value, json};

use super::{Drive, Row};
use crate::{HttpAnswer, HttpRequest};

/// Larger than the 16 MiB that clients accept by default.
const OVERSIZED: usize = 17 << 20;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = handshakes();
    rows.extend(calls());
    rows.extend(bodies());
    rows.extend(streams());
    rows
}

fn handshakes() -> Vec<Row> {
    let connect = |name, respond| Row::http(name, Drive::Connect, respond);
    vec![
        Row::http("http-well-behaved", Drive::Call, legacy),
        Row::http("http-modern-only", Drive::Call, modern),
        connect("http-probe-hangs", |request| on(request, "server/discover", |_| HttpAnswer::new(200).hang())),
        connect("http-login", |_| HttpAnswer::new(401).header("www-authenticate", "Bearer scope=\"x\"")),
        connect("http-login-without-challenge", |_| HttpAnswer::new(401)),
        connect("http-forbidden", |_| HttpAnswer::new(403).body("bad origin")),
        connect("http-server-error", |_| HttpAnswer::new(500).body("oops")),
        connect("http-not-found", |_| HttpAnswer::new(404).body("nothing here")),
        connect("http-web-page", |_| HttpAnswer::new(200).header("content-type", "text/html").body("<html>hi</html>")),
        connect("http-media-type-refused", |_| HttpAnswer::new(415).body("unsupported media type")),
        connect("http-login-of-a-proxy", |_| HttpAnswer::new(407).header("proxy-authenticate", "Basic")),
        connect("http-head-beyond-measure", |_| HttpAnswer::new(200).header("x-noise", "x".repeat(4 << 20))),
        Row::http("http-session-not-ascii", Drive::Call, |request| {
            let answer = legacy(request);
            if request.rpc_method() == "initialize" { answer.header("mcp-session-id", "s\u{e9}") } else { answer }
        }),
        Row::http("http-session-end-refused", Drive::Call, |request| {
            if request.method == "DELETE" { HttpAnswer::new(500).body("no") } else { legacy(request) }
        }),
        connect("http-redirect-elsewhere", |_| HttpAnswer::new(307).header("location", "http://example.com/mcp")),
        connect("http-redirect-drops-the-message", |_| HttpAnswer::new(302).header("location", "/other")),
        connect("http-redirect-loop", |_| HttpAnswer::new(307).header("location", "/mcp")),
        Row::http("http-redirect-on-the-same-server", Drive::Call, |request| {
            if request.target == "/moved" { legacy(request) } else { HttpAnswer::new(308).header("location", "/moved") }
        }),
        Row::auto("http-auto-old-sse-elsewhere", Drive::Connect, |request| match request.method.as_str() {
            "GET" => HttpAnswer::events("event: endpoint\ndata: http://example.com/messages\n\n").hang(),
            _ => HttpAnswer::new(405),
        }),
        Row::auto("http-auto-login", Drive::Connect, |_| HttpAnswer::new(401)),
    ]
}

fn calls() -> Vec<Row> {
    let row = |name, respond| Row::http(name, Drive::CallTwice, respond);
    vec![
        row("http-answer-to-nobody", |request| call(request, |_| reply(&json!(4_711), &json!({"content": []})))),
        row("http-accepted-without-answer", |request| call(request, |_| HttpAnswer::new(202))),
        row("http-empty-answer", |request| call(request, |_| HttpAnswer::new(200))),
        row("http-no-content", |request| call(request, |_| HttpAnswer::new(204))),
        row("http-request-timeout", |request| call(request, |_| HttpAnswer::new(408).body("too slow"))),
        row("http-request-too-large", |request| call(request, |_| HttpAnswer::new(413).body("too large"))),
        row("http-broken-json", |request| {
            call(request, |_| HttpAnswer::new(200).header("content-type", JSON).body("{\"a\""))
        }),
        row("http-error-without-id", |request| {
            call(request, |_| {
                let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32602, "message": "no"}});
                HttpAnswer::new(400).header("content-type", JSON).body(error.to_string())
            })
        }),
        row("http-gateway-error", |request| call(request, |_| HttpAnswer::new(502).body("bad gateway"))),
        row("http-oversized-answer", |request| call(request, oversized)),
        row("http-gzip-bomb", |request| call(request, |_| bomb())),
        row("http-hangs-before-the-headers", |request| call(request, |_| HttpAnswer::new(0).hang())).silent(),
        row("http-hangs-in-the-body", |request| {
            call(request, |_| HttpAnswer::new(200).header("content-type", JSON).body("{\"jsonrpc\"").hang())
        })
        .silent(),
        row("http-breaks-off-before-the-headers", |request| call(request, |_| HttpAnswer::new(0).break_off())),
        row("http-breaks-off-in-the-body", |request| {
            call(request, |_| HttpAnswer::new(200).header("content-type", JSON).body("{\"jsonrpc\"").break_off())
        }),
        row("http-breaks-off-in-the-stream", |request| {
            call(request, |_| HttpAnswer::events("data: {\"jsonrpc\"").break_off())
        }),
        Row::http("http-session-expires", Drive::Call, |request| {
            let is_first = request.header("mcp-session-id") == Some("s0");
            if is_first && request.rpc_method() == "tools/call" { HttpAnswer::new(404) } else { legacy(request) }
        }),
        Row::http("http-too-many-requests", Drive::Call, |request| {
            let wait = request.rpc_method() == "tools/call" && request.number % 2 == 1;
            if wait { HttpAnswer::new(429).header("retry-after", "0") } else { legacy(request) }
        }),
        Row::http("http-unavailable-for-an-hour", Drive::Call, |request| {
            call(request, |_| HttpAnswer::new(503).header("retry-after", "3600").body("maintenance"))
        }),
    ]
}

/// Good answers in an odd wrapping.
fn bodies() -> Vec<Row> {
    let row = |name, respond| Row::http(name, Drive::CallTwice, respond);
    vec![
        row("http-plain-text-around-the-answer", |request| {
            call(request, |id| HttpAnswer::new(200).header("content-type", "text/plain").body(answer(id).to_string()))
        }),
        row("http-answer-without-a-type", |request| {
            call(request, |id| HttpAnswer::new(200).body(answer(id).to_string()))
        }),
        row("http-byte-order-mark", |request| {
            call(request, |id| {
                HttpAnswer::new(200).header("content-type", JSON).body(format!("\u{feff}{}", answer(id)))
            })
        }),
        row("http-something-behind-the-answer", |request| {
            call(request, |id| HttpAnswer::new(200).header("content-type", JSON).body(format!("{} bye", answer(id))))
        }),
        row("http-batch", |request| {
            call(request, |id| HttpAnswer::json(&json!([{"jsonrpc": "2.0", "method": "x"}, answer(id)])))
        }),
        row("http-gzip-that-is-none", |request| {
            call(request, |id| {
                let packed = HttpAnswer::new(200).header("content-type", JSON).header("content-encoding", "gzip");
                packed.body(answer(id).to_string())
            })
        }),
        row("http-unknown-coding", |request| {
            call(request, |_| {
                let packed = HttpAnswer::new(200).header("content-type", JSON).header("content-encoding", "br");
                packed.body(b"\x0b\x02\x80hello\x03".to_vec())
            })
        }),
    ]
}

fn streams() -> Vec<Row> {
    let row = |name, respond| Row::http(name, Drive::Call, respond);
    vec![
        row("http-stream", |request| call(request, |id| HttpAnswer::event(&answer(id)))),
        row("http-stream-with-news", |request| {
            call(request, |id| {
                let news = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": 1}});
                HttpAnswer::events(format!(
                    ": hi\n\ndata: {news}\n\ndata: not json\n\nid: 7\ndata:\n\ndata: {}\r\n\r\n",
                    answer(id)
                ))
            })
        }),
        row("http-stream-of-carriage-returns", |request| {
            call(request, |id| HttpAnswer::events(format!(": hi\r\rdata: {}\r\r", answer(id))))
        }),
        row("http-stream-with-a-mark", |request| {
            call(request, |id| HttpAnswer::events(format!("\u{feff}data: {}\n\n", answer(id))))
        }),
        row("http-stream-over-many-data-lines", |request| {
            call(request, |id| {
                let text = serde_json::to_string_pretty(&answer(id)).unwrap_or_default();
                HttpAnswer::events(format!("data: {}\n\n", text.replace('\n', "\ndata: ")))
            })
        }),
        row("http-stream-with-two-answers", |request| {
            call(request, |id| HttpAnswer::events(format!("data: {0}\n\ndata: {0}\n\n", answer(id))))
        }),
        row("http-stream-of-another-event", |request| {
            call(request, |id| HttpAnswer::events(format!("event: surprise\ndata: {}\n\n", answer(id))))
        }),
        row("http-stream-ends-early", |request| call(request, |_| HttpAnswer::events(": bye\n\n"))),
        row("http-stream-with-broken-answer", |request| {
            call(request, |id| HttpAnswer::events(format!("data: {{\"id\":{id},\"result\":{{\"a\":}}\n\n")).hang())
        }),
        row("http-stream-without-end", |request| call(request, |_| HttpAnswer::events("").endless(": x\n\n"))).silent(),
        row("http-event-without-end", |request| {
            call(request, |_| HttpAnswer::events("data: ").endless("x".repeat(1 << 16)))
        }),
        row("http-stream-resumes-in-an-hour", |request| {
            call(request, |_| HttpAnswer::events("id: at-1\nretry: 3600000\ndata:\n\n"))
        })
        .silent(),
        row("http-stream-cannot-be-resumed", |request| {
            if request.method == "GET" && request.header("last-event-id").is_some() {
                return HttpAnswer::new(410).body("gone");
            }
            call(request, |_| HttpAnswer::events("id: at-1\nretry: 60\ndata:\n\n"))
        }),
        row("http-stream-resumes", |request| {
            if request.method == "GET" && request.header("last-event-id") == Some("at-1") {
                let id: Value = 3.into();
                return HttpAnswer::event(&answer(&id));
            }
            call(request, |_| HttpAnswer::events("id: at-1\nretry: 60\ndata:\n\n"))
        }),
    ]
}

const JSON: &str = "application/json";

/// A legacy server, except for its answers to calls.
fn call(request: &HttpRequest, answer: impl Fn(&Value) -> HttpAnswer) -> HttpAnswer {
    on(request, "tools/call", answer)
}

/// A legacy server, except that `method` is answered by `answer`, which gets the request's id.
fn on(request: &HttpRequest, method: &str, answer: impl Fn(&Value) -> HttpAnswer) -> HttpAnswer {
    if request.rpc_method() == method { answer(&request.json()["id"]) } else { legacy(request) }
}

/// The answer to a call.
fn answer(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "hello"}]}})
}

fn reply(id: &Value, result: &Value) -> HttpAnswer {
    HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// A good answer, but for its size. Written by hand: serialising that much takes its time.
fn oversized(id: &Value) -> HttpAnswer {
    let text = "x".repeat(OVERSIZED);
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"text":"{text}"}}]}}}}"#);
    HttpAnswer::new(200).header("content-type", JSON).body(body)
}

/// A well-behaved server of 2025-11-25 with sessions `s0`, `s1`, ….
pub fn legacy(request: &HttpRequest) -> HttpAnswer {
    let id = &request.json()["id"];
    match (request.method.as_str(), request.rpc_method().as_str()) {
        ("POST", "initialize") => {
            let server = json!({"name": "web", "version": "1"});
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server});
            // The first handshake is the second request, behind the probe.
            let session = format!("s{}", usize::from(request.number > 1));
            reply(id, &result).header("mcp-session-id", session)
        }
        ("POST", "server/discover") => HttpAnswer::new(400).body("Bad Request"),
        ("POST", "tools/list") => reply(id, &json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})),
        ("POST", "tools/call") => HttpAnswer::json(&answer(id)),
        ("POST", "ping") => reply(id, &json!({})),
        ("POST", method) if method.starts_with("notifications/") || method.is_empty() => HttpAnswer::new(202),
        ("POST", _) => {
            let error = json!({"code": -32601, "message": "method not found"});
            HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
        }
        ("DELETE", _) => HttpAnswer::new(200),
        _ => HttpAnswer::new(405),
    }
}

/// A well-behaved server of 2026-07-28, which refuses `initialize`.
pub fn modern(request: &HttpRequest) -> HttpAnswer {
    let id = &request.json()["id"];
    match request.rpc_method().as_str() {
        "server/discover" => reply(
            id,
            &json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        ),
        "initialize" => {
            let error = json!({"code": -32022, "message": "unsupported", "data": {"supported": ["2026-07-28"]}});
            let body = json!({"jsonrpc": "2.0", "id": id, "error": error});
            HttpAnswer::new(400).header("content-type", JSON).body(body.to_string())
        }
        _ => legacy(request),
    }
}

/// 64 MiB of blanks in 64 KiB: one megabyte, compressed once, again and again. A full flush makes the pieces
/// independent of each other; the trailer, which nobody should live to read, is missing.
fn bomb() -> HttpAnswer {
    const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut piece = Vec::with_capacity(1 << 16);
    let mut deflate = flate2::Compress::new(flate2::Compression::fast(), false);
    let packed = deflate.compress_vec(&vec![b' '; 1 << 20], &mut piece, flate2::FlushCompress::Full);
    let pieces = packed.map(|_| piece.repeat(64)).unwrap_or_default();
    let body = [HEADER.to_vec(), pieces].concat();
    HttpAnswer::new(200).header("content-type", JSON).header("content-encoding", "gzip").body(body)
}
