//! What is missing of a server, or nearly right about it, is told wherever a person looks.

use serde_json::{Value, json};

use mcp_testkit::{HttpAnswer, well_behaved};

use crate::loopback::{Loopback, Response};
use crate::passing::Served;
use crate::stage::{Stage, configuration};

/// A server whose `tools/list` is answered by `list`, given the cursor.
fn listing(list: impl Fn(Option<&str>) -> Response + Send + 'static) -> Loopback {
    Loopback::start(move |request| {
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}),
            "tools/list" => {
                let mut response = list(message["params"]["cursor"].as_str());
                response.body = response.body.replace("$ID", &message["id"].to_string());
                return response;
            }
            "ping" => json!({}),
            "server/discover" => return Response::new(400, ""),
            _ => return Response::new(202, ""),
        };
        answer(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string())
    })
}

fn answer(body: &str) -> Response {
    Response::new(200, body).with_header("content-type: application/json")
}

fn page(names: &[&str], next: &Value) -> Response {
    let tools: Vec<Value> = names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
    let result = json!({"tools": tools, "nextCursor": next}).to_string().replace(r#","nextCursor":null"#, "");
    answer(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

/// `status`, `tools` and `doctor` all say it.
#[track_caller]
fn is_told(server: &Loopback, more: &Value, expected: &str) {
    is_told_of(&format!("{}/mcp", server.origin()), more, expected);
}

#[track_caller]
fn is_told_of(url: &str, more: &Value, expected: &str) {
    let stage = Stage::new();
    let mut entry = json!({"type": "http", "url": url});
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let config = stage.write("servers.json", configuration(&json!({"it": entry})));
    let config = config.to_str().unwrap();
    let status = stage.run(&["--config", config, "status"]);
    assert!(status.stdout.contains(expected), "status: {status:?}");
    let row = stage.run(&["--config", config, "status", "--json"]).json();
    assert!(row[0]["left_out"].to_string().contains(expected), "{row:#}");
    let tools = stage.run(&["--config", config, "tools"]);
    assert!(tools.stderr.contains(expected), "tools: {tools:?}");
    let doctor = stage.run(&["--config", config, "doctor"]);
    assert!(doctor.stdout.contains(expected), "doctor: {doctor:?}");
}

/// I7.
#[test]
fn a_listing_that_is_incomplete_is_told() {
    is_told(&listing(|_| page(&["a"], &json!(7))), &json!({}), "the cursor must be a string");
    is_told(&listing(|_| page(&["a"], &json!("again"))), &json!({}), "repeats a cursor");
    let breaks = listing(|cursor| match cursor {
        None => page(&["a"], &json!("next")),
        Some(_) => answer(r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"the index is gone"}}"#),
    });
    is_told(&breaks, &json!({}), "the index is gone");
}

/// I7: prompts are part of what is approved, so that some of them are missing is told as well.
#[test]
fn i7_prompts_that_are_not_all_listed_are_told() {
    let lacks = Served::start(|request| {
        let message = request.json();
        let result = match request.rpc_method().as_str() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "prompts": {}}}),
            "prompts/list" => json!({"prompts": [{"name": "p"}], "nextCursor": 7}),
            _ => return well_behaved(request, &json!([]), |_| json!({"content": []})),
        };
        HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    });
    is_told_of(&lacks.peer.url("/mcp"), &json!({}), "its prompts are not all listed: the cursor must be a string");
}

/// I7: a page that hangs costs the listing its time, and the tools before it stay.
#[test]
fn i7_a_page_that_hangs_is_told() {
    let tools = json!([{"name": "a", "inputSchema": {"type": "object"}}]);
    let hangs = Served::start(move |request| {
        let message = request.json();
        match (request.rpc_method().as_str(), message["params"]["cursor"].as_str()) {
            ("tools/list", None) => {
                let result = json!({"tools": tools, "nextCursor": "next"});
                HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
            }
            ("tools/list", Some(_)) => HttpAnswer::new(0),
            _ => well_behaved(request, &tools, |_| json!({"content": []})),
        }
    });
    is_told_of(&hangs.peer.url("/mcp"), &json!({"startupTimeout": 1_500}), "page 2: no answer");
}

