//! A repository's servers are listed and inert until a person approves them.

use serde_json::json;

use crate::stage::{Stage, configuration, demo_server};

#[test]
fn a_found_project_file_starts_nothing_until_it_is_trusted() {
    let stage = Stage::new();
    let servers = json!({"library": demo_server("library")});
    stage.write(".mcp.json", configuration(&servers));

    let listed = stage.run(&["list", "--json"]).expect_code(0).json();
    assert_eq!(
        (&listed[0]["server"], &listed[0]["trust"]),
        (&json!("library"), &json!("needs-approval")),
        "{listed:#}"
    );

    let denied = stage.run(&["call", "library", "echo", "message=hi"]).expect_code(5);
    assert!(denied.stderr.contains("mcpctl trust library"), "{}", denied.stderr);
    assert_eq!(stage.run(&["tools", "--json"]).expect_code(5).json(), json!([]));

    let shown = stage.run(&["trust"]).expect_code(0);
    assert!(shown.stdout.contains("demo-server"), "the exact command is shown: {}", shown.stdout);

    let unasked = stage.run(&["trust", "library"]).expect_code(5);
    assert!(unasked.stderr.contains("--yes"), "without a terminal nobody can answer: {}", unasked.stderr);

    stage.run(&["trust", "library", "--yes"]).expect_code(0);
    let called = stage.run(&["call", "library", "echo", "message=hi"]).expect_code(0);
    assert!(called.stdout.starts_with("hi (from process "), "{}", called.stdout);
}

#[test]
fn any_change_to_the_definition_asks_again() {
    let stage = Stage::new();
    stage.write(".mcp.json", configuration(&json!({"library": demo_server("library")})));
    stage.run(&["trust", "library", "--yes"]).expect_code(0);
    stage.run(&["call", "library", "echo", "message=hi"]).expect_code(0);

    stage.write(".mcp.json", configuration(&json!({"library": demo_server("ledger")})));
    stage.run(&["call", "library", "balance", "account=tea"]).expect_code(5);
}

#[test]
fn naming_the_file_approves_it() {
    let stage = Stage::new();
    let config = stage.write(".mcp.json", configuration(&json!({"library": demo_server("library")})));
    let called = stage.run(&["--config", config.to_str().unwrap(), "call", "library", "echo", "message=hi"]);
    assert!(called.expect_code(0).stdout.starts_with("hi"));
}

#[test]
fn the_overview_says_where_one_stands_and_what_to_type() {
    let stage = Stage::new();
    let empty = stage.run(&[]).expect_code(0);
    assert!(empty.stdout.contains("mcpctl add") && empty.stdout.contains("mcpctl demo"), "{}", empty.stdout);

    stage.write(".mcp.json", configuration(&json!({"library": demo_server("library")})));
    let waiting = stage.run(&[]).expect_code(0);
    assert!(waiting.stdout.contains("1 server in 1 file"), "{}", waiting.stdout);
    assert!(waiting.stdout.contains("mcpctl trust"), "{}", waiting.stdout);
}
