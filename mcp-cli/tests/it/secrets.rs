//! What definitions name and a person gives: stored once, given to its server, shown to nobody.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::stage::{Run, Stage, configuration, demo_server};

const CANARY: &str = "canary-5f1c";

/// A server that is given `value` in its environment, and writes down what it got before it serves.
fn server(value: &str) -> Value {
    let script = r#"printf %s "$KEY" > "$HOME/got"; exec "$0" demo-server library"#;
    json!({"command": "sh", "args": ["-c", script, env!("CARGO_BIN_EXE_mcpctl")], "env": {"KEY": value}})
}

/// What the server got.
fn got(stage: &Stage) -> Option<String> {
    std::fs::read_to_string(stage.home().join("got")).ok()
}

/// A VS Code file of the project with these prompts and one server, approved.
fn approved_vscode(stage: &Stage, inputs: &Value, value: &str) {
    stage.write(".vscode/mcp.json", json!({"inputs": inputs, "servers": {"gh": server(value)}}).to_string());
    stage.run(&["trust", "gh", "--yes"]).expect_code(0);
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// No run shows the canary, and no file holds it that others could read, or that is not there to hold it.
fn nothing_leaks(stage: &Stage, runs: &[Run]) {
    for run in runs {
        assert!(!run.stdout.contains(CANARY) && !run.stderr.contains(CANARY), "{run:?}");
    }
    for file in files(&stage.home()) {
        let content = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        if content.contains(CANARY) && file.file_name() != Some("got".as_ref()) {
            assert_eq!(
                file.parent(),
                Some(stage.home().join("state/mcp-toolkit/secrets").as_path()),
                "{}",
                file.display()
            );
            #[cfg(unix)]
            assert_eq!(
                std::os::unix::fs::MetadataExt::mode(&file.metadata().unwrap()) & 0o777,
                0o600,
                "{}",
                file.display()
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_secret_is_stored_given_to_its_server_and_forgotten() {
    let stage = Stage::new();
    let file = stage.write("servers.json", configuration(&json!({"gh": server("Bearer ${keyring:github}")})));
    let config = ["--config", file.to_str().unwrap()];
    let run = |arguments: &[&str], input: &str| stage.run_with_input(&[&config, arguments].concat(), input);

    let missing = run(&["call", "gh", "echo", "message=hi"], "").expect_code(2);
    assert!(missing.stderr.contains("needs the secret github, which is not stored"), "{}", missing.stderr);
    assert!(
        missing.stderr.contains(&format!("hint: mcpctl --config {} secret set github\n", config[1])),
        "{}",
        missing.stderr
    );
    assert_eq!(got(&stage), None);
    let status = run(&["status", "gh", "--json"], "").expect_code(2);
    assert_eq!(status.json()[0]["fix"], json!(["mcpctl", "--config", config[1], "secret", "set", "github"]));

    let stored = run(&["secret", "set", "github"], &format!("{CANARY}\n")).expect_code(0);
    assert!(stored.stderr.contains("stored `github`, kept in: "), "{}", stored.stderr);
    let called = run(&["call", "gh", "echo", "message=hi"], "").expect_code(0);
    assert_eq!(got(&stage), Some(format!("Bearer {CANARY}")));

    let listed = run(&["secret", "list"], "").expect_code(0);
    assert!(listed.stdout.starts_with("github  in "), "{}", listed.stdout);
    let listed_json = run(&["secret", "list", "--json"], "").expect_code(0);
    assert_eq!(listed_json.json()[0]["name"], "github");
    assert_eq!(listed_json.json()[0]["servers"], json!(["gh"]));

    let removed = run(&["secret", "remove", "github"], "").expect_code(0);
    let again = run(&["secret", "remove", "github"], "").expect_code(2);
    assert!(again.stderr.contains(&format!("hint: mcpctl --config {} secret list\n", config[1])), "{}", again.stderr);
    let missing_again = run(&["call", "gh", "echo", "message=hi"], "").expect_code(2);
    assert!(
        missing_again.stderr.contains(&format!("hint: mcpctl --config {} secret set github\n", config[1])),
        "{}",
        missing_again.stderr
    );
    let empty = run(&["secret", "list", "--json"], "").expect_code(0);
    assert_eq!(empty.json(), json!([{"name": "github", "store": null, "servers": ["gh"]}]));
    nothing_leaks(
        &stage,
        &[missing, status, stored, called, listed, listed_json, removed, again, missing_again, empty],
    );
}

#[cfg(unix)]
#[test]
fn without_a_keyring_a_secret_is_in_a_file_that_only_its_owner_reads_and_the_command_says_so() {
    let stage = Stage::new();
    // No bus, no keyring; a machine that has one seals the file.
    let first = stage.run_with_input(&["secret", "set", "github"], CANARY).expect_code(0);
    if first.stderr.contains("kept in: file\n") {
        assert!(first.stderr.contains("the keyring cannot be"), "{}", first.stderr);
    } else {
        assert!(first.stderr.contains("kept in: encrypted-file\n"), "{}", first.stderr);
    }
    assert!(first.stderr.contains("no server refers to `github` yet"), "{}", first.stderr);
    let second = stage.run_with_input(&["secret", "set", "github"], CANARY).expect_code(0);
    assert!(!second.stderr.contains("the keyring cannot be"), "told once: {}", second.stderr);
    nothing_leaks(&stage, &[first, second]);
}

#[cfg(unix)]
#[test]
fn a_projects_prompt_is_answered_for_that_file_alone() {
    let stage = Stage::new();
    let inputs = json!([{"type": "promptString", "id": "token", "description": "A token", "password": true}]);
    approved_vscode(&stage, &inputs, "${input:token}");
    let missing = stage.run(&["tools", "gh"]).expect_code(2);
    assert!(missing.stderr.contains("hint: mcpctl secret set --server gh token\n"), "{}", missing.stderr);
    let stored = stage.run_with_input(&["secret", "set", "--server=gh", "token"], CANARY).expect_code(0);
    let listed = stage.run(&["secret", "list", "--json"]).expect_code(0);
    let file = stage.project().join(".vscode/mcp.json").canonicalize().unwrap();
    assert_eq!(listed.json()[0]["file"], file.to_str().unwrap());
    let tools = stage.run(&["tools", "gh"]).expect_code(0);
    assert_eq!(got(&stage).as_deref(), Some(CANARY));
    nothing_leaks(&stage, &[missing, stored, listed, tools]);

    // Another repository asks for the same id.
    let other = stage.project().join("elsewhere");
    let entry = json!({"inputs": inputs, "servers": {"evil": server("${input:token}")}});
    stage.write("elsewhere/.vscode/mcp.json", entry.to_string());
    stage.write("elsewhere/.git/HEAD", "");
    let there = |arguments: &[&str]| Run::from(stage.command(arguments).current_dir(&other).output().unwrap());
    there(&["trust", "evil", "--yes"]).expect_code(0);
    std::fs::remove_file(stage.home().join("got")).unwrap();
    there(&["tools", "evil"]).expect_code(2);
    assert_eq!(got(&stage), None);

    // The file is gone, and what was answered for it can still be forgotten.
    std::fs::remove_file(&file).unwrap();
    stage.run(&["secret", "remove", "--file", "other.json", "token"]).expect_code(2);
    stage.run(&["secret", "remove", "--file", file.to_str().unwrap(), "token"]).expect_code(0);
    assert_eq!(stage.run(&["secret", "list", "--json"]).json(), json!([]));
}

#[cfg(unix)]
#[test]
fn what_a_prompt_does_not_offer_is_not_stored() {
    let stage = Stage::new();
    let inputs = json!([{"type": "pickString", "id": "zone", "options": ["eu", "us"], "default": "eu"}]);
    approved_vscode(&stage, &inputs, "${input:zone}");
    let refused = stage.run_with_input(&["secret", "set", "--server=gh", "zone"], CANARY).expect_code(2);
    assert!(refused.stderr.contains("hint: expected one of: eu, us\n"), "{}", refused.stderr);
    nothing_leaks(&stage, &[refused]);
    stage.run(&["tools", "gh"]).expect_code(0);
    assert_eq!(got(&stage).as_deref(), Some("eu"), "nobody was there to be asked");
    stage.run_with_input(&["secret", "set", "--server=gh", "zone"], "us\r\n").expect_code(0);
    stage.run(&["tools", "gh"]).expect_code(0);
    assert_eq!(got(&stage).as_deref(), Some("us"));
    let unknown = stage.run_with_input(&["secret", "set", "--server=gh", "place"], "us").expect_code(2);
    assert!(unknown.stderr.contains("hint: it has: zone\n"), "{}", unknown.stderr);
    stage.run_with_input(&["secret", "set", "--server=nobody", "zone"], "us").expect_code(2);
}

#[test]
fn what_cannot_be_a_secret_is_refused_without_being_shown() {
    let stage = Stage::new();
    let long = format!("{CANARY}{}", "x".repeat(64 * 1024));
    for value in ["", "\n", "canary-5f1c\0", &long] {
        let run = stage.run_with_input(&["secret", "set", "a"], value).expect_code(2);
        assert!(run.stderr.contains("the secret cannot be kept: "), "{}", run.stderr);
        nothing_leaks(&stage, &[run]);
    }
    // A value is no argument: others see those.
    let run = stage.run(&["secret", "set", "a", "b"]).expect_code(2);
    assert!(run.stderr.contains("unexpected argument"), "{}", run.stderr);
    assert_eq!(stage.run(&["secret", "list", "--json"]).json(), json!([]));
    // Only the end of the last line is none of it.
    stage.run_with_input(&["secret", "set", "a"], &format!("{}\n", "x".repeat(64 * 1024))).expect_code(0);
}

#[cfg(unix)]
#[test]
fn a_name_from_a_repository_stays_one_word_of_the_hint() {
    let stage = Stage::new();
    let servers = json!({"--yes": server("${keyring:x; $(id)}"), "a;b": server("${input:$(id)}")});
    let file = stage.write("servers.json", configuration(&servers));
    let call = |name: &str| stage.run(&["--config", file.to_str().unwrap(), "call", "--", name, "x"]).expect_code(2);
    let run = call("--yes");
    assert!(run.stderr.contains("secret set 'x; $(id)'\n"), "{}", run.stderr);
    let run = call("a;b");
    assert!(run.stderr.contains("secret set --server 'a;b' '$(id)'\n"), "{}", run.stderr);
}

#[test]
fn a_project_gets_a_secret_only_after_it_was_confirmed_by_name() {
    let stage = Stage::new();
    stage.write(".mcp.json", configuration(&json!({"gh": server("${keyring:github}")})));
    stage.run_with_input(&["secret", "set", "github"], CANARY).expect_code(0);
    let waiting = stage.run(&["tools", "gh"]).expect_code(5);
    let approved = stage.run(&["trust", "gh", "--yes"]).expect_code(0);
    let without = stage.run(&["tools", "gh"]).expect_code(2);
    assert!(without.stderr.contains("only after it was confirmed by name"), "{}", without.stderr);
    assert_eq!(got(&stage), None);
    nothing_leaks(&stage, &[waiting, approved, without]);
}

#[test]
fn a_server_that_names_no_secret_opens_no_store() {
    let stage = Stage::new();
    let file = stage.write("servers.json", configuration(&json!({"demo": demo_server("library")})));
    stage.run(&["--config", file.to_str().unwrap(), "tools", "demo"]).expect_code(0);
    stage.run(&["secret", "list"]).expect_code(0);
    stage.run(&["secret", "remove", "a"]).expect_code(2);
    assert!(!stage.home().join("state/mcp-toolkit/secrets").exists());
}
