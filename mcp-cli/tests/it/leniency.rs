//! What programs and people write that is not quite right, and means one thing all the same.

use serde_json::{Value, json};

use crate::stage::{Run, Stage, configuration, demo_server};

/// A demo server's entry with something more in it.
fn with(more: &Value) -> Value {
    let mut entry = demo_server("library");
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

#[test]
fn an_empty_list_is_an_empty_map_and_an_empty_url_none() {
    for more in [json!({"env": []}), json!({"url": ""}), json!({"env": [], "headers": [], "url": "", "cwd": ""})] {
        let stage = Stage::new();
        stage.write(".mcp.json", configuration(&json!({"library": with(&more)})));
        stage.run(&["trust", "library", "--yes"]).expect_code(0);
        let called = stage.run(&["call", "library", "echo", "message=hi"]).expect_code(0);
        assert!(called.stderr.is_empty(), "{more}: {called:?}");
        let doctor = stage.run(&["doctor"]).expect_code(0);
        assert!(doctor.stderr.contains("Nothing is wrong."), "{more}: {doctor:?}");
    }
}

#[test]
fn a_path_whose_backslashes_were_eaten_is_named_with_the_cause() {
    let stage = Stage::new();
    stage.write(".mcp.json", r#"{"mcpServers": {"s": {"command": "x", "args": ["C:\temp\new"]}}}"#);
    let listed = stage.run(&["list"]).expect_code(0);
    for words in [".mcp.json:1:", "holds a control character", "`\\t`", "write every backslash of a path twice"] {
        assert!(listed.stderr.contains(words), "{words}: {listed:?}");
    }
    assert!(!listed.stdout.contains('\t'), "{listed:?}");
}

#[test]
fn files_of_continue_may_end_in_yml() {
    let stage = Stage::new();
    let block =
        |name: &str| format!("name: b\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: {name}\n    command: x\n");
    stage.write(".continue/mcpServers/one.yml", block("one"));
    std::fs::create_dir(stage.home().join(".continue")).unwrap();
    std::fs::write(stage.home().join(".continue/config.yml"), block("two")).unwrap();
    let listed = stage.run(&["--preset", "continue", "list"]).expect_code(0);
    for name in ["one", "two"] {
        assert!(listed.stdout.lines().any(|line| line.starts_with(name)), "{name}: {listed:?}");
    }
}

#[test]
fn a_relative_file_of_opencode_counts_from_the_working_directory() {
    let stage = Stage::new();
    let server = demo_server("library");
    let words: Vec<&Value> = std::iter::once(&server["command"]).chain(server["args"].as_array().unwrap()).collect();
    stage.write("conf/oc.json", json!({"mcp": {"library": {"type": "local", "command": words}}}).to_string());
    let run = |arguments: &[&str]| {
        let mut command = stage.command(&[&["--preset", "opencode"], arguments].concat());
        Run::from(command.env("OPENCODE_CONFIG", "conf/oc.json").output().unwrap())
    };
    // It is the repository's file: it is read, and runs once it was approved.
    run(&["call", "library", "echo", "message=hi"]).expect_code(5);
    run(&["trust", "library", "--yes"]).expect_code(0);
    run(&["call", "library", "echo", "message=hi"]).expect_code(0);
}
