use mcp_registry::{
    Answer, Authority, Because, Binding, Effect, Error, Mode, NameStyle, Origin, Remedy, Request, Rule, RuleFault,
    RuleLayer, Rules, Scope, Source, Standing, Tier, ToolName, Verdict, parse_settings,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{registry, server};

const NULL: &Value = &Value::Null;

fn request<'a>(server: &'a str, tool: &'a str) -> Request<'a> {
    Request {
        server,
        definition: "sha256:1",
        tool,
        effect: Effect::Mutating,
        arguments: NULL,
        standing: Standing::Approved,
        origin: Origin::Server,
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    for (text, expected) in [
        ("", RuleFault::Empty),
        ("   ", RuleFault::Empty),
        ("mcp__", RuleFault::NoServer),
        ("mcp____tool", RuleFault::NoServer),
        ("mcp__github__", RuleFault::NoTool),
        (r"mcp__github\", RuleFault::Escape),
        ("mcp__fs__write(path=a", RuleFault::Unclosed),
        ("mcp__fs__write(path=a)x", RuleFault::Unclosed),
        ("mcp__fs__write()", RuleFault::Arguments),
        ("mcp__fs__write(src)", RuleFault::Arguments),
        ("mcp__fs__write(=a)", RuleFault::Arguments),
        ("mcp__fs__write(path=)", RuleFault::Arguments),
        ("mcp__fs__write(path=a,)", RuleFault::Arguments),
        ("mcp__fs__write(path=[)", RuleFault::Glob),
        ("mcp__fs__delete_{all,one}", RuleFault::Wildcard),
        ("mcp__fs__get?", RuleFault::Wildcard),
        ("github/create_issue", RuleFault::NotAName),
        ("github.", RuleFault::NotAName),
        (".github", RuleFault::NotAName),
        ("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s", RuleFault::Ambiguous),
        ("!mcp__fs", RuleFault::NotAName),
        ("MCP__fs", RuleFault::NotAName),
        ("a b", RuleFault::NotAName),
        ("mcp__a__b__c__d__e__f__g__h__i__j__k__l__m__n__o__p__q__r__s", RuleFault::Ambiguous),
        (&format!("mcp__fs(path={})", "x".repeat(300)), RuleFault::TooLong),
        ("Bash(npm run *)", RuleFault::Arguments),
        (&"x".repeat(Rule::MAX_LENGTH + 1), RuleFault::TooLong),
    ] {
        let Err(Error::RuleSyntax { reason, .. }) = Rule::parse(text) else { panic!("`{text}` was read") };
        assert_eq!(reason, expected, "{text}");
    }
}

#[test]
fn an_id_in_a_rule_covers_its_tool_alone() {
    let id = ToolName::new(NameStyle::default(), "my.server", "x").to_string();
    let short = ToolName::new(NameStyle::SingleUnderscore, "my.server", "x").to_string();
    let imitation = id.strip_prefix("mcp__my_server__").expect("the remnant is readable");
    for id in [&id, &short] {
        let verdict = |tier, server, tool| {
            let layer = RuleLayer::new(Source::session()).with(tier, id).expect("an id is a rule");
            Rules::new([layer]).decide(&request(server, tool), Mode::Build).verdict
        };
        assert_eq!(verdict(Tier::Deny, "my.server", "x"), Verdict::Deny);
        assert_eq!(verdict(Tier::Allow, "my.server", "x"), Verdict::Allow);
        assert_eq!(verdict(Tier::Deny, "my.server", "y"), Verdict::Ask);
        assert_eq!(verdict(Tier::Allow, "my_server", imitation), Verdict::Ask, "a name made to look like an id");
    }
}

#[test]
fn a_decision_names_the_rule_and_its_place() {
    let (layer, problems) =
        parse_settings(Source::user("me.json"), r#"{"permissions": {"deny": ["mcp__db", "mcp__fs"]}}"#);
    assert_eq!(problems, []);
    let decision = Rules::new([layer]).decide(&request("fs", "write"), Mode::Build);
    assert_eq!(decision.to_string(), "deny: the deny rule `mcp__fs` (me.json:/permissions/deny/1) says so");
    let steps = [
        Remedy::Forget { rule: "mcp__fs".into(), scope: Scope::User },
        Remedy::Allow { rule: "mcp__fs__write".into() },
    ];
    assert_eq!(decision.remedies, steps);
}

#[test]
fn an_explanation_lists_every_rule_about_the_tool() {
    let text = r#"{"permissions": {
        "deny": ["mcp__fs__write(path=secrets/**)"],
        "ask": ["mcp__fs__read"],
        "allow": ["mcp__fs", "mcp__fs__*"],
        "definitions": {"mcp__fs": {"fs": "sha256:0"}}
    }}"#;
    let (layer, problems) = parse_settings(Source::user("me.json"), text);
    assert_eq!(problems, []);
    let arguments = json!({"path": "src/a"});
    let request = Request { arguments: &arguments, ..request("fs", "write") };
    let explained = Rules::new([layer]).explain(&request, Mode::Unattended);
    expect_test::expect![[r"
        fs.write in mode unattended: deny: the allow rule `mcp__fs` (me.json:/permissions/allow/0) was made for another definition of the server, and mode unattended asks nobody
          the deny rule `mcp__fs__write(path=secrets/**)` (me.json:/permissions/deny/0) is about other arguments
          the allow rule `mcp__fs` (me.json:/permissions/allow/0) was made for another definition of the server
          the allow rule `mcp__fs__*` (me.json:/permissions/allow/1) is bound to no definition of this server"]]
    .assert_eq(&explained.to_string());
    assert_eq!(explained.decision.remedies, [Remedy::Allow { rule: "mcp__fs__write".into() }]);
}

/// A person is told where a rule stands in words that the commands take.
#[test]
fn a_scope_is_named_as_in_commands() {
    for (scope, name) in
        [(Scope::Session, "session"), (Scope::Project, "project"), (Scope::User, "user"), (Scope::Foreign, "foreign")]
    {
        assert_eq!(scope.as_str(), name);
        let remedy = Remedy::Forget { rule: "mcp__fs".into(), scope };
        assert_eq!(remedy.to_string(), format!("forget the rule `mcp__fs` of the {name}"));
    }
}

#[test]
fn a_rule_of_another_program_has_no_remedy() {
    let layer = RuleLayer::new(Source::freecode("settings.json", Authority::Full));
    let rules = Rules::new([layer.with(Tier::Deny, "mcp__fs").expect("a valid rule")]);
    assert_eq!(rules.decide(&request("fs", "write"), Mode::Build).remedies, []);
}

#[test]
fn a_grant_for_once_holds_for_one_call() {
    let layer = RuleLayer::new(Source::session()).with(Tier::Ask, "mcp__fs").expect("a valid rule");
    let mut rules = Rules::new([layer]);
    let (granted, other) = (json!({"path": "a", "mode": 1}), json!({"path": "b", "mode": 1}));
    let reordered = json!({"mode": 1, "path": "a"});
    let call = |arguments| Request { arguments, ..request("fs", "write") };
    let question = rules.decide(&call(&granted), Mode::Build);
    assert_eq!(question.answers(), [Answer::Deny, Answer::Once], "an ask rule asks every time");
    assert_eq!(rules.answer(&call(&granted), Answer::Once), None);
    assert_eq!(rules.decide(&call(&reordered), Mode::Build).because, Because::Once);
    assert_eq!(rules.decide(&call(&other), Mode::Build).verdict, Verdict::Ask);
    let redefined = Request { definition: "sha256:2", ..call(&granted) };
    assert_eq!(rules.decide(&redefined, Mode::Build).verdict, Verdict::Ask);
    assert!(rules.spend_grant(&call(&granted)));
    assert!(!rules.spend_grant(&call(&granted)));
    assert_eq!(rules.decide(&call(&granted), Mode::Build).verdict, Verdict::Ask);
}

#[test]
fn a_session_grant_holds_for_the_definition_it_was_given_for() {
    let mut rules = Rules::default();
    let call = request("fs", "write");
    assert_eq!(rules.answer(&call, Answer::Deny), None);
    assert_eq!(rules.decide(&call, Mode::Build).verdict, Verdict::Ask);
    assert_eq!(rules.answer(&call, Answer::Session), None);
    assert_eq!(rules.decide(&call, Mode::Unattended).verdict, Verdict::Allow);
    assert_eq!(rules.decide(&request("fs", "remove"), Mode::Build).verdict, Verdict::Ask);
    let redefined = Request { definition: "sha256:2", ..call };
    assert_eq!(rules.decide(&redefined, Mode::Build).verdict, Verdict::Ask);
    rules.answer(&redefined, Answer::Session);
    assert_eq!(rules.decide(&redefined, Mode::Build).verdict, Verdict::Allow);
    assert_eq!(rules.decide(&call, Mode::Build).verdict, Verdict::Allow, "the first grant still stands");
}

#[test]
fn a_rule_bound_to_one_server_says_nothing_of_another_even_where_binding_is_not_needed() {
    let binding = Binding { server: "db".to_owned(), definition: "sha256:1".to_owned() };
    let layer = RuleLayer::new(Source::session()).with_allowed("mcp__*", binding).expect("a valid rule");
    let rules = Rules::new([layer]);
    assert_eq!(rules.decide(&request("db", "write"), Mode::Build).verdict, Verdict::Allow);
    assert_eq!(rules.decide(&request("fs", "write"), Mode::Build).verdict, Verdict::Ask);
}

#[test]
fn a_tool_that_is_denied_in_any_case_is_hidden() {
    let layer = RuleLayer::new(Source::session())
        .with(Tier::Deny, "mcp__fs__remove")
        .and_then(|layer| layer.with(Tier::Deny, "mcp__fs__write(path=/etc/**)"))
        .expect("valid rules");
    let rules = Rules::new([layer]);
    assert!(rules.hides(&request("fs", "remove")));
    assert!(!rules.hides(&request("fs", "write")), "some arguments are allowed");
    assert!(rules.hides(&Request { standing: Standing::Held, ..request("fs", "write") }));
    for tier in [Tier::Allow, Tier::Ask] {
        let layer = RuleLayer::new(Source::session());
        let layer = match tier {
            Tier::Allow => {
                let binding = Binding { server: "fs".to_owned(), definition: "sha256:1".to_owned() };
                layer.with_allowed("mcp__fs__read", binding)
            }
            _ => layer.with(tier, "mcp__fs__read"),
        };
        assert!(!Rules::new([layer.expect("a valid rule")]).hides(&request("fs", "read")), "{tier:?}");
    }
}

#[test]
fn a_lasting_answer_is_offered_only_where_it_will_be_heard() {
    let project = |authority| RuleLayer::new(Source::project("project.json", authority));
    let offered = |rules: Rules, request: &Request<'_>| rules.decide(request, Mode::Build).answers().to_vec();
    let call = request("fs", "write");
    let all = [Answer::Deny, Answer::Once, Answer::Session, Answer::Project, Answer::Always];
    assert_eq!(offered(Rules::default(), &call), all);
    assert_eq!(offered(Rules::new([project(Authority::Full)]), &call), all);
    let without_project = [Answer::Deny, Answer::Once, Answer::Session, Answer::Always];
    assert_eq!(offered(Rules::new([project(Authority::Tighten)]), &call), without_project);
    let changed = Request { standing: Standing::AskAgain, ..call };
    assert_eq!(offered(Rules::default(), &changed), [Answer::Deny, Answer::Once]);
    assert_eq!(offered(Rules::default(), &Request { effect: Effect::ReadOnly, ..call }), []);
}

#[test]
fn all_rules_can_be_listed() {
    let text = r#"{"permissions": {
        "allow": ["mcp__fs__*"], "deny": ["mcp__githug", 7], "ask": ["mcp__my.server__x"],
        "definitions": {"mcp__fs__*": {"fs": "sha256:1"}}
    }}"#;
    let (layer, _) = parse_settings(Source::user("me.json"), text);
    let rules = Rules::new([layer]);
    let listed: Vec<String> = rules.list().map(|listed| format!("{} {:?}", listed.rule, listed.fault)).collect();
    expect_test::expect![[r"
        the deny rule `mcp__githug` (me.json:/permissions/deny/0) None
        the deny rule `7` (me.json:/permissions/deny/1) Some(NotAString)
        the ask rule `mcp__my.server__x` (me.json:/permissions/ask/0) None
        the allow rule `mcp__fs__*` (me.json:/permissions/allow/0) None"]]
    .assert_eq(&listed.join("\n"));
    assert_eq!(rules.list().last().map(|listed| listed.bindings.len()), Some(1));
}

#[test]
fn a_rule_says_which_definitions_it_is_to_be_bound_to() {
    let snapshot = registry([server("fs", &["a", "b"]), server("db", &["a"]), server("a.b", &[""])]).snapshot();
    let odd = ToolName::new(NameStyle::default(), "a.b", "").to_string();
    for (rule, bound, concerned) in [
        ("mcp__fs", vec!["fs"], vec!["fs"]),
        ("mcp__*__a", vec!["db", "fs"], vec!["a.b", "db", "fs"]),
        ("mcp__fs__c", vec![], vec!["fs"]),
        ("read_file", vec![], vec![]),
        (odd.as_str(), vec!["a.b"], vec!["a.b", "db", "fs"]),
    ] {
        let rule = Rule::parse(rule).expect("a valid rule");
        let bindings = rule.bindings(&snapshot);
        assert_eq!(bindings.iter().map(|binding| binding.server.as_str()).collect::<Vec<_>>(), bound, "{rule:?}");
        assert_eq!(snapshot.servers().filter(|server| rule.may_concern(server)).collect::<Vec<_>>(), concerned);
    }
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![".{1,12}", "[a-z_.*\\\\()]{1,8}", "[a_]{1,5}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_rule_made_for_a_tool_covers_that_tool_alone(
        server in any_name(), tool in any_name(), other_server in any_name(), other_tool in any_name(),
    ) {
        for tier in [Tier::Deny, Tier::Allow] {
            let layer = RuleLayer::new(Source::session()).with(tier, &Rule::for_tool(&server, &tool));
            let rules = Rules::new([layer.expect("what is made for a tool can be read")]);
            let covers = |server: &str, tool: &str| rules.decide(&request(server, tool), Mode::Build).verdict != Verdict::Ask;
            prop_assert!(covers(&server, &tool));
            let same = (&server, &tool) == (&other_server, &other_tool);
            prop_assert_eq!(covers(&other_server, &other_tool), same);
            prop_assert_eq!(covers(&server, &other_tool), tool == other_tool);
            prop_assert_eq!(covers(&other_server, &tool), server == other_server);
        }
    }

    #[test]
    fn a_rule_made_for_a_server_covers_that_server_alone(
        server in prop_oneof![any_name(), "[a-z]{0,2}_[0-9a-f]{16}"], tool in any_name(), other in any_name(),
    ) {
        let rule = Rule::for_server(&server).expect("the name is neither empty nor long");
        for tier in [Tier::Deny, Tier::Allow] {
            let layer = RuleLayer::new(Source::session()).with(tier, &rule);
            let rules = Rules::new([layer.expect("what is made for a server can be read")]);
            let covers = |server: &str| rules.decide(&request(server, &tool), Mode::Build).verdict != Verdict::Ask;
            prop_assert!(covers(&server), "{rule}");
            prop_assert_eq!(covers(&other), server == other);
        }
        prop_assert_eq!(Rule::for_server(""), None);
    }

    #[test]
    fn deny_always_wins(
        server in any_name(), tool in any_name(), definition in "[ab]", mode in prop::sample::select(Mode::ALL.to_vec()),
        read_only in any::<bool>(), whole_server in any::<bool>(),
        others in prop::collection::vec((prop::sample::select(Tier::ALL.to_vec()), prop::sample::select(vec!["*", "mcp__*"])), 0..6),
        position in 0_usize..6,
    ) {
        let whole = Rule::for_server(&server).filter(|_| whole_server);
        let rule = whole.unwrap_or_else(|| Rule::for_tool(&server, &tool));
        let mut layers: Vec<RuleLayer> = others
            .iter()
            .enumerate()
            .map(|(number, (tier, rule))| {
                let source = Source { name: number.to_string(), ..Source::session() };
                RuleLayer::new(source).with(*tier, rule).expect("a valid rule")
            })
            .collect();
        let deny = RuleLayer::new(Source::user("deny")).with(Tier::Deny, &rule).expect("a valid rule");
        layers.insert(position.min(layers.len()), deny);
        let mut rules = Rules::new(layers);
        let binding = Binding { server: server.clone(), definition: definition.clone() };
        rules.replace_layer(RuleLayer::new(Source::user("allow")).with_allowed(&rule, binding).expect("a valid rule"));
        let effect = if read_only { Effect::ReadOnly } else { Effect::Mutating };
        let call = Request { definition: &definition, effect, ..request(&server, &tool) };
        for answer in [Answer::Once, Answer::Session, Answer::Always] {
            rules.answer(&call, answer);
        }
        prop_assert_eq!(rules.decide(&call, mode).verdict, Verdict::Deny);
    }

    #[test]
    fn many_rules_say_what_the_strongest_of_them_says_alone(
        written in prop::collection::vec(
            (prop::sample::select(Tier::ALL.to_vec()), "(mcp__|MCP__|mcp_)?(a|b|\\*|A)(_|__|\\.)?(a|b|\\*)?(_|__|\\.)?(a|b|\\*)?"), 0..12,
        ),
        server in "[abA_.]{1,4}", tool in "[abA_.]{1,4}", ignoring_case in any::<bool>(),
    ) {
        let source = if ignoring_case { Source::freecode("f", Authority::Full) } else { Source::session() };
        let text = |rules: &[(Tier, String)]| {
            let list = |tier: Tier| -> Vec<&str> {
                rules.iter().filter(|(known, _)| *known == tier).map(|(_, rule)| rule.as_str()).collect()
            };
            json!({"permissions": {"deny": list(Tier::Deny), "ask": list(Tier::Ask), "allow": list(Tier::Allow)}}).to_string()
        };
        let speaks = |rules: &[(Tier, String)]| {
            let rules = Rules::new([parse_settings(source.clone(), &text(rules)).0]);
            match rules.decide(&request(&server, &tool), Mode::Build).because {
                Because::Rule(rule) | Because::Unreadable(rule, _) => Some(rule.tier),
                _ => None,
            }
        };
        let strongest = written.iter().filter_map(|rule| speaks(std::slice::from_ref(rule))).min();
        prop_assert_eq!(speaks(&written), strongest);
    }

    #[test]
    fn no_text_panics(text in ".{0,60}", server in any_name(), tool in any_name(), list in any::<bool>()) {
        let settings = if list { format!("{{\"permissions\":{{\"deny\":[{text:?}]}}}}") } else { text.clone() };
        let (layer, _) = parse_settings(Source::user("me.json"), &settings);
        let decision = Rules::new([layer]).decide(&request(&server, &tool), Mode::Build);
        prop_assert!(decision.verdict != Verdict::Allow);
        let _parsed = Rule::parse(&text);
    }
}

#[test]
fn a_rule_that_names_a_hashed_id_is_about_its_tool() {
    let (server, tool) = ("s".repeat(60), "t".repeat(60));
    let id = ToolName::new(NameStyle::default(), &server, &tool).to_string();
    let binding = Binding { server: server.clone(), definition: "sha256:1".to_owned() };
    let layer = RuleLayer::new(Source::session()).with_allowed(&id, binding).expect("a valid rule");
    let rules = Rules::new([layer]);
    assert_eq!(rules.layers().len(), 1);
    assert_eq!(rules.decide(&request(&server, &tool), Mode::Build).verdict, Verdict::Allow);
    assert_eq!(rules.decide(&request(&server, "other"), Mode::Build).verdict, Verdict::Ask);
    let denying = Rules::new([RuleLayer::new(Source::session()).with(Tier::Deny, &id).expect("a valid rule")]);
    assert_eq!(denying.decide(&request(&server, &tool), Mode::Build).verdict, Verdict::Deny);
}

#[test]
fn a_pattern_of_the_greatest_length_is_read() {
    let rule = |length: usize| Rule::parse(&format!("mcp__fs__write(path={})", "x".repeat(length)));
    let longest = (1..300).rev().find(|length| rule(*length).is_ok());
    assert_eq!(longest, Some(256));
}

#[test]
fn rules_are_equal_when_they_are_written_alike() {
    let rule = |text: &str| Rule::parse(text).expect("a valid rule");
    assert_eq!(rule("mcp__fs__write"), rule("mcp__fs__write"));
    assert_ne!(rule("mcp__fs__write"), rule("mcp__fs__read"));
}

#[test]
fn whether_a_rule_asks_is_told_from_a_question_without_one() {
    let asking = Rules::new([RuleLayer::new(Source::session()).with(Tier::Ask, "mcp__fs__read").expect("valid")]);
    let decided = |rules: &Rules, tool| rules.decide(&request("fs", tool), Mode::Build);
    assert!(decided(&asking, "read").asks_by_rule());
    assert!(!decided(&asking, "write").asks_by_rule(), "no rule speaks");
    let denying = Rules::new([RuleLayer::new(Source::session()).with(Tier::Deny, "mcp__fs__read").expect("valid")]);
    assert!(!decided(&denying, "read").asks_by_rule(), "it does not ask");
    let (unreadable, _) = parse_settings(Source::user("me.json"), r#"{"permissions": {"ask": ["mcp__fs(("]}}"#);
    assert!(decided(&Rules::new([unreadable]), "read").asks_by_rule(), "in doubt it does");
}

#[test]
fn an_explanation_says_how_to_refuse_what_is_not_refused() {
    let explain = |rules: &Rules| rules.explain(&request("fs", "write"), Mode::Build).refusal;
    assert!(explain(&Rules::default()).is_some());
    let denying = Rules::new([RuleLayer::new(Source::session()).with(Tier::Deny, "mcp__fs").expect("valid")]);
    assert_eq!(explain(&denying), None);
}

#[test]
fn a_withheld_rule_keeps_its_source_and_every_other_stays() {
    let document = json!({"permissions": {"allow": ["mcp__a", "mcp__b"], "deny": ["mcp__c"], "ask": ["mcp__d"]}});
    let (layer, _) = parse_settings(Source::project("p.json", Authority::Full), &document.to_string());
    let (kept, rest) = layer.withholding(|rule| rule == "mcp__a");
    let rules = |layer: &RuleLayer| {
        layer.rules().map(|(tier, rule, _)| format!("{} {}", tier.as_str(), rule.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(rules(&kept), ["deny mcp__c", "ask mcp__d", "allow mcp__a"]);
    assert_eq!(rules(&rest), ["allow mcp__b"]);
    assert_eq!((kept.source().name.as_str(), kept.source().authority), ("p.json", Authority::Full));
    assert_eq!((rest.source().name.as_str(), rest.source().authority), ("p.json", Authority::Tighten));
    assert_eq!(rest.source().scope, Scope::Project);
    assert_eq!(rest.source().unbound, Source::project("", Authority::Full).unbound);
    assert_ne!(rest.source().unbound, Source::session().unbound);
}

#[test]
fn a_rule_of_the_greatest_length_is_read() {
    let rule = |length: usize| Rule::parse(&"x".repeat(length));
    assert!(rule(Rule::MAX_LENGTH).is_ok());
    assert!(rule(Rule::MAX_LENGTH + 1).is_err());
    // Of a name with dots every split is a reading, and so is every split at two lines.
    let readings = |dots: usize, lines: usize| format!("{}a{}", "a.".repeat(dots), "__b".repeat(lines));
    let most = (1..40).rev().find(|dots| Rule::parse(&readings(*dots, 0)).is_ok()).expect("some");
    assert!(Rule::parse(&readings(most - 2, 2)).is_ok());
    assert!(Rule::parse(&readings(most - 2, 3)).is_err());
    assert!(Rule::parse(&readings(0, 16)).is_ok());
    assert!(Rule::parse(&readings(0, 17)).is_err());
}

#[test]
fn a_remedy_is_said_in_words() {
    let (fs, rule) = ("fs".into(), "mcp__fs__write".into());
    assert_eq!(Remedy::Approve { server: fs }.to_string(), "approve the tools of `fs`");
    assert_eq!(Remedy::Deny { rule }.to_string(), "deny `mcp__fs__write`");
    assert_eq!(Remedy::Allow { rule: "x".into() }.to_string(), "allow `x`");
    let forget = Remedy::Forget { rule: "x".into(), scope: Scope::Project };
    assert!(forget.to_string().starts_with("forget the rule `x` of the "), "{forget}");
}

#[test]
fn a_rule_that_stands_in_no_file_is_not_to_be_forgotten_in_one() {
    let layer = RuleLayer::new(Source::user("me.json")).with(Tier::Deny, "mcp__fs__write").expect("a valid rule");
    assert_eq!(Rules::new([layer]).decide(&request("fs", "write"), Mode::Build).remedies, []);
}
