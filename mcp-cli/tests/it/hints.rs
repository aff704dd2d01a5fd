//! A hint is pasted into a shell, and the names in it are chosen by repositories and servers: whatever they are, the shell
//! makes one argument of each, and runs nothing else.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::loopback::{Loopback, Response};
use crate::stage::{Run, Stage, configuration, demo_server};

const NAMES: [&str; 7] = [
    "docs;touch ${HOME}/X;:",
    "--settings",
    "-y",
    "$(touch ${HOME}/X)`touch ${HOME}/X`",
    r#"it's "so" \ && touch ${HOME}/X !x"#,
    "two  words",
    r#";touch X "'$(touch X)"#,
];

/// A name that no terminal shows as it is.
const UNSHOWN: &str = "a'\u{202e};touch ${HOME}/X";

/// The text of every hint.
fn hints(run: &Run) -> Vec<String> {
    let lines = run.stderr.lines().chain(run.stdout.lines());
    let hint = |line: &str| {
        let begun = ["hint: ", "    fix: ", "to allow it: ", "to refuse it: "];
        begun.iter().find_map(|begin| line.strip_prefix(begin)).map(str::to_owned)
    };
    lines.filter_map(hint).collect()
}

/// What a shell that is given the commands of a run's hints calls this program with.
fn pasted(stage: &Stage, run: &Run) -> Vec<Vec<String>> {
    let folder = stage.home().join("recorder");
    std::fs::create_dir_all(&folder).unwrap();
    let recorder = folder.join("mcpctl");
    std::fs::write(&recorder, "#!/bin/sh\nprintf '%s\\0' \"$@\" >> \"$RECORD\"\nprintf '\\n\\0' >> \"$RECORD\"\n")
        .unwrap();
    std::fs::set_permissions(&recorder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let record = folder.join("record");
    for hint in hints(run) {
        let Some(start) = hint.find("mcpctl ") else { continue };
        let shell = Command::new("sh")
            .args(["-c", hint.get(start..).unwrap()])
            .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
            .env("HOME", stage.home())
            .env("RECORD", &record)
            .current_dir(stage.project())
            .status()
            .unwrap();
        assert!(shell.success(), "{hint}");
    }
    assert!(!stage.home().join("X").exists() && !stage.project().join("X").exists(), "a name ran: {run:?}");
    let recorded = std::fs::read_to_string(&record).unwrap_or_default();
    std::fs::remove_file(&record).ok();
    let calls = recorded.split("\n\0").filter(|call| !call.is_empty());
    calls.map(|call| call.trim_end_matches('\0').split('\0').map(str::to_owned).collect()).collect()
}

/// Each of these runs, and what its hints would call.
#[track_caller]
fn check(stage: &Stage, name: &str, arguments: &[&str], expected: &[&[&str]]) {
    let run = stage.run(arguments);
    let calls = pasted(stage, &run);
    for expected in expected {
        assert!(
            calls.iter().any(|call| call == expected),
            "{name:?} {arguments:?}: {expected:?} not in {calls:?}\n{run:?}"
        );
    }
    for call in &calls {
        let about = call.iter().filter(|argument| **argument == name).count();
        let is_ours = call
            .iter()
            .filter(|argument| argument.contains("touch") || argument.contains("docs"))
            .all(|argument| argument == name);
        assert!(is_ours && about <= 1, "{name:?} {arguments:?}: {call:?}");
    }
}

fn operand<'a>(command: &[&'a str], name: &'a str) -> Vec<&'a str> {
    let dashes = name.starts_with('-').then_some("--");
    command.iter().copied().chain(dashes).chain([name]).collect()
}

