//! What comes from a server or a repository cannot act on the terminal, and secrets stay where they are.

use serde_json::json;

use crate::stage::{Stage, configuration, demo_server};

const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{202e}gpj.exe\u{200b}\u{e0041}";

fn assert_safe(text: &str) {
    for character in ['\u{1b}', '\u{7}', '\u{202e}', '\u{200b}', '\u{e0041}'] {
        assert!(!text.contains(character), "{character:?} reached the terminal: {text:?}");
    }
}

#[test]
fn content_is_shown_escaped_and_given_raw_on_request() {
    let stage = Stage::new();
    let config = stage.write("servers.json", configuration(&json!({"library": demo_server("library")})));
    let call = ["--config", config.to_str().unwrap(), "call", "library", "echo"];
    let message = format!("message={HOSTILE}");

    let shown = stage.run(&[&call[..], &[&message]].concat()).expect_code(0);
    assert_safe(&shown.stdout);
    assert!(shown.stdout.contains(r"\u{1b}]0;owned"), "nothing is hidden: {}", shown.stdout);

    let raw = stage.run(&[&call[..], &[&message, "--raw"]].concat()).expect_code(0);
    assert!(raw.stdout.contains(HOSTILE));

    let json = stage.run(&[&call[..], &[&message, "--json"]].concat()).expect_code(0);
    assert_safe(&json.stdout);
    assert!(json.json()["content"][0]["text"].as_str().unwrap().contains(HOSTILE), "JSON escapes mean the same");
}

#[test]
fn names_and_errors_are_shown_escaped() {
    let stage = Stage::new();
    let servers = json!({HOSTILE: {"command": format!("no-such-{HOSTILE}")}});
    let config = stage.write("servers.json", configuration(&servers));
    let config = config.to_str().unwrap();
    for arguments in [&["list"][..], &["list", "--json"], &["status"], &["status", "--json"], &["tools"], &[]] {
        let run = stage.run(&[&["--config", config][..], arguments].concat());
        assert_safe(&run.stdout);
        assert_safe(&run.stderr);
    }
    stage.write(".mcp.json", configuration(&servers));
    let prompt = stage.run(&["trust"]);
    assert_safe(&prompt.stdout);
    assert_safe(&prompt.stderr);
}

#[test]
fn secrets_are_in_no_listing_and_no_error() {
    let stage = Stage::new();
    let servers = json!({
        "child": {"command": "no-such-command", "args": ["--token", "s3cr3t-arg"], "env": {"API_KEY": "s3cr3t-env"}},
        "remote": {
            "type": "http",
            "url": "http://user:s3cr3t-password@127.0.0.1:9/mcp?key=s3cr3t-query",
            "headers": {"Authorization": "Bearer s3cr3t-header"},
        },
    });
    let config = stage.write("servers.json", configuration(&servers));
    let config = config.to_str().unwrap();
    for arguments in [&["list"][..], &["list", "--json"], &["status"], &["status", "--json"], &["tools"], &[]] {
        let run = stage.run(&[&["--config", config][..], arguments].concat());
        assert!(!format!("{run:?}").contains("s3cr3t"), "{arguments:?}: {run:?}");
    }
}
