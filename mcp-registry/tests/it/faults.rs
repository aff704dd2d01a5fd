//! Faults of earlier systems, each of which must not come back.

use mcp_registry::{
    Answer, Authority, Effect, Mode, NameStyle, Output, Registry, Remedy, RuleLayer, Rules, ServerTools, Source, Tier,
    ToolName, ToolSet, Verdict, parse_settings, plan_batches, write_rule,
};
use serde_json::{Value, json};

use crate::support::{ids, read_only, registry, server, settings_after, tool_from};

/// Decides a call without arguments of a registered tool.
fn verdict(registry: &Registry, rules: &Rules, path: &str) -> Verdict {
    let snapshot = registry.snapshot();
    let tool = snapshot.resolve(path).exact().expect("the tool is registered");
    rules.decide(&tool.request(&Value::Null), Mode::Build).verdict
}

fn user(text: &str) -> RuleLayer {
    let (layer, problems) = parse_settings(Source::user("settings.json"), text);
    assert_eq!(problems, []);
    layer
}

#[test]
fn ids_are_sanitised_capped_and_never_collide() {
    let long = "x".repeat(300);
    let snapshot = registry([server("a", &["b__c", "with space", &long]), server("a__b", &["c"])]).snapshot();
    assert_eq!(snapshot.len(), 4);
    for tool in snapshot.tools() {
        assert!(tool.id.as_str().len() <= 64, "{}", tool.id);
        assert!(
            tool.id.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)),
            "{}",
            tool.id
        );
    }
}

#[test]
fn always_allow_writes_a_rule_that_matches_the_next_time() {
    for (server_name, tool_name) in
        [("github", "create_issue"), ("my.server", "files/read x"), ("a__b", "_c*(d)"), ("s", "")]
    {
        let registry = registry([server(server_name, &[tool_name])]);
        let snapshot = registry.snapshot();
        let tool = snapshot.tools().next().expect("there is a tool");
        let mut rules = Rules::default();
        let call = tool.request(&Value::Null);
        assert_eq!(rules.decide(&call, Mode::Build).verdict, Verdict::Ask);
        let rule = rules.answer(&call, Answer::Always).expect("always is written down");
        let settings = settings_after("", &write_rule(&rule).expect("the rule can be written"));
        let reloaded = Rules::new([user(&settings)]);
        assert_eq!(reloaded.decide(&call, Mode::Build).verdict, Verdict::Allow, "{settings}");
    }
}

#[test]
fn a_deny_rule_for_an_odd_name_is_not_dropped() {
    for (server_name, tool_name, rule) in [
        ("my.server", "x", "mcp__my.server__x"),
        ("fs", "files/read", "mcp__fs__files/read"),
        ("github", "get", "mcp__github__*"),
        ("github", "get", "mcp__*"),
        ("with space", "do it", "mcp__with space__do it"),
    ] {
        let registry = registry([server(server_name, &[tool_name])]);
        let rules = Rules::new([user(&json!({"permissions": {"deny": [rule]}}).to_string())]);
        let id = ToolName::new(NameStyle::default(), server_name, tool_name);
        assert_eq!(verdict(&registry, &rules, id.as_str()), Verdict::Deny, "{rule}");
    }
}

#[test]
fn a_deny_rule_with_a_pattern_fails_closed() {
    let registry = registry([server("github", &["get"])]);
    for rule in ["mcp__github(*)", "mcp__github(anything)", "mcp__github(", "mcp__github()"] {
        let text = json!({"permissions": {"deny": [rule]}}).to_string();
        let (layer, _) = parse_settings(Source::freecode("settings.json", Authority::Full), &text);
        assert_eq!(verdict(&registry, &Rules::new([layer]), "github.get"), Verdict::Deny, "{rule}");
    }
}

#[test]
fn a_servers_rule_does_not_reach_a_longer_name() {
    let registry = registry([server("a", &["x"]), server("a__b", &["y"])]);
    let layer = RuleLayer::new(Source::session()).with(Tier::Allow, "mcp__a").expect("a valid rule");
    let rules = Rules::new([layer]);
    assert_eq!(verdict(&registry, &rules, "a.x"), Verdict::Allow);
    assert_eq!(verdict(&registry, &rules, "a__b.y"), Verdict::Ask);
}

#[test]
fn disconnecting_a_server_leaves_one_with_a_longer_name() {
    let mut registry = registry([
        ServerTools::new("a", "sha256:1", vec![read_only("x")]).trusting_annotations(),
        ServerTools::new("a__b", "sha256:1", vec![read_only("y")]).trusting_annotations(),
    ]);
    let change = registry.remove_server("a");
    assert_eq!(ids(&change.removed), ["mcp__a__x"]);
    let snapshot = registry.snapshot();
    let left: Vec<_> = snapshot.tools().map(|tool| (&*tool.server, tool.effect)).collect();
    assert_eq!(left, [("a__b", Effect::ReadOnly)]);
}