#[test]
fn a_repositorys_name_stays_one_argument() {
    for name in NAMES {
        let stage = Stage::new();
        stage.write(".mcp.json", configuration(&json!({name: demo_server("library")})));
        let trust = operand(&["trust"], name);
        for arguments in [&["trust"][..], &["doctor"], &["status"], &["tools"], &["search", "book"]] {
            check(&stage, name, arguments, &[&trust]);
        }
        for arguments in [["call", "--", name, "echo"].as_slice(), &["tools", "--", name], &["approve", "--", name]] {
            check(&stage, name, arguments, &[&trust]);
        }
        check(&stage, name, &["trust", "--", name], &[&operand(&["trust", "--yes"], name)]);
        for arguments in [&["list"][..], &[], &["status", "--", name], &["get", "--", name], &["untrust", "--", name]] {
            check(&stage, name, arguments, &[]);
        }
        stage.run(&["trust", "--yes", "--", name]).expect_code(0);
        check(&stage, name, &["call", "--", name, "nothing"], &[]);
    }
}

#[test]
fn the_users_own_odd_names_stay_one_argument() {
    let server = Loopback::start(|_| Response::new(401, "").with_header("WWW-Authenticate: Bearer"));
    for name in NAMES {
        let stage = Stage::new();
        let place = stage.home().join(".agents/mcp.json");
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        let write = |servers: &Value| std::fs::write(&place, configuration(servers)).unwrap();
        write(&json!({name: {"type": "http", "url": server.origin()}}));
        let can_be_added = !name.starts_with('-') && !name.contains('/');
        let login = operand(&["login"], name);
        for arguments in [&["status"][..], &["tools", "--", name], &["call", "--", name, "x"], &["approve", "--", name]]
        {
            check(&stage, name, arguments, &[&login]);
        }
        if can_be_added {
            check(&stage, name, &["add", name, "https://x.example"], &[&operand(&["remove"], name)]);
        }
        check(&stage, name, &["login", "--no-browser", "--", name], &[]);
        write(&json!({name: {"type": "http", "url": server.origin(), "enabled": false}}));
        check(&stage, name, &["tools", "--", name], &[&operand(&["enable"], name)]);
        if can_be_added {
            stage.run(&["remove", "--", name]).expect_code(0);
            check(&stage, name, &["add", name, "--", "true"], &[&operand(&["status"], name)]);
        }
    }
}

