//! The whole pipeline on servers that nobody here wrote.

use serde_json::{Value, json};

use crate::stage::{Installed, Stage, configuration};

/// Issue A's scene: two servers that work, one command that does not exist, one that exits at once.
fn scene(stage: &Stage, everything: &Value, url: &str) -> String {
    let servers = json!({
        "everything": everything,
        "remote": {"type": "http", "url": url},
        "missing": {"command": "no-such-command-anywhere"},
        "hasty": {"command": "node", "args": ["-e", "console.error('cannot open the database'); process.exit(7)"]},
    });
    stage.write("servers.json", configuration(&servers)).to_str().unwrap().to_owned()
}

#[test]
fn two_good_servers_keep_working_beside_two_bad_ones() {
    let Some(installed) = Installed::find("node") else { return };
    let stage = Stage::new();
    let http = installed.everything_over_http();
    let config = scene(&stage, &installed.everything(), &http.url);

    let tools = stage.run(&["--config", &config, "tools", "--json"]).expect_code(0).json();
    let ids: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["id"].as_str().unwrap()).collect();
    for id in ["mcp__everything__echo", "mcp__everything__get-sum", "mcp__remote__echo"] {
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }

    let hits = stage.run(&["--config", &config, "search", "add two numbers", "--json"]).expect_code(0).json();
    let found: Vec<&str> = hits.as_array().unwrap().iter().take(2).map(|hit| hit["id"].as_str().unwrap()).collect();
    assert_eq!(found, ["mcp__everything__get-sum", "mcp__remote__get-sum"], "{hits:#}");

    let called = stage.run(&["--config", &config, "call", "mcp__everything__echo", "message=hi"]).expect_code(0);
    assert_eq!(called.stdout, "Echo: hi\n");
}

#[test]
fn status_names_each_cause() {
    let Some(installed) = Installed::find("node") else { return };
    let stage = Stage::new();
    let http = installed.everything_over_http();
    let config = scene(&stage, &installed.everything(), &http.url);

    let status = stage.run(&["--config", &config, "status", "--json"]).expect_code(3).json();
    let of = |name: &str| status.as_array().unwrap().iter().find(|server| server["server"] == name).unwrap();
    for (name, transport) in [("everything", "stdio"), ("remote", "http")] {
        let server = of(name);
        assert_eq!((&server["state"], &server["transport"]), (&json!("connected"), &json!(transport)), "{server:#}");
        assert_eq!(server["protocol_version"], "2025-11-25");
        assert!(server["tools"].as_u64().unwrap() > 5, "{server:#}");
        assert!(server["round_trip_ms"].as_f64().unwrap() > 0.0, "{server:#}");
    }
    let missing = of("missing");
    assert_eq!(missing["state"], "failed");
    assert!(missing["cause"]["message"].as_str().unwrap().contains("no-such-command-anywhere"), "{missing:#}");
    assert!(missing["fix"].is_string(), "{missing:#}");
    let hasty = of("hasty");
    assert_eq!((&hasty["state"], &hasty["cause"]["exit_status"]), (&json!("failed"), &json!(7)), "{hasty:#}");
    assert!(hasty["cause"]["stderr_tail"].as_str().unwrap().contains("cannot open the database"), "{hasty:#}");
}