#[test]
fn a_read_only_claim_covers_its_own_server_alone() {
    let registry = registry([
        ServerTools::new("GitHub", "sha256:1", vec![read_only("get")]).trusting_annotations(),
        server("github", &["get"]),
    ]);
    let rules = Rules::default();
    assert_eq!(verdict(&registry, &rules, "GitHub.get"), Verdict::Allow);
    assert_eq!(verdict(&registry, &rules, "github.get"), Verdict::Ask);
}

#[test]
fn a_later_server_of_the_same_name_inherits_nothing() {
    let mut registry = registry([ServerTools::new("demo", "sha256:1", vec![read_only("get")]).trusting_annotations()]);
    let mut rules = Rules::default();
    let snapshot = registry.snapshot();
    let tool = snapshot.resolve("get").exact().expect("the tool is registered");
    rules.answer(&tool.request(&Value::Null), Answer::Session);
    registry.remove_server("demo");
    registry.replace_server(ServerTools::new("demo", "sha256:evil", vec![read_only("get")]));
    assert_eq!(verdict(&registry, &rules, "demo.get"), Verdict::Ask);
}

#[test]
fn hints_of_an_untrusted_server_do_not_count() {
    let registry = registry([ServerTools::new("demo", "sha256:1", vec![read_only("wipe")])]);
    assert_eq!(verdict(&registry, &Rules::default(), "demo.wipe"), Verdict::Ask);
}

#[test]
fn a_tool_without_a_description_is_a_tool() {
    let registry = registry([ServerTools::new("demo", "1", vec![tool_from(&json!({"name": "a", "inputSchema": {}}))])]);
    let definitions: Value = serde_json::from_str(&registry.snapshot().definitions()).expect("definitions are JSON");
    assert_eq!(definitions, json!([{"name": "mcp__demo__a", "description": "", "input_schema": {}}]));
}

#[test]
fn an_unreadable_settings_file_is_not_taken_for_an_empty_one() {
    let registry = registry([ServerTools::new("fs", "1", vec![read_only("read")]).trusting_annotations()]);
    let (layer, problems) = parse_settings(Source::user("settings.json"), r#"{"permissions": {"deny": ["mcp__fs"]}"#);
    assert_eq!(problems.len(), 1);
    assert_eq!(verdict(&registry, &Rules::new([layer]), "fs.read"), Verdict::Ask);
}

#[test]
fn where_nobody_answers_a_question_is_a_refusal_with_a_reason() {
    let snapshot = registry([server("fs", &["write"])]).snapshot();
    let tool = snapshot.tools().next().expect("a tool");
    let decision = Rules::default().decide(&tool.request(&Value::Null), Mode::Unattended);
    assert_eq!(
        decision.to_string(),
        "deny: no rule speaks and the tool may change something, and mode unattended asks nobody"
    );
    assert_eq!(decision.remedies, [Remedy::Allow { rule: "mcp__fs__write".into() }]);
}

#[test]
fn a_mutating_tool_is_never_taken_for_one_that_may_run_beside_others() {
    let snapshot = registry([server("fs", &["write", "remove"])]).snapshot();
    assert_eq!(plan_batches(snapshot.tools().map(|tool| tool.effect)).len(), 2);
}

#[test]
fn a_built_in_tool_cannot_be_shadowed_by_a_server() {
    let mut registry = registry([server("fs", &["read_file"])]);
    registry.register_built_in(read_only("read_file"), Effect::ReadOnly).expect("an acceptable name");
    let layer = RuleLayer::new(Source::session()).with(Tier::Allow, "read_file").expect("a valid rule");
    let rules = Rules::new([layer]);
    assert_eq!(verdict(&registry, &rules, "read_file"), Verdict::Allow);
    assert_eq!(verdict(&registry, &rules, "fs.read_file"), Verdict::Ask, "the rule is about the host's tool");
}

#[test]
fn a_capability_profile_can_hold_servers_tools() {
    let snapshot = registry([server("fs", &["read"]), server("db", &["query"])]).snapshot();
    let profile = ToolSet::new("profile", ["mcp__fs"]).expect("a valid set");
    assert_eq!(ids(snapshot.view([&profile]).tools().map(|tool| &tool.id)), ["mcp__fs__read"]);
}

#[test]
fn a_tool_of_a_server_with_an_underscore_is_found_by_its_bare_name() {
    for style in [NameStyle::DoubleUnderscore, NameStyle::SingleUnderscore] {
        let mut registry = Registry::new(style);
        registry.replace_server(server("my_server", &["create_pr"]));
        let snapshot = registry.snapshot();
        assert_eq!(
            snapshot.resolve("create_pr").exact().map(mcp_registry::Registered::path),
            Some("my_server.create_pr".into())
        );
    }
}

#[test]
fn a_tools_error_is_no_success_and_its_images_are_no_text() {
    let result = json!({
        "content": [{"type": "text", "text": "disk full"}, {"type": "image", "data": "QUJD", "mimeType": "image/png"}],
        "structuredContent": {"free": 0}, "isError": true
    });
    let output = Output::from_call_result(&serde_json::value::to_raw_value(&result).expect("a literal serialises"));
    assert!(output.is_error);
    assert_eq!(output.for_model(), "disk full\n[image 1: image/png, 3 bytes]\n{\"free\":0}");
}