#[test]
fn commands_take_a_name_that_begins_with_a_dash() {
    let stage = Stage::new();
    stage.write(".mcp.json", configuration(&json!({"--settings": demo_server("ledger")})));
    for arguments in [
        &["trust", "--yes", "--", "--settings"][..],
        &["get", "--", "--settings"],
        &["status", "--", "--settings"],
        &["tools", "--", "--settings"],
        &["call", "--", "--settings", "balance", "account=tea"],
        &["approve", "--yes", "--", "--settings"],
        &["disable", "--", "--settings"],
        &["enable", "--", "--settings"],
        &["untrust", "--", "--settings"],
        &["remove", "--", "--settings"],
    ] {
        let run = stage.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_name_that_cannot_be_shown_is_in_no_command() {
    let stage = Stage::new();
    let servers = json!({UNSHOWN: demo_server("library"), "a\n;touch ${HOME}/X": demo_server("library")});
    stage.write(".mcp.json", configuration(&servers));
    for arguments in [&["trust"][..], &["doctor"], &["status"], &["tools"], &["list"], &[], &["trust", UNSHOWN]] {
        let run = stage.run(arguments);
        assert_eq!(
            pasted(&stage, &run).into_iter().flatten().find(|argument| argument.contains("touch")),
            None,
            "{run:?}"
        );
        let said = hints(&run).iter().any(|hint| hint.contains("there is no command to paste"));
        assert_eq!(said, !matches!(arguments, ["list"] | []), "{arguments:?}: {run:?}");
    }
}

#[test]
fn programs_get_the_commands_as_argument_vectors() {
    let name = NAMES[0];
    let stage = Stage::new();
    stage.write(".mcp.json", configuration(&json!({name: demo_server("library"), UNSHOWN: {"command": "true"}})));
    let commands =
        |rows: &Value| -> Vec<Value> { rows.as_array().unwrap().iter().map(|row| row["fix"].clone()).collect() };
    let expected = [json!(["mcpctl", "trust", UNSHOWN]), json!(["mcpctl", "trust", name])];
    assert_eq!(commands(&stage.run(&["status", "--json"]).json()), expected);
    let doctor = commands(&stage.run(&["doctor", "--json"]).json());
    assert!(expected.iter().all(|command| doctor.contains(command)), "{doctor:?}");
}

#[test]
fn the_words_of_a_tool_stay_arguments() {
    let stage = Stage::new();
    let parameter = "x;touch ${HOME}/X";
    let tool = json!({"name": "t;touch ${HOME}/X", "inputSchema": {
        "type": "object",
        "properties": {parameter: {"type": "string"}, "-y": {"type": "integer"}},
        "required": [parameter, "-y"],
    }});
    let server = Loopback::start(move |request| {
        let request: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let result = match request["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "x", "version": "1"},
            }),
            Some("tools/list") => json!({"tools": [tool]}),
            Some("server/discover") => return Response::new(404, ""),
            _ => return Response::new(202, ""),
        };
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        Response::new(200, answer.to_string()).with_header("Content-Type: application/json")
    });
    let config = stage.write("servers.json", configuration(&json!({"x": {"type": "http", "url": server.origin()}})));
    let config = config.to_str().unwrap();
    let tools = stage.run(&["--config", config, "tools"]).expect_code(0);
    let command = tools.stdout.lines().next().unwrap();
    let hint = Run { code: 0, stdout: String::new(), stderr: format!("hint: {command}\n") };
    let calls = pasted(&stage, &hint);
    let [call] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!(&call[4..], [call[4].as_str(), "x;touch ${HOME}/X=STRING", "-y=INTEGER"], "{call:?}");
    let denied = stage.run(&["--config", config, "call", "x", "t;touch ${HOME}/X"]);
    assert!(!pasted(&stage, &denied).is_empty(), "{denied:?}");
}

/// A hint that is pasted is about the same files as the command that gave it.
#[test]
fn a_hint_repeats_whose_configuration_was_meant() {
    let stage = Stage::new();
    let server = Loopback::start(|_| Response::new(401, "").with_header("WWW-Authenticate: Bearer"));
    let file = stage.write("it's mine.json", configuration(&json!({"x": {"type": "http", "url": server.origin()}})));
    let file = file.to_str().unwrap();
    for arguments in [&["status"][..], &["call", "x", "t"], &["tools"]] {
        let run = stage.run(&[&["--config", file], arguments].concat());
        let calls = pasted(&stage, &run);
        assert!(calls.contains(&["--config", file, "login", "x"].map(str::to_owned).to_vec()), "{calls:?} {run:?}");
    }
    let status = stage.run(&["--config", file, "status", "--json"]);
    assert_eq!(status.json()[0]["fix"], json!(["mcpctl", "--config", file, "login", "x"]));

    let entry = json!({"mcpServers": {"x": demo_server("library")}}).to_string();
    stage.write(".cursor/mcp.json", entry);
    for arguments in [&["status"][..], &["call", "x", "echo"], &["trust"], &["trust", "x"]] {
        let run = stage.run(&[&["--preset", "cursor"], arguments].concat());
        let calls = pasted(&stage, &run);
        assert!(
            !calls.is_empty() && calls.iter().all(|call| call.starts_with(&["--preset", "cursor"].map(str::to_owned))),
            "{calls:?} {run:?}"
        );
        let again = stage.run(&calls[0].iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!again.stderr.contains("no server `x`"), "{again:?}");
    }
    stage.run(&["--preset", "cursor", "trust", "x", "--yes"]).expect_code(0);
    let tools = stage.run(&["--preset", "cursor", "tools"]).expect_code(0);
    assert!(tools.stdout.lines().any(|line| line.starts_with("mcpctl --preset cursor call ")), "{tools:?}");
}
