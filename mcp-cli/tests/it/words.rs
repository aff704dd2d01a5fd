//! What a variable stands for, and what was sent to a server, is in nothing that is printed or kept.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::loopback::{Loopback, Request, Response};
use crate::stage::{Run, Stage, configuration};

/// Part of every secret here.
const CANARY: &str = "c4n4ry";

/// What the variables hold.
const VARIABLES: [(&str, &str); 3] =
    [("SEC", "c4n4ry-s3cr3t-value"), ("ODD", "c4n4ry s3cr3t&\"value\""), ("SHORT", "c4n4ry")];

fn run(stage: &Stage, arguments: &[&str]) -> Run {
    let mut command = stage.command(arguments);
    let output = command.envs(VARIABLES).stdin(Stdio::null()).output().unwrap();
    Run::from(output)
}

fn configure(stage: &Stage, servers: &Value) {
    let place = stage.home().join(".agents/mcp.json");
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, configuration(servers)).unwrap();
}

/// No command says the secret, and no file holds it.
#[track_caller]
fn check(servers: &Value) {
    let stage = Stage::new();
    configure(&stage, servers);
    let names = servers.as_object().unwrap().keys();
    let all = [
        vec!["list"],
        vec!["list", "--all", "--json"],
        vec!["status"],
        vec!["status", "--json"],
        vec!["tools"],
        vec!["tools", "--cost"],
        vec!["search", "anything"],
        vec!["search", "--json", "anything"],
        vec!["call", "anything"],
        vec!["doctor"],
        vec!["doctor", "--json"],
        vec!["auth", "status"],
        vec!["auth", "status", "--json"],
        vec!["permissions"],
        vec!["trust"],
        vec![],
    ];
    let each = names.flat_map(|name| {
        [
            vec!["get", name],
            vec!["get", "--json", name],
            vec!["status", name],
            vec!["tools", name],
            vec!["call", name, "anything", "x=1"],
            vec!["call", "--json", name, "anything"],
            vec!["permissions", "explain", name, "anything"],
            vec!["approve", "--yes", name],
            vec!["login", "--no-browser", name],
            vec!["logout", name],
        ]
    });
    for arguments in all.into_iter().chain(each) {
        let run = run(&stage, &arguments);
        let said = format!("{}\n{}", run.stdout, run.stderr);
        assert!(!said.contains(CANARY), "{arguments:?}:\n{said}");
    }
    assert_eq!(holding(&stage.home(), CANARY), [""; 0]);
}

/// The files below a folder that hold a text, but for the configuration.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if !path.ends_with(".agents/mcp.json")
            && String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(text)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Answers with the request itself, as a careless server does.
fn repeating(status: u16) -> Loopback {
    Loopback::start(move |request| Response::new(status, format!("cannot do this: {}{}", request.head, request.body)))
}

/// How a server says that a tool has failed.
#[derive(Clone, Copy)]
enum Failing {
    /// The protocol's way.
    Error,
    /// The tool's way.
    Result,
}

/// A server that works until a tool is called, and then quotes the request.
fn refusing(how: Failing) -> Loopback {
    Loopback::start(move |request: &Request| {
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let result = match body["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "x", "version": "1"},
            }),
            Some("tools/list") => {
                json!({"tools": [{"name": "anything", "inputSchema": {"type": "object"}}, {"name": request.head}]})
            }
            Some("tools/call") => {
                let mut answer = json!({"jsonrpc": "2.0", "id": body["id"]});
                match how {
                    Failing::Error => {
                        let data = json!({"was": request.head});
                        answer["error"] = json!({"code": -32000, "message": request.head, "data": data});
                    }
                    Failing::Result => {
                        let content = json!([{"type": "text", "text": format!("cannot: {}", request.head)}]);
                        answer["result"] = json!({"content": content, "isError": true});
                    }
                }
                return Response::new(200, answer.to_string()).with_header("Content-Type: application/json");
            }
            Some("server/discover") => return Response::new(404, ""),
            _ => return Response::new(202, ""),
        };
        let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
        Response::new(200, answer.to_string()).with_header("Content-Type: application/json")
    })
}

#[test]
fn an_expanded_path_or_query_is_in_no_words() {
    for status in [200, 401, 500] {
        let server = repeating(status);
        let origin = server.origin();
        check(&json!({
            "path": {"type": "http", "url": format!("{origin}/${{SEC}}/mcp")},
            "odd": {"type": "http", "url": format!("{origin}/${{ODD}}/mcp")},
            "query": {"type": "http", "url": format!("{origin}/mcp?key=${{SEC}}")},
            "sse": {"type": "sse", "url": format!("{origin}/${{SEC}}/sse")},
            "user": {"type": "http", "url": format!("http://me:${{SEC}}@{}/mcp", origin.trim_start_matches("http://"))},
        }));
    }
}

#[test]
fn nor_is_one_too_short_to_be_looked_for() {
    let server = Loopback::start(|_| Response::new(500, "no"));
    let refused = Loopback::start(|_| Response::new(401, "").with_header("WWW-Authenticate: Bearer"));
    check(&json!({
        "broken": {"type": "http", "url": format!("{}/${{SHORT}}/mcp", server.origin())},
        "refused": {"type": "http", "url": format!("{}/${{SHORT}}/mcp", refused.origin())},
        "gone": {"type": "http", "url": "http://127.0.0.1:9/${SHORT}/mcp"},
        "command": {"command": "/nowhere/${SHORT}/run"},
        "cwd": {"command": "sh", "cwd": "/nowhere/${SHORT}"},
    }));
}

