//! A person at a terminal of their own: what they are asked, what they see of it, and what they type.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::{Value, json};

use crate::stage::{Stage, configuration, demo_server};

/// The far end of the terminal that a running command is at.
struct Person {
    terminal: File,
    child: Child,
    seen: String,
}

impl Person {
    /// Runs a command whose input and messages are at the terminal; what it writes to stdout is read at the end.
    fn running(stage: &Stage, arguments: &[&str]) -> Self {
        let near: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&near).unwrap();
        unlockpt(&near).unwrap();
        let name = ptsname(&near, Vec::new()).unwrap();
        let far = OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let mut command = stage.command(arguments);
        command.env("NO_COLOR", "1").stdin(far.try_clone().unwrap()).stdout(Stdio::piped()).stderr(far);
        // The command holds the far end too, and the terminal ends when nobody does.
        let child = command.spawn().unwrap();
        drop(command);
        Self { terminal: near.into(), child, seen: String::new() }
    }

    /// Reads until this is seen, and returns everything seen since the last time.
    #[track_caller]
    fn sees(&mut self, text: &str) -> String {
        let mut bytes = [0; 1024];
        loop {
            if let Some(start) = self.seen.find(text) {
                let rest = self.seen.split_off(start + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let read = self.terminal.read(&mut bytes).unwrap_or(0);
            assert_ne!(read, 0, "the command ended before it said {text:?}: {}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }

    /// Waits until what is typed would not be shown.
    fn is_not_watched(&self) {
        while self.shows_what_is_typed() {
            std::thread::yield_now();
        }
    }

    fn shows_what_is_typed(&self) -> bool {
        tcgetattr(&self.terminal).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    fn types(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).unwrap();
    }

    /// Waits for the command's end; returns its exit code, the rest of what was seen, and its data.
    fn ends(mut self) -> (i32, String, String) {
        let mut bytes = [0; 1024];
        // Linux says that the far end is closed with an error.
        while let Ok(read @ 1..) = self.terminal.read(&mut bytes) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        let output = self.child.wait_with_output().unwrap();
        (output.status.code().unwrap_or(-1), self.seen, String::from_utf8(output.stdout).unwrap())
    }
}

/// A server that is given this in its environment.
fn server(value: &str) -> Value {
    let mut entry = demo_server("library");
    entry["env"] = json!({"KEY": value});
    entry
}

fn configured(value: &str) -> (Stage, String) {
    let stage = Stage::new();
    let file = stage.write("servers.json", configuration(&json!({"gh": server(value)})));
    (stage, file.to_str().unwrap().to_owned())
}

#[test]
fn a_missing_secret_is_asked_for_once_and_not_shown() {
    for command in [
        &["call", "gh", "echo", "message=hi"][..],
        &["call", "gh.echo", "message=hi"],
        &["call", "mcp__gh__echo", "message=hi"],
        &["tools", "gh"],
        &["status", "gh"],
    ] {
        let (stage, file) = configured("${keyring:github}");
        let arguments = [&["--config", &file], command].concat();
        let mut person = Person::running(&stage, &arguments);
        person.sees("gh needs the secret github (not shown while you type)");
        person.is_not_watched();
        person.types("canary\n");
        person.sees("stored `github`, kept in: ");
        assert!(person.shows_what_is_typed());
        let (code, seen, data) = person.ends();
        assert_eq!(code, 0, "{command:?}: {seen}");
        assert!(!seen.contains("canary") && !data.contains("canary"), "{seen}{data}");
        // It was kept: nobody is asked again, or has to be there.
        let (code, seen, _) = Person::running(&stage, &arguments).ends();
        assert_eq!((code, seen.contains("needs the secret")), (0, false), "{seen}");
        stage.run(&arguments).expect_code(0);
    }
}

#[test]
fn a_prompt_offers_its_choices_and_its_default() {
    let inputs = json!([
        {"type": "pickString", "id": "zone", "description": "Where\u{1b}[2J", "options": ["eu", "us"], "default": "eu"},
        {"type": "promptString", "id": "user", "default": "me"},
    ]);
    let stage = Stage::new();
    let entry = json!({"inputs": inputs, "servers": {"gh": server("${input:zone} ${input:user}")}});
    stage.write(".vscode/mcp.json", entry.to_string());
    stage.run(&["trust", "gh", "--yes"]).expect_code(0);
    let mut person = Person::running(&stage, &["tools", "gh", "--json"]);
    let seen = person.sees("  2  us");
    // What the repository wrote does not act on the terminal.
    assert!(seen.contains(r"gh asks for zone: Where\u{1b}[2J [eu]"), "{seen}");
    assert!(person.shows_what_is_typed());
    person.types("3\n");
    person.sees("that is none of them");
    person.types("2\n");
    person.sees("gh asks for user [me]");
    person.types("\n");
    person.sees("stored `user`");
    let (code, _, _) = person.ends();
    assert_eq!(code, 0);
    // Both are kept, the default that was taken as well.
    let listed = stage.run(&["secret", "list", "--json"]).json();
    let stored: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| !row["store"].is_null())
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(stored, ["user", "zone"]);
}

#[test]
fn a_secret_is_set_at_the_terminal() {
    let stage = Stage::new();
    let mut person = Person::running(&stage, &["secret", "set", "github"]);
    person.sees("the secret github (not shown while you type)");
    person.is_not_watched();
    person.types("canary\n");
    let (code, seen, _) = person.ends();
    assert!(code == 0 && !seen.contains("canary"), "{seen}");
    assert_eq!(stage.run(&["secret", "list", "--json"]).json()[0]["name"], "github");
}

#[test]
fn a_login_asks_first_for_what_the_definition_needs() {
    let (stage, file) = configured("${keyring:github}");
    let mut person = Person::running(&stage, &["--config", &file, "login", "gh"]);
    person.sees("not shown while you type");
    person.is_not_watched();
    person.types("canary\n");
    // Then it turns out to be a program, which nobody logs in to.
    person.sees("nobody logs in to");
    assert_eq!(person.ends().0, 2);
}

#[test]
fn a_person_who_does_not_answer_is_told_how_to_later() {
    let (stage, file) = configured("${keyring:github}");
    let mut person = Person::running(&stage, &["--config", &file, "call", "gh", "echo", "message=hi"]);
    for _ in 0..3 {
        person.is_not_watched();
        person.types("\n");
        person.sees("an answer is needed");
    }
    let (code, seen, _) = person.ends();
    assert_eq!(code, 2);
    assert!(seen.contains(&format!("hint: mcpctl --config {file} secret set github")), "{seen}");
}

#[test]
fn an_interruption_leaves_the_terminal_as_it_was() {
    let (stage, file) = configured("${keyring:github}");
    let mut person = Person::running(&stage, &["--config", &file, "call", "gh", "echo", "message=hi"]);
    person.sees("not shown while you type");
    person.is_not_watched();
    let id = rustix::process::Pid::from_child(&person.child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    person.sees("interrupted");
    assert!(person.shows_what_is_typed());
    assert_eq!(person.ends().0, 6);
}

#[test]
fn nobody_is_asked_where_the_question_would_not_be_seen() {
    let (stage, file) = configured("${keyring:github}");
    let run =
        stage.run_at_terminal(&["--config", &file, "call", "gh", "echo", "message=hi"], "canary\n").expect_code(2);
    assert!(run.stderr.contains(&format!("hint: mcpctl --config {file} secret set github\n")), "{}", run.stderr);
    assert!(!run.stderr.contains("not shown while you type"), "{}", run.stderr);
    stage.run_at_terminal(&["secret", "set", "github"], "canary\n").expect_code(2);
    assert_eq!(stage.run(&["secret", "list", "--json"]).json(), json!([]));
}

#[test]
fn nobody_is_asked_for_a_server_that_they_did_not_name() {
    let (stage, file) = configured("${keyring:github}");
    let (code, seen, _) = Person::running(&stage, &["--config", &file, "status"]).ends();
    assert_eq!(code, 2);
    assert!(!seen.contains("not shown while you type"), "{seen}");
}