/// I7: a server that pages for ever is cut where our own bound is.
#[test]
fn i7_a_bound_that_is_reached_is_told() {
    let endless = Served::start(|request| {
        let message = request.json();
        let page = message["params"]["cursor"].as_str().and_then(|cursor| cursor.parse::<u32>().ok()).unwrap_or(0);
        match request.rpc_method().as_str() {
            "tools/list" => {
                let result = json!({"tools": [], "nextCursor": (page + 1).to_string()});
                HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
            }
            _ => well_behaved(request, &json!([]), |_| json!({"content": []})),
        }
    });
    is_told_of(&endless.peer.url("/mcp"), &json!({}), "more than 1000 pages");
}

/// I8.
#[test]
fn duplicates_and_filters_that_match_nothing_are_told() {
    is_told(&listing(|_| page(&["a", "a"], &Value::Null)), &json!({}), "`a` is listed twice");
    let misspelt = json!({"includeTools": ["a", "serch_*"]});
    is_told(&listing(|_| page(&["a"], &Value::Null)), &misspelt, "`serch_*`");
}

/// I7: what is whole again is no longer told.
#[test]
fn what_was_left_out_is_forgotten_when_it_is_there() {
    let stage = Stage::new();
    let write = |tools: &[&str]| {
        let names: Vec<String> = tools.iter().map(ToString::to_string).collect();
        let server = listing(move |_| page(&names.iter().map(String::as_str).collect::<Vec<_>>(), &Value::Null));
        let entry = json!({"type": "http", "url": format!("{}/mcp", server.origin()), "includeTools": ["b"]});
        (stage.write("servers.json", configuration(&json!({"it": entry}))), server)
    };
    let (config, server) = write(&["a"]);
    let config = config.to_str().unwrap();
    stage.run(&["--config", config, "status"]);
    assert!(stage.run(&["--config", config, "doctor"]).stdout.contains("`b`"));
    drop(server);
    let (_, _server) = write(&["b"]);
    stage.run(&["--config", config, "status"]);
    assert!(!stage.run(&["--config", config, "doctor"]).stdout.contains("`b`"));
}

/// I10: through the binary, in words that name a key of the configuration.
#[cfg(unix)]
#[test]
fn output_that_is_nearly_mcp_is_named() {
    for (script, expected) in [
        (r"printf 'Content-Length: 52\r\n\r\n'", "as language servers do"),
        (r#"printf '{\n  "jsonrpc": "2.0",\n'"#, "over several lines"),
        ("echo '<!DOCTYPE html>'", "web page"),
        ("printf 'up \\033[31m\n'", "belongs on stderr"),
    ] {
        let stage = Stage::new();
        let script = format!("{script}; cat >/dev/null");
        let entry = json!({"command": "sh", "args": ["-c", script], "startupTimeout": 1_500});
        let config = stage.write("servers.json", configuration(&json!({"it": entry})));
        let said = stage.run(&["--config", config.to_str().unwrap(), "tools"]);
        assert!(said.stderr.contains(expected) && said.stderr.contains("startupTimeout"), "{script}: {said:?}");
        assert!(!said.stderr.contains('\u{1b}') && !said.stderr.contains("::"), "{said:?}");
    }
}

/// I29: a server that quotes our token in its error.
#[test]
fn a_token_that_a_server_repeats_is_not_printed() {
    let server = Loopback::start(|request| {
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let quoted =
            request.head.lines().find(|line| line.to_ascii_lowercase().starts_with("authorization")).unwrap_or("-");
        let error = json!({"code": -32000, "message": format!("refused: {quoted}"), "data": quoted});
        answer(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string())
    });
    let stage = Stage::new();
    let headers = json!({"Authorization": "Bearer token-nobody-may-see"});
    let entry = json!({"type": "http", "url": format!("{}/mcp", server.origin()), "headers": headers});
    let config = stage.write("servers.json", configuration(&json!({"it": entry})));
    for command in [&["tools"][..], &["status"], &["status", "--json"]] {
        let said = stage.run(&[&["--config", config.to_str().unwrap()], command].concat());
        let all = format!("{}{}", said.stdout, said.stderr);
        assert!(!all.contains("token-nobody-may-see") && all.contains("[redacted]"), "{said:?}");
    }
}
