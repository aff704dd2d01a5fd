use mcp_registry::{
    Authority, Binding, Effect, Error, Mode, Origin, Request, Rules, Scope, SettingsRule, Source, Standing, Tier,
    Verdict, forget_rule, parse_settings, write_rule,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{ids, settings_after};

fn verdict(settings: &str, server: &str, tool: &str, effect: Effect) -> Verdict {
    let (layer, _) = parse_settings(Source::user("me.json"), settings);
    let request = Request {
        server,
        definition: "sha256:1",
        tool,
        effect,
        arguments: &Value::Null,
        standing: Standing::Approved,
        origin: Origin::Server,
    };
    Rules::new([layer]).decide(&request, Mode::Build).verdict
}

#[test]
fn what_cannot_be_read_is_reported_with_its_place_and_fails_closed() {
    let read = Effect::ReadOnly;
    for (settings, place, fs, db) in [
        // A readable name with an unreadable condition covers the tool, whatever the arguments.
        (
            r#"{"permissions":{"deny":["mcp__fs__read(("]}}"#,
            "me.json:/permissions/deny/0",
            Verdict::Deny,
            Verdict::Allow,
        ),
        (r#"{"permissions":{"deny":["mcp__fs__"]}}"#, "me.json:/permissions/deny/0", Verdict::Deny, Verdict::Allow),
        (r#"{"permissions":{"ask":["x", "mcp__fs(a)"]}}"#, "me.json:/permissions/ask/1", Verdict::Ask, Verdict::Allow),
        // An unreadable name covers everything.
        (r#"{"permissions":{"deny":[7]}}"#, "me.json:/permissions/deny/0", Verdict::Deny, Verdict::Deny),
        (r#"{"permissions":{"deny":["mcp__\\"]}}"#, "me.json:/permissions/deny/0", Verdict::Deny, Verdict::Deny),
        (r#"{"permissions":{"deny":"mcp__fs"}}"#, "me.json:/permissions/deny", Verdict::Deny, Verdict::Deny),
        (r#"{"permissions":{"ask":{}}}"#, "me.json:/permissions/ask", Verdict::Ask, Verdict::Ask),
        (r#"{"permissions":[]}"#, "me.json:/permissions", Verdict::Ask, Verdict::Ask),
        ("{ not json", "me.json:", Verdict::Ask, Verdict::Ask),
        ("[]", "me.json:", Verdict::Ask, Verdict::Ask),
        // What would allow allows nothing.
        (r#"{"permissions":{"allow":["mcp__fs(("]}}"#, "me.json:/permissions/allow/0", Verdict::Allow, Verdict::Allow),
    ] {
        let (_, problems) = parse_settings(Source::user("me.json"), settings);
        assert_eq!(problems.iter().map(|problem| problem.place.as_str()).collect::<Vec<_>>(), [place], "{settings}");
        assert_eq!(
            (verdict(settings, "fs", "read", read), verdict(settings, "db", "read", read)),
            (fs, db),
            "{settings}"
        );
    }
    let settings = r#"{"permissions":{"allow":["mcp__fs", 7], "definitions": []}}"#;
    assert_eq!(verdict(settings, "fs", "write", Effect::Mutating), Verdict::Ask);
}

/// Which definitions they were made for matters to rules that allow, and to no other.
#[test]
fn allow_rules_are_reported_where_nobody_can_read_which_definitions_they_are_for() {
    for (definitions, expected) in [(json!({}), &[][..]), (json!([]), &["/permissions/allow/0"])] {
        let text = json!({"permissions": {
            "deny": ["mcp__a"], "ask": ["mcp__b"], "allow": ["mcp__fs"], "definitions": definitions,
        }});
        let (_, problems) = parse_settings(Source::user(""), &text.to_string());
        let places: Vec<_> = problems.iter().map(|problem| problem.place.trim_start_matches(':')).collect();
        assert_eq!(places, expected, "{definitions}");
    }
}

#[test]
fn a_document_with_too_many_rules_fails_closed() {
    let rules: Vec<String> = (0..6_000).map(|number| format!("mcp__s{number}")).collect();
    let conditions: Vec<String> = (0..1_500).map(|number| format!("mcp__s{number}(a=b)")).collect();
    for (list, last) in [(rules, 5_000), (conditions, 1_000)] {
        let text = json!({"permissions": {"deny": list}}).to_string();
        let (layer, problems) = parse_settings(Source::user("me.json"), &text);
        assert_eq!(layer.rules().len(), last + 1);
        let places = problems.iter().map(|problem| problem.place.clone()).collect::<Vec<_>>();
        assert_eq!(places, [format!("me.json:/permissions/deny/{last}")]);
        assert_eq!(verdict(&text, "other", "read", Effect::ReadOnly), Verdict::Deny);
    }
}

#[test]
fn a_message_says_what_was_expected_and_what_follows() {
    let (_, problems) = parse_settings(Source::user("me.json"), r#"{"permissions":{"deny":["mcp__fs__"]}}"#);
    assert_eq!(
        ids(&problems),
        ["me.json:/permissions/deny/0: the deny rule `mcp__fs__` cannot be read: it ends in `__`: a whole server is \
             written `mcp__server`, one tool `mcp__server__tool`; until it is mended, all it may mean is denied"]
    );
}

#[test]
fn documents_without_rules_hold_none() {
    for settings in ["", "  \n", "{}", "null_", r#"{"permissions":null}"#, r#"{"permissions":{}}"#, "\u{feff}{}"] {
        let (layer, problems) = parse_settings(Source::user("me.json"), settings);
        let expected = usize::from(settings == "null_");
        assert_eq!((layer.rules().len(), problems.len()), (expected, expected), "{settings}");
    }
}

#[test]
fn a_member_that_stands_twice_loses_no_rule() {
    let settings = r#"{"permissions":{"deny":["mcp__fs"],"deny":["mcp__x"]},"permissions":{"deny":[]}}"#;
    assert_eq!(verdict(settings, "fs", "read", Effect::ReadOnly), Verdict::Deny);
}

/// `FreeCode`'s patterns for its own tools are its business; a rule of ours that cannot be read is ours.
#[test]
fn what_cannot_be_read_is_reported_unless_it_is_about_another_programs_tools() {
    let text = r#"{"permissions": {"deny": ["Bash(npm run *)", "mcp__fs((", "write(("]}}"#;
    let problems =
        |source| parse_settings(source, text).1.iter().map(|problem| problem.place.clone()).collect::<Vec<_>>();
    assert_eq!(problems(Source::freecode("s.json", Authority::Full)), ["s.json:/permissions/deny/1"]);
    let all = ["s.json:/permissions/deny/0", "s.json:/permissions/deny/1", "s.json:/permissions/deny/2"];
    assert_eq!(problems(Source::user("s.json")), all);
}

#[test]
fn a_bare_name_is_any_tools_in_our_settings_and_the_hosts_own_in_another_programs() {
    let text = r#"{"permissions": {"deny": ["write_file"]}}"#;
    assert_eq!(verdict(text, "fs", "write_file", Effect::ReadOnly), Verdict::Deny);
    let (layer, _) = parse_settings(Source::freecode("s.json", Authority::Full), text);
    let request = Request {
        server: "fs",
        definition: "sha256:1",
        tool: "write_file",
        effect: Effect::ReadOnly,
        arguments: &Value::Null,
        standing: Standing::Approved,
        origin: Origin::Server,
    };
    assert_eq!(Rules::new([layer]).decide(&request, Mode::Build).verdict, Verdict::Allow);
}

#[test]
fn freecodes_settings_are_read_as_they_are() {
    let text =
        r#"{"permissions":{"allow":["mcp__fs","Read"],"ask":["Bash"],"deny":["mcp__my.server__x","mcp__git(*)"]}}"#;
    let (layer, problems) = parse_settings(Source::freecode("settings.json", Authority::Full), text);
    assert_eq!(problems, []);
    let rules: Vec<_> = layer.rules().map(|(tier, rule, place)| (tier, rule.as_str(), place)).collect();
    assert_eq!(
        rules,
        [
            (Tier::Deny, "mcp__my.server__x", "/permissions/deny/0"),
            (Tier::Deny, "mcp__git(*)", "/permissions/deny/1"),
            (Tier::Ask, "Bash", "/permissions/ask/0"),
            (Tier::Allow, "mcp__fs", "/permissions/allow/0"),
            (Tier::Allow, "Read", "/permissions/allow/1"),
        ]
    );
}

fn allow(rule: &str, definition: &str) -> SettingsRule {
    let binding = Binding { server: "fs".to_owned(), definition: definition.to_owned() };
    SettingsRule { scope: Scope::User, tier: Tier::Allow, rule: rule.to_owned(), binding: Some(binding) }
}

fn plain(tier: Tier, rule: &str) -> SettingsRule {
    SettingsRule { scope: Scope::User, tier, rule: rule.to_owned(), binding: None }
}

fn written(text: &str, rule: &SettingsRule) -> String {
    settings_after(text, &write_rule(rule).expect("the rule can be written"))
}

#[test]
fn a_rule_stands_in_one_list() {
    let mut text = String::new();
    for tier in [Tier::Deny, Tier::Ask, Tier::Allow, Tier::Deny, Tier::Deny] {
        text = written(&text, &plain(tier, "mcp__fs"));
        let (layer, problems) = parse_settings(Source::user("me.json"), &text);
        assert_eq!(problems, []);
        assert_eq!(layer.rules().map(|(tier, rule, _)| (tier, rule.as_str())).collect::<Vec<_>>(), [(tier, "mcp__fs")]);
    }
    let bound = written(&text, &allow("mcp__fs", "sha256:1"));
    let denied = written(&bound, &plain(Tier::Deny, "mcp__fs"));
    assert!(!denied.contains("sha256:1"), "a binding outlives its rule: {denied}");
}

#[test]
fn a_rule_can_be_forgotten_even_if_nobody_can_read_it() {
    let text = r#"{"permissions": {"deny": ["mcp__a", 7, "mcp__((", {"x": 1}], "ask": "all"}}"#;
    let mut now = text.to_owned();
    for rule in ["mcp__a", "7", "mcp__((", r#"{"x": 1}"#, "\"all\""] {
        now = settings_after(&now, &forget_rule(rule));
    }
    let value: Value = serde_json::from_str(&now).expect("the document stays JSON");
    assert_eq!(value, json!({"permissions": {"deny": [], "definitions": {}}}));
}

#[test]
fn a_rule_that_would_not_be_read_back_is_not_written() {
    let error = write_rule(&plain(Tier::Deny, "mcp__fs__")).expect_err("it would not be read back");
    assert!(matches!(error, Error::RuleSyntax { .. }), "{error}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let name = prop_oneof![
            "[a-z]{1,3}",
            Just("permissions".to_owned()),
            Just("deny".to_owned()),
            Just("allow".to_owned())
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..4).prop_map(Value::from_iter),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_document_panics(document in any_json(), permissions in any_json()) {
        for text in [document.to_string(), json!({"permissions": permissions}).to_string()] {
            let (layer, _) = parse_settings(Source::user("me.json"), &text);
            let _rules = Rules::new([layer]);
        }
    }
}
