//! Rules from settings files, and answers that become rules.

use std::pin::Pin;
use std::sync::Arc;

use mcp_client::registry::Answer as Reply;
use mcp_client::{Approve, Call, Error, Question};
use serde_json::{Value, json};

use crate::stage::{Stage, reads, writes};

const USER: &str = "home/.config/mcp-toolkit/settings.json";
const PROJECT: &str = "project/.agents/settings.json";

async fn stage() -> Stage {
    let object = json!({"type": "object"});
    Stage::new().with_server("fs", json!([reads("look", &object), writes("write", &object)])).await
}

async fn is_denied(stage: &Stage, tool: &str) -> bool {
    match stage.client().await.call(tool, json!({})).await {
        Ok(_) => false,
        Err(Error::Denied { .. }) => true,
        Err(error) => unreachable!("{error:?}"),
    }
}

#[tokio::test]
async fn settings_decide_and_a_repository_only_tightens() {
    let table = [
        ("nothing is written", USER, "", true, false),
        ("the user denies", USER, r#"{"permissions": {"deny": ["mcp__fs__look"]}}"#, true, true),
        (
            "the user denies in a file with comments",
            USER,
            "{\"permissions\": {/* no */ \"deny\": [\"mcp__fs\"],}}",
            true,
            true,
        ),
        ("a repository denies", PROJECT, r#"{"permissions": {"deny": ["mcp__fs__look"]}}"#, true, true),
        ("a repository allows", PROJECT, r#"{"permissions": {"allow": ["mcp__fs__write"]}}"#, true, false),
        ("the file cannot be read as rules", USER, "{\"permissions\": {\"deny\": [\"mcp__fs\"", true, true),
        (
            "a repeated key hides nothing",
            USER,
            r#"{"permissions": {"deny": ["mcp__fs"]}, "permissions": {}}"#,
            true,
            true,
        ),
    ];
    for (what, file, text, write_denied, look_denied) in table {
        let stage = stage().await;
        stage.write(file, text);
        assert_eq!(is_denied(&stage, "write").await, write_denied, "write: {what}");
        assert_eq!(is_denied(&stage, "look").await, look_denied, "look: {what}");
    }
}

struct Says(Reply);

impl Approve for Says {
    fn approve<'a>(&'a self, question: &'a Question) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        assert!(question.answers.contains(&self.0), "{question:?}");
        Box::pin(std::future::ready(self.0))
    }
}

#[tokio::test]
async fn an_answer_holds_for_as_long_as_it_was_given() {
    // How long the answer holds: for the next call of the same client, and for the next client.
    for (reply, same_client, next_client) in
        [(Reply::Once, false, false), (Reply::Session, true, false), (Reply::Always, true, true)]
    {
        let stage = stage().await;
        let client = stage.builder().approver(Arc::new(Says(reply))).build();
        client.start().await;
        client.call("write", json!({})).await.unwrap();
        let decision = client.explain(&Call::new("write", json!({}))).unwrap().decision;
        assert_eq!(decision.verdict.as_str() == "allow", same_client, "{reply:?}: {decision}");
        assert_eq!(!is_denied(&stage, "write").await, next_client, "{reply:?}");
    }
}

#[tokio::test]
async fn who_wants_a_call_has_not_answered_a_rule_that_asks() {
    let (asks, nothing, denies) =
        (r#"{"permissions": {"ask": ["mcp__fs__write"]}}"#, "", r#"{"permissions": {"deny": ["mcp__fs__write"]}}"#);
    let call = || Call::new("write", json!({}));
    for (settings, call, made) in [
        (nothing, call(), false),
        (nothing, call().with_consent(), true),
        (nothing, call().with_confirmation(), true),
        (asks, call(), false),
        (asks, call().with_consent(), false),
        (asks, call().with_confirmation(), true),
        (denies, call().with_consent(), false),
        (denies, call().with_confirmation(), false),
    ] {
        let stage = stage().await;
        stage.write(USER, settings);
        let answer = stage.client().await.call_with(call.clone()).await;
        assert_eq!(answer.is_ok(), made, "{settings} {call:?}");
    }
}

#[tokio::test]
async fn an_allowed_definition_is_not_the_next_one_of_its_name() {
    let stage = stage().await;
    let client = stage.builder().approver(Arc::new(Says(Reply::Always))).build();
    client.start().await;
    client.call("write", json!({})).await.unwrap();
    assert!(!is_denied(&stage, "write").await);
    let stage = stage.with_changed_entry("fs", |entry| entry["headers"] = json!({"X-Other": "1"}));
    assert!(is_denied(&stage, "write").await, "another definition took the name");
}

#[tokio::test]
async fn the_user_s_settings_say_what_a_tool_does() {
    let stage = stage().await;
    stage.write(USER, r#"{"effects": {"fs": {"write": "read-only", "look": "mutating"}}}"#);
    assert!(!is_denied(&stage, "write").await);
    assert!(is_denied(&stage, "look").await);
}

#[tokio::test]
async fn every_call_is_in_the_audit_log() {
    let stage = stage().await;
    let client = stage.client().await;
    client.call("look", json!({"at": "s3cr3t"})).await.unwrap();
    client.call("write", json!({})).await.unwrap_err();
    let log = std::fs::read_to_string(stage.path("home/.local/state/mcp-toolkit/audit.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes: Vec<(&str, &str)> =
        lines.iter().map(|line| (line["tool"].as_str().unwrap(), line["outcome"].as_str().unwrap())).collect();
    assert_eq!(outcomes, [("look", "succeeded"), ("write", "refused")], "{log}");
    assert!(!log.contains("s3cr3t"), "arguments are recorded by their hash");
    assert_eq!(mcp_client::registry::AuditLog::verify(&log), []);
}
