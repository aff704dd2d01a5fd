//! Usage, help and exit codes.

use serde_json::json;

use crate::stage::{Stage, configuration, demo_server};

#[test]
fn help_documents_the_exit_codes() {
    let help = Stage::new().run(&["--help"]).expect_code(0).stdout;
    for line in ["0  ok", "1  the tool answered with an error", "5  denied by trust or permission", "6  timeout"] {
        assert!(help.contains(line), "{line} is not in\n{help}");
    }
}

#[test]
fn each_outcome_has_its_code() {
    let stage = Stage::new();
    let servers = json!({
        "library": demo_server("library"),
        "ledger": demo_server("ledger"),
        "dead": demo_server("crasher"),
        "silent": {"command": env!("CARGO_BIN_EXE_mcpctl"), "args": ["call", "-"], "enabled": false},
    });
    let config = stage.write("servers.json", configuration(&servers));
    let table: [(&[&str], i32); 11] = [
        (&["call", "library", "find_book", "word=guin"], 0),
        (&["call", "ledger", "add_entry", "account=tea", "cents=9"], 0),
        (&["call", "ledger", "add_entry", "account=tea", "cents:=9.5"], 2),
        (&["call", "library", "find_book"], 2),
        (&["call", "library", "find_books", "word=x"], 2),
        (&["call", "library", "find_book", "--args", "[]"], 2),
        (&["call", "nowhere", "find_book", "word=x"], 2),
        (&["call", "dead", "anything"], 3),
        (&["tools", "--for", "nobody"], 2),
        (&["tools", "nowhere"], 2),
        (&["no-such-command"], 2),
    ];
    for (arguments, code) in table {
        let all: Vec<&str> =
            ["--config", config.to_str().unwrap()].into_iter().chain(arguments.iter().copied()).collect();
        let run = stage.run(&all);
        assert_eq!(run.code, code, "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_tool_s_own_error_is_exit_code_1() {
    let stage = Stage::new();
    let config = stage.write("servers.json", configuration(&json!({"ledger": demo_server("ledger")})));
    let config = config.to_str().unwrap();
    // The largest balance there is, and one more.
    let most = format!("cents={}", i64::MAX);
    let run = stage.run(&["--config", config, "call", "ledger", "add_entry", "account=a", &most]).expect_code(0);
    assert!(run.stdout.contains(&i64::MAX.to_string()), "{}", run.stdout);
    let run = stage.run(&["--config", config, "call", "ledger.add_entry", "account=a", "cents:=-9223372036854775809"]);
    assert_eq!(run.code, 1, "{run:?}");
}

#[test]
fn a_missing_or_broken_configuration_is_usage() {
    let stage = Stage::new();
    stage.run(&["--config", "nowhere.json", "list"]).expect_code(2);
    let broken = stage.write("broken.json", "{\"mcpServers\": [");
    let run = stage.run(&["--config", broken.to_str().unwrap(), "list"]).expect_code(2);
    assert!(run.stderr.contains("broken.json:1:"), "{}", run.stderr);
}

#[test]
fn one_bad_entry_leaves_its_neighbours() {
    let stage = Stage::new();
    let servers = json!({"library": demo_server("library"), "odd": {"command": 7}, "empty": null});
    let config = stage.write("servers.json", configuration(&servers));
    let run =
        stage.run(&["--config", config.to_str().unwrap(), "call", "library", "echo", "message=hi"]).expect_code(0);
    assert!(run.stdout.starts_with("hi"), "{}", run.stdout);
    let listed = stage.run(&["--config", config.to_str().unwrap(), "list"]).expect_code(0);
    assert!(listed.stderr.contains("odd") && listed.stderr.contains("empty"), "{}", listed.stderr);
}