#[test]
fn a_tool_is_called_in_every_spelling_and_with_every_kind_of_argument() {
    let Some(installed) = Installed::find("node") else { return };
    let stage = Stage::new();
    let config = stage.write("servers.json", configuration(&json!({"everything": installed.everything()})));
    let config = config.to_str().unwrap();
    let letter = stage.write("letter.txt", "from a file");

    let at_letter = format!("message=@{}", letter.display());
    let table: [(&[&str], &str, &str); 9] = [
        (&["echo", "message=hi"], "", "Echo: hi\n"),
        (&["everything", "echo", "message=hi"], "", "Echo: hi\n"),
        (&["everything.echo", "message=hi"], "", "Echo: hi\n"),
        (&["mcp__everything__echo", "message=30"], "", "Echo: 30\n"),
        (&["echo", "message:=\"a b\""], "", "Echo: a b\n"),
        (&["echo", &at_letter], "", "Echo: from a file\n"),
        (&["echo", "--args", r#"{"message": "json"}"#], "", "Echo: json\n"),
        (&["echo", "-"], r#"{"message": "stdin"}"#, "Echo: stdin\n"),
        (&["get-sum", "a=20", "b=22"], "", "The sum of 20 and 22 is 42.\n"),
    ];
    for (words, input, expected) in table {
        let arguments: Vec<&str> = ["--config", config, "call"].into_iter().chain(words.iter().copied()).collect();
        let run = stage.run_with_input(&arguments, input).expect_code(0);
        assert_eq!(run.stdout, expected, "{words:?}");
    }
}

#[test]
fn mistakes_are_named_and_nothing_is_guessed() {
    let Some(installed) = Installed::find("node") else { return };
    let stage = Stage::new();
    let config = stage.write("servers.json", configuration(&json!({"everything": installed.everything()})));
    let config = config.to_str().unwrap();

    let typo = stage.run(&["--config", config, "call", "mcp__everything__ecko", "message=hi"]).expect_code(2);
    assert_eq!(typo.stdout, "", "a mistyped tool is not called");
    assert!(typo.stderr.contains("mcp__everything__echo"), "{}", typo.stderr);

    let wrong_type = stage.run(&["--config", config, "call", "get-sum", "a=many", "b=2"]).expect_code(2);
    assert!(wrong_type.stderr.contains("/a"), "{}", wrong_type.stderr);

    let refused = stage.run(&["--config", config, "call", "get-resource-reference", "resourceId:=-5"]);
    assert_ne!(refused.code, 0, "{refused:?}");
}

#[test]
fn provider_arrays_hold_every_tool() {
    let Some(installed) = Installed::find("node") else { return };
    let stage = Stage::new();
    let servers = json!({"everything": installed.everything(), "files": installed.filesystem(&stage.project())});
    let config = stage.write("servers.json", configuration(&servers));
    let config = config.to_str().unwrap();
    let listed = stage.run(&["--config", config, "tools", "--json"]).expect_code(0).json().as_array().unwrap().len();
    for (provider, name) in [("openai", "/function/name"), ("anthropic", "/name"), ("portable", "/name")] {
        let array = stage.run(&["--config", config, "tools", "--for", provider, "--json"]).expect_code(0).json();
        let array = array.as_array().unwrap();
        assert_eq!(array.len(), listed, "{provider}");
        assert!(array.iter().all(|tool| tool.pointer(name).is_some_and(Value::is_string)), "{provider}");
    }
}

#[test]
fn files_are_read_through_the_filesystem_server() {
    let Some(installed) = Installed::find("node") else { return };
    let stage = Stage::new();
    let note = stage.write("note.txt", "written by the test");
    let config = stage.write("servers.json", configuration(&json!({"files": installed.filesystem(&stage.project())})));
    let path = format!("path={}", note.display());
    let run =
        stage.run(&["--config", config.to_str().unwrap(), "call", "files", "read_text_file", &path]).expect_code(0);
    assert_eq!(run.stdout, "written by the test\n");
}

#[test]
fn a_python_server_tells_the_time() {
    let Some(installed) = Installed::find("python") else { return };
    let stage = Stage::new();
    let config = stage.write("servers.json", configuration(&json!({"time": installed.time()})));
    let config = config.to_str().unwrap();
    let words = ["--config", config, "call", "time.convert_time", "source_timezone=UTC", "time=12:00"];
    let run = stage.run(&[&words[..], &["target_timezone=Asia/Tokyo"]].concat()).expect_code(0);
    assert!(run.stdout.contains("21:00"), "{}", run.stdout);
}

/// I12: the address of a server of 2024-11-05, given as that of any other.
#[test]
fn i12_an_older_transport_is_named_with_what_to_add() {
    let Some(installed) = Installed::find("node") else { return };
    let stage = Stage::new();
    let older = installed.everything_over_sse();
    let added = stage.run(&["add", "old", &older.url]).expect_code(0);
    assert!(added.stderr.contains("added `old`"), "{added:?}");
    let said = stage.run(&["tools", "old"]);
    assert!(said.stderr.contains("HTTP+SSE") && said.stderr.contains("--transport sse"), "{said:?}");
    assert!(!said.stderr.contains('<'), "no page of its web framework: {said:?}");

    stage.run(&["remove", "old"]).expect_code(0);
    stage.run(&["add", "--transport", "sse", "old", &older.url]).expect_code(0);
    let called = stage.run(&["call", "old.echo", "message=hi"]).expect_code(0);
    assert_eq!(called.stdout, "Echo: hi\n");
}
