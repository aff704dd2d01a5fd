//! `doctor` goes the way a start goes, up to where something would be started: it never finds nothing wrong with a server that
//! does not get there.

use serde_json::{Value, json};

use crate::stage::{Stage, configuration, demo_server};

/// The demo's server with one thing changed.
fn with(key: &str, value: Value) -> Value {
    let mut entry = demo_server("library");
    entry[key] = value;
    entry
}

/// What the doctor says of the one server of a configuration.
fn examined(stage: &Stage, entry: &Value) -> (i32, Vec<Value>) {
    let file = stage.write("servers.json", configuration(&json!({"it": entry})));
    let run = stage.run(&["--config", file.to_str().unwrap(), "doctor", "--json"]);
    let problems = run.json().as_array().unwrap().clone();
    (run.code, problems.into_iter().filter(|problem| problem["severity"] != "note").collect())
}

#[track_caller]
fn starts(stage: &Stage) -> bool {
    let file = stage.project().join("servers.json");
    stage.run(&["--config", file.to_str().unwrap(), "tools", "it"]).code == 0
}

#[test]
fn nothing_is_wrong_only_where_a_start_would_get_to_the_program() {
    let lost = [
        ("a variable", with("env", json!({"KEY": "${NOBODY_SETS_THIS}"}))),
        ("a secret", with("env", json!({"KEY": "${keyring:github}"}))),
        ("an answer", with("args", json!(["demo-server", "${input:which}"]))),
        ("a program by its name", with("command", json!("no-such-program"))),
        ("a program by its path", with("command", json!("./no/such/program"))),
        ("a program behind a variable", with("command", json!("${HOME}/no-such-program"))),
        ("a program on the PATH it declares", json!({"command": "sh", "env": {"PATH": "/nonexistent"}})),
        ("a directory", with("cwd", json!("no/such/directory"))),
        ("a file of variables", with("envFile", json!("no-such.env"))),
        ("an argument", with("args", json!(["demo-server", "library", "\0"]))),
        ("a value", with("env", json!({"KEY": "a\0b"}))),
        ("a host", json!({"type": "http", "url": "http://"})),
        ("a URL behind a variable", json!({"type": "http", "url": "${HOME}"})),
        ("a header", json!({"type": "http", "url": "http://127.0.0.1:1/mcp", "headers": {"a b": "c"}})),
        (
            "a header of the protocol's",
            json!({"type": "http", "url": "http://127.0.0.1:1/mcp", "headers": {"Host": "c"}}),
        ),
    ];
    for (what, entry) in lost {
        let stage = Stage::new();
        let (code, problems) = examined(&stage, &entry);
        assert_eq!((code, problems.len()), (2, 1), "{what}: {problems:#?}");
        assert_eq!((&problems[0]["server"], &problems[0]["severity"]), (&json!("it"), &json!("error")), "{what}");
        assert!(!starts(&stage), "{what}");
    }
    let sound = [
        demo_server("library"),
        with("cwd", json!(".")),
        with("env", json!({"KEY": "${NOBODY_SETS_THIS:-x}", "PATH": "/nonexistent"})),
    ];
    for entry in sound {
        let stage = Stage::new();
        assert_eq!(examined(&stage, &entry), (0, Vec::new()));
        assert!(starts(&stage), "{entry}");
    }
}

#[test]
fn the_doctor_says_what_stores_a_secret_and_is_content_once_it_is_stored() {
    let stage = Stage::new();
    let entry = with("env", json!({"KEY": "${keyring:github}", "ZONE": "${input:zone}"}));
    let file = stage.project().join("servers.json");
    let expected = json!(["mcpctl", "--config", file, "secret", "set", "github"]);
    assert_eq!(examined(&stage, &entry).1[0]["fix"], expected);
    stage.run_with_input(&["secret", "set", "github"], "canary").expect_code(0);
    let (code, problems) = examined(&stage, &entry);
    assert_eq!(problems[0]["fix"], json!(["mcpctl", "--config", file, "secret", "set", "--server", "it", "zone"]));
    assert_eq!(code, 2);
    let file = stage.project().join("servers.json");
    let set = ["--config", file.to_str().unwrap(), "secret", "set", "--server", "it", "zone"];
    stage.run_with_input(&set, "eu").expect_code(0);
    assert_eq!(examined(&stage, &entry), (0, Vec::new()));
}

#[test]
fn a_prompt_with_a_default_is_no_problem() {
    let stage = Stage::new();
    let inputs = json!([{"type": "promptString", "id": "zone", "default": "eu"}]);
    let entry = with("env", json!({"ZONE": "${input:zone}"}));
    stage.write(".vscode/mcp.json", json!({"inputs": inputs, "servers": {"it": entry}}).to_string());
    stage.run(&["trust", "it", "--yes"]).expect_code(0);
    stage.run(&["doctor"]).expect_code(0);
}

#[test]
fn what_a_variable_put_into_a_command_is_not_shown() {
    let stage = Stage::new();
    stage.run_with_input(&["secret", "set", "github"], "canary").expect_code(0);
    std::fs::create_dir(stage.project().join("canary")).unwrap();
    for entry in [
        json!({"command": "${keyring:github}"}),
        json!({"command": "/${keyring:github}/x"}),
        json!({"command": "sh", "cwd": "${keyring:github}/x"}),
        json!({"command": "sh", "envFile": "${keyring:github}"}),
        json!({"command": "sh", "envFile": "${keyring:github}/x"}),
        json!({"type": "http", "url": "http://${keyring:github}:port/"}),
    ] {
        let (code, problems) = examined(&stage, &entry);
        assert_eq!((code, problems.len()), (2, 1), "{problems:#?}");
        assert!(!json!(problems).to_string().contains("canary"), "{problems:#?}");
    }
}

#[test]
fn approvals_that_cannot_be_read_are_the_doctor_s_business() {
    let stage = Stage::new();
    let file = stage.home().join("state/mcp-toolkit/trust.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "{").unwrap();
    let run = stage.run(&["doctor"]).expect_code(2);
    assert!(run.stdout.contains("trust.json"), "{}", run.stdout);
}