#[test]
fn a_redirect_that_repeats_the_address_does_not_tell_it() {
    let server = Loopback::start(|request: &Request| {
        let path = request.head.split(' ').nth(1).unwrap_or_default().to_owned();
        Response::new(307, "").with_header(format!("Location: http://elsewhere.example{path}"))
    });
    let looping = Loopback::start(|request: &Request| {
        let path = request.head.split(' ').nth(1).unwrap_or_default().to_owned();
        Response::new(307, "").with_header(format!("Location: {path}/more"))
    });
    check(&json!({
        "elsewhere": {"type": "http", "url": format!("{}/${{SEC}}/mcp", server.origin())},
        "looping": {"type": "http", "url": format!("{}/${{SHORT}}/mcp", looping.origin())},
    }));
}

#[test]
fn a_servers_error_does_not_repeat_what_it_was_sent() {
    let (quoting, broken) = (repeating(400), repeating(500));
    let (refusing, failing) = (refusing(Failing::Error), refusing(Failing::Result));
    for server in [&quoting, &broken, &refusing, &failing] {
        let remote = |headers: Value| json!({"type": "http", "url": server.origin(), "headers": headers});
        check(&json!({
            "bearer": remote(json!({"Authorization": "Bearer ${SEC}"})),
            "key": remote(json!({"X-Api-Key": "${ODD}"})),
            "literal": remote(json!({"X-Api-Key": "c4n4ry-literal-key"})),
            "basic": remote(json!({"Authorization": "Basic dXNlcjpjNG40cnktcGFzc3dvcmQ="})),
        }));
    }
    let called = refusing.origin();
    let stage = Stage::new();
    configure(&stage, &json!({"x": {"type": "http", "url": called, "headers": {"Authorization": "Bearer ${SEC}"}}}));
    let said = run(&stage, &["call", "x", "anything", "--yes"]).stderr;
    assert!(said.contains("Bearer [redacted]") || said.contains("authorization: [redacted]"), "{said}");
}

#[test]
fn a_command_and_what_it_was_given_are_in_no_words() {
    check(&json!({
        "absent": {"command": "/nowhere/${SEC}/run"},
        "bare": {"command": "no-such-${SEC}"},
        "cwd": {"command": "sh", "args": ["-c", "exit 3"], "cwd": "/nowhere/${SEC}"},
        "folder": {"command": "/", "args": ["${SEC}"]},
        "args": {"command": "sh", "args": ["-c", "echo got $1 >&2; exit 3", "sh", "${SEC}"]},
        "odd": {"command": "sh", "args": ["-c", "echo got $1 >&2; exit 3", "sh", "${ODD}"]},
        "flag": {"command": "sh", "args": ["-c", "echo got $@ >&2; exit 3", "sh", "--pass", "c4n4ry-literal"]},
        "env": {"command": "sh", "args": ["-c", "env >&2; exit 3"], "env": {"KEY": "x${SEC}y"}},
        "named": {"command": "sh", "args": ["-c", "env >&2; exit 3"], "env": {"API_TOKEN": "c4n4ry-literal"}},
    }));
}

#[test]
fn nor_are_they_when_a_program_says_nothing_in_time() {
    let stage = Stage::new();
    let program = "echo got $1 >&2; read -r line; read -r line; read -r line";
    configure(
        &stage,
        &json!({"silent": {"command": "sh", "args": ["-c", program, "sh", "${SEC}"], "startupTimeout": 300}}),
    );
    let said = run(&stage, &["status"]);
    assert!(said.stdout.contains("got [redacted]"), "{said:?}");
}

#[test]
fn what_is_shown_is_the_template() {
    let stage = Stage::new();
    let server = repeating(500);
    configure(
        &stage,
        &json!({
            "remote": {"type": "http", "url": format!("{}/${{SEC}}/mcp", server.origin())},
            "local": {"command": "/nowhere/${SEC}/run"},
        }),
    );
    let said = run(&stage, &["status"]);
    assert!(said.stdout.contains(&format!("`{}/${{SEC}}/mcp` answered HTTP 500", server.origin())), "{said:?}");
    assert!(said.stdout.contains("command `/nowhere/${SEC}/run` not found"), "{said:?}");
}

/// Who a login is for may be written into the address of what it is for, and that is no place for a password.
#[test]
fn a_password_in_the_resource_of_a_login_is_not_shown() {
    let stage = Stage::new();
    let oauth = json!({"resource": "https://me:pa55word@resource.example/"});
    let entry = json!({"type": "http", "url": "https://x.invalid/mcp", "oauth": oauth});
    stage.write(".mcp.json", configuration(&json!({ "x": entry })));
    // The question of `trust` shows whatever a repository wrote, as it decides what is approved.
    for arguments in [&["get", "x"][..], &["get", "x", "--json"], &["list"], &["list", "--json"], &["doctor"]] {
        let run = stage.run(arguments);
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(!all.contains("pa55word"), "{arguments:?}: {all}");
    }
    let shown = stage.run(&["get", "x", "--json"]).stdout;
    assert!(shown.contains("[redacted]@resource.example/"), "it is shown otherwise: {shown}");
}
