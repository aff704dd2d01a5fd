//! The audit log: a line for every call, or a word that there is none.

use std::fs;

use mcp_client::registry::AuditLog;
use serde_json::{Value, json};

use crate::peers::Peers;
use crate::stage::{Stage, configuration, demo_server};

const LOG: &str = "state/mcp-toolkit/audit.jsonl";
const CALL: [&str; 4] = ["call", "library", "echo", "message=hi"];

fn stage(servers: &Value) -> Stage {
    let stage = Stage::new();
    let path = stage.home().join(".agents/mcp.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, configuration(servers)).unwrap();
    stage
}

#[test]
fn a_log_that_cannot_be_written_is_said() {
    let stage = stage(&json!({"library": demo_server("library")}));
    stage.run(&["doctor"]).expect_code(0);
    fs::create_dir_all(stage.home().join(LOG)).unwrap();
    let called = stage.run(&CALL).expect_code(0);
    assert_eq!(called.stderr.matches("calls are not recorded: ").count(), 1, "{}", called.stderr);
    assert!(called.stderr.contains("audit.jsonl"), "{}", called.stderr);
    assert!(stage.run(&["status"]).expect_code(0).stderr.contains("calls are not recorded: "));
    assert!(stage.run(&["doctor"]).expect_code(2).stdout.contains("calls are not recorded: "));

    fs::remove_dir(stage.home().join(LOG)).unwrap();
    assert!(!stage.run(&CALL).expect_code(0).stderr.contains("recorded"));
    assert_eq!(AuditLog::verify(&fs::read_to_string(stage.home().join(LOG)).unwrap()), []);
}

#[test]
fn a_tool_s_name_of_any_length_leaves_the_chain_whole() {
    let mut peers = Peers::new();
    let long = "x".repeat(100 * 1024);
    let tool =
        |name: &str| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let entry = peers.start(json!([tool(&long), tool("short")]));
    let stage = stage(&json!({"peer": entry}));
    let listed = stage.run(&["tools", "peer", "--json"]).expect_code(0).json();
    let ids: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|tool| tool["id"].as_str()).collect();
    let long_id = ids.iter().find(|id| id.contains("xxx")).unwrap_or_else(|| panic!("{listed:#}"));
    for id in [long_id, "short", long_id, "short"] {
        stage.run(&["call", id]).expect_code(0);
    }
    let log = fs::read_to_string(stage.home().join(LOG)).unwrap();
    assert_eq!((AuditLog::verify(&log), log.lines().count()), (vec![], 4));
    let tools: Vec<Value> =
        log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["tool"].clone()).collect();
    assert!(tools[0].as_str().unwrap().contains("… [cut from 102400 bytes, sha256:"), "{tools:?}");
    assert_eq!(tools[1], "short");
    assert!(log.len() < 8 * 1024, "{} bytes", log.len());
}
