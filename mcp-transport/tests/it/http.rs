//! Streamable HTTP and HTTP+SSE.

use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest};
use mcp_transport::{Endpoint, HttpOptions, connect};
use serde_json::json;

use crate::support::options;

/// A legacy server with a session that answers in JSON.
fn legacy(request: &HttpRequest) -> HttpAnswer {
    let id = &request.json()["id"];
    let result = match (request.method.as_str(), request.rpc_method().as_str()) {
        ("POST", "initialize") => {
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}});
            return HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
                .header("mcp-session-id", "s1");
        }
        ("POST", "server/discover") => return HttpAnswer::new(400).body("Bad Request"),
        ("POST", "notifications/initialized") => return HttpAnswer::new(202),
        ("POST", "tools/list") => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
        ("POST", "tools/call") => {
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}});
            return HttpAnswer::event(&answer);
        }
        ("GET" | "DELETE", _) => return HttpAnswer::new(405),
        _ => json!({}),
    };
    HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

#[tokio::test]
async fn a_legacy_server_with_a_session() {
    let server = HttpPeer::start(legacy).await.expect("a server");
    let connection =
        connect(Endpoint::Http(HttpOptions::new(server.url("/mcp"))), options()).await.expect("a connection");
    assert_eq!((connection.transport(), connection.protocol_version()), ("http", "2025-11-25"));
    assert_eq!(connection.list_tools().await.expect("a list").items.len(), 1);
    let result = connection.call_tool("echo", None).await.expect("a result");
    assert_eq!(result.get(), r#"{"content":[]}"#);
    connection.shutdown().await;
    let seen = server.requests();
    let call = seen.iter().find(|request| request.rpc_method() == "tools/call").expect("a call");
    assert_eq!((call.header("mcp-session-id"), call.header("mcp-protocol-version")), (Some("s1"), Some("2025-11-25")));
    assert!(seen.iter().any(|request| request.method == "DELETE"), "the session is given back");
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let server = HttpPeer::start(legacy).await.expect("a server");
    let url = server.url("/mcp");
    drop(server);
    let error = connect(Endpoint::Http(HttpOptions::new(url)), options()).await.expect_err("nobody is there");
    assert!(error.is_unreachable(), "{error:?}");
}

#[tokio::test]
async fn a_login_is_asked_for() {
    let server = HttpPeer::start(|_| HttpAnswer::new(401).header("www-authenticate", "Bearer scope=\"x\"")).await;
    let server = server.expect("a server");
    let error = connect(Endpoint::HttpAuto(HttpOptions::new(server.url("/"))), options()).await.expect_err("a login");
    assert!(error.is_auth_required(), "{error:?}");
    assert!(server.requests().iter().all(|request| request.method == "POST"), "401 never leads to HTTP+SSE");
}
