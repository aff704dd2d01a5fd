//! What a person means by a name, and rules that mean nothing.

use mcp_registry::{
    Aim, Authority, Effect, Error, Known, Mode, NameStyle, Origin, Registry, Request, Rule, RuleLayer, Rules, Source,
    Standing, Tier, ToolName, Verdict, parse_settings,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{read_only, registry, server};

/// Two servers whose tools are known, with one tool in common, and two that were never connected.
fn known() -> Known {
    let mut known = Known::default();
    known.add_tools("fs", ["read_file", "write_file", "files/x"]);
    known.add_tools("my.server", ["write_file", "x"]);
    known.add_server("web");
    known.add_server("My Server");
    known
}

/// What is meant: the rule, `nothing` with the nearest, or `any of` several.
fn meant(tier: Tier, text: &str) -> String {
    match Rule::meant(text, tier, &known()) {
        Ok(rule) => rule.as_str().to_owned(),
        Err(Error::RuleAboutNothing { nearest, .. }) => format!("nothing; {}", nearest.join(" ")),
        Err(Error::RuleAmbiguous { candidates, .. }) => format!("any of {}", candidates.join(" ")),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_name_means_what_a_person_means_by_it() {
    #[rustfmt::skip]
    let table = [
        // A server.
        ("web", "mcp__web", "mcp__web"),
        ("my.server", "mcp__my.server", "mcp__my.server"),
        ("My Server", "mcp__My Server", "mcp__My Server"),
        (" web ", "mcp__web", "mcp__web"),
        ("we*", "mcp__we*", "mcp__we*"),
        // A tool of a server.
        ("fs.write_file", "mcp__fs__write_file", "mcp__fs__write_file"),
        ("fs__write_file", "mcp__fs__write_file", "mcp__fs__write_file"),
        ("fs write_file", "mcp__fs__write_file", "mcp__fs__write_file"),
        ("fs/write_file", "mcp__fs__write_file", "mcp__fs__write_file"),
        ("fs.files/x", "mcp__fs__files/x", "mcp__fs__files/x"),
        ("my.server.x", "mcp__my.server__x", "mcp__my.server__x"),
        ("web.echo", "mcp__web__echo", "mcp__web__echo"),
        ("fs.write_*", "mcp__fs__write_*", "mcp__fs__write_*"),
        ("web.get_*", "mcp__web__get_*", "mcp__web__get_*"),
        ("fs.write_file(path=/etc/**)", "mcp__fs__write_file(path=/etc/**)", "mcp__fs__write_file(path=/etc/**)"),
        // A tool of whichever server has it.
        ("read_file", "mcp__*__read_file", "mcp__fs__read_file"),
        ("write_file", "mcp__*__write_file", "any of mcp__fs__write_file mcp__my.server__write_file"),
        ("write_*(path=/etc/**)", "mcp__*__write_*(path=/etc/**)", "any of mcp__fs__write_*(path=/etc/**) mcp__my.server__write_*(path=/etc/**)"),
        ("read_*", "mcp__*__read_*", "mcp__fs__read_*"),
        ("files/x", "mcp__*__files/x", "mcp__fs__files/x"),
        // As it is written in a file.
        ("mcp__web", "mcp__web", "mcp__web"),
        ("mcp__fs__write_file", "mcp__fs__write_file", "mcp__fs__write_file"),
        ("mcp__web__echo", "mcp__web__echo", "mcp__web__echo"),
        ("mcp__fs__*", "mcp__fs__*", "mcp__fs__*"),
        ("mcp__fs_*", "mcp__fs_*", "nothing; mcp__fs"),
        ("mcp__web_*", "mcp__web_*", "nothing; mcp__web"),
        ("mcp_fs_write_file", "mcp_fs_write_file", "mcp_fs_write_file"),
        ("mcp__*", "mcp__*", "mcp__*"),
        ("mcp__*__delete_*", "mcp__*__delete_*", "mcp__*__delete_*"),
        ("*", "*", "*"),
        // What is there under no such name.
        ("wbe", "nothing; mcp__web", "nothing; mcp__web"),
        ("fs.wriet_file", "nothing; mcp__fs__write_file mcp__fs__read_file mcp__my.server__write_file", "nothing; mcp__fs__write_file mcp__fs__read_file mcp__my.server__write_file"),
        ("mcp__fs__wriet_file", "nothing; mcp__fs__write_file mcp__fs__read_file mcp__my.server__write_file", "nothing; mcp__fs__write_file mcp__fs__read_file mcp__my.server__write_file"),
        ("mcp__fs__writ_*x", "nothing; mcp__fs__write_file", "nothing; mcp__fs__write_file"),
        ("MCP__web", "nothing; mcp__web", "nothing; mcp__web"),
        ("mcp__wbe", "nothing; mcp__web", "nothing; mcp__web"),
        ("mcp__wbe_*", "nothing; mcp__web", "nothing; mcp__web"),
        ("mcp__web_c*", "nothing; mcp__web", "nothing; mcp__web"),
        ("elsewhere", "nothing; ", "nothing; "),
        ("mcp__elsewhere__delete", "nothing; ", "nothing; "),
        // What cannot be read says so.
        ("get?", "the rule `get?` cannot be read: only `*` is a wildcard in names: write a rule for each name, or a backslash before ? [ ] { }", "the rule `get?` cannot be read: only `*` is a wildcard in names: write a rule for each name, or a backslash before ? [ ] { }"),
        ("fs(path", "the rule `fs(path` cannot be read: its `(` has no `)` at the end", "the rule `fs(path` cannot be read: its `(` has no `)` at the end"),
    ];
    for (text, denied, allowed) in table {
        assert_eq!(meant(Tier::Deny, text), denied, "deny {text}");
        assert_eq!(meant(Tier::Ask, text), denied, "ask {text}");
        assert_eq!(meant(Tier::Allow, text), allowed, "allow {text}");
    }
}

#[test]
fn a_name_of_several_things_denies_them_all_and_allows_none() {
    let mut known = Known::default();
    known.add_tools("web", ["echo", "fs"]);
    known.add_tools("fs", ["echo"]);
    known.add_tools("web__echo", ["x"]);
    let meant = |tier, text: &str| Rule::meant(text, tier, &known);
    for (text, candidates) in [
        ("fs", vec!["mcp__fs", "mcp__web__fs"]),
        ("web__echo", vec![r"mcp__web\_\_echo", "mcp__web__echo"]),
        ("echo", vec!["mcp__fs__echo", "mcp__web__echo"]),
    ] {
        let Err(Error::RuleAmbiguous { candidates: found, .. }) = meant(Tier::Allow, text) else { panic!("{text}") };
        assert_eq!(found, candidates);
        let rule = meant(Tier::Deny, text).expect("it denies them all");
        let rules = Rules::new([RuleLayer::new(Source::session()).with(Tier::Deny, rule.as_str()).expect("a rule")]);
        for (server, tool) in [("web", "echo"), ("web", "fs"), ("fs", "echo"), ("web__echo", "x")] {
            let is_meant = candidates.iter().any(|candidate| {
                let one = RuleLayer::new(Source::session()).with(Tier::Deny, candidate).expect("a rule");
                verdict(&Rules::new([one]), server, tool) == Verdict::Deny
            });
            assert_eq!(verdict(&rules, server, tool) == Verdict::Deny, is_meant, "{text}: {server} {tool}");
        }
    }
}

fn verdict(rules: &Rules, server: &str, tool: &str) -> Verdict {
    let request = Request {
        server,
        definition: "sha256:1",
        tool,
        effect: Effect::Mutating,
        arguments: &Value::Null,
        standing: Standing::Approved,
        origin: Origin::Server,
    };
    rules.decide(&request, Mode::Build).verdict
}

#[test]
fn tools_of_the_host_are_known_too() {
    let mut registry: Registry = registry([server("fs", &["write_file"])]);
    registry.register_built_in(read_only("bash"), Effect::Mutating).expect("an acceptable name");
    let known = Known::of(&registry.snapshot());
    for tier in Tier::ALL {
        assert_eq!(
            Rule::meant("bash", tier, &known).map(|rule| rule.as_str().to_owned()).ok().as_deref(),
            Some("bash")
        );
        assert!(Rule::meant("bahs", tier, &known).is_err());
    }
    let aim = |text| known.aim(&Rule::parse(text).expect("a rule"), Tier::Deny);
    assert_eq!((aim("bash"), aim("mcp__fs__write_file"), aim("mcp__fs__x")), (Aim::Known, Aim::Known, Aim::Nothing));
}

/// The stray rules of a document, with what they are nearest to.
fn strays(source: Source, permissions: &Value) -> Vec<String> {
    let (layer, _) = parse_settings(source, &json!({ "permissions": permissions }).to_string());
    let strays = Rules::new([layer]).strays(&known());
    assert!(!strays.is_cut);
    strays.rules.iter().map(ToString::to_string).collect()
}

#[test]
fn a_rule_that_is_about_nothing_is_found() {
    let found = strays(
        Source::user("me.json"),
        &json!({
            "deny": ["web", "web.echo", "fs__write_file", "write_file", "mcp__fs__wriet_file", "mcp__fs_*", "mcp__wbe_*"],
            "ask": ["wriet_file", "mcp__*__delete_*", "mcp__web__echo", "mcp__fs__delete_*"],
            "allow": ["mcp__my.server", "fs", "mcp__elsewhere"],
        }),
    );
    let id = ToolName::new(NameStyle::default(), "my.server", "x").to_string();
    let odd = ToolName::new(NameStyle::default(), "my.server", "y").to_string();
    expect_test::expect![[r"
        me.json:/permissions/deny/4: `mcp__fs__wriet_file` denies nothing: it is about no configured server and no known tool; nearest: `mcp__fs__write_file`, `mcp__fs__read_file`, `mcp__my.server__write_file`
        me.json:/permissions/deny/6: `mcp__wbe_*` denies nothing: it is about no configured server and no known tool; nearest: `mcp__web`
        me.json:/permissions/ask/0: `wriet_file` asks before nothing: it is about no configured server and no known tool; nearest: `mcp__fs__write_file`, `mcp__my.server__write_file`, `mcp__fs__read_file`
        me.json:/permissions/ask/3: `mcp__fs__delete_*` asks before nothing: it is about no configured server and no known tool
        me.json:/permissions/allow/1: `fs` allows nothing: it is about no configured server and no known tool; nearest: `mcp__fs`
        me.json:/permissions/allow/2: `mcp__elsewhere` allows nothing: it is about no configured server and no known tool"]]
    .assert_eq(&found.join("\n"));
    let mut all_seen = known();
    all_seen.add_tools("web", ["echo"]);
    all_seen.add_tools("My Server", ["echo"]);
    let aim = |text: &str| all_seen.aim(&Rule::parse(text).expect("a rule"), Tier::Deny);
    assert_eq!((aim(&id), aim(&odd)), (Aim::Known, Aim::Nothing));
    let unseen = ToolName::new(NameStyle::default(), "web", "a b").to_string();
    let possible = |id: &str| known().aim(&Rule::parse(id).expect("a rule"), Tier::Deny) == Aim::Possible;
    assert!(possible(&unseen) && !possible(&odd), "no id of a server that nobody has seen starts like the other");
    assert_eq!(
        (aim("mcp__my_server__*"), aim("mcp__web__ech*"), aim("mcp__web__x*")),
        (Aim::Known, Aim::Known, Aim::Nothing)
    );
    assert_eq!((aim("mcp__*__nobody"), aim("nobody")), (Aim::Possible, Aim::Nothing));
}

#[test]
fn names_are_likened_up_to_256_bytes() {
    let nearest = |length: usize| {
        let mut known = Known::default();
        known.add_tools("s", ["t".repeat(length)]);
        let wrong = format!("{}x", "t".repeat(length - 1));
        match Rule::meant(&wrong, Tier::Deny, &known) {
            Err(Error::RuleAboutNothing { nearest, .. }) => nearest.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([100, 256, 257, 400].map(nearest), [1, 1, 0, 0]);
}

#[test]
fn five_rules_are_told_what_they_are_nearest_to() {
    let rules: Vec<String> = (0..7).map(|number| format!("mcp__fs__write_fil{number}")).collect();
    let found = strays(Source::user("me.json"), &json!({ "deny": rules }));
    assert_eq!((found.len(), found.iter().filter(|rule| rule.contains("; nearest: ")).count()), (7, 5));
}

#[test]
fn rules_that_are_no_business_of_ours_are_not_marked() {
    let permissions = json!({"deny": ["Bash", "Bash(rm *)", "mcp__FS__Write_File", "mcp__nobody"]});
    let found = strays(Source::freecode("settings.json", Authority::Full), &permissions);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("`mcp__nobody`"), "{found:?}");
    assert_eq!(strays(Source::session(), &json!({"deny": ["mcp__nobody"]})), [""; 0]);
    assert_eq!(strays(Source::user("me.json"), &json!({"deny": ["mcp__nobody__((", 7]})), [""; 0], "these cover more");
}

#[test]
fn many_rules_and_many_tools_are_compared_within_bounds() {
    let mut known = Known::default();
    known.add_tools("fs", (0..5_000).map(|number| format!("tool_{number}")));
    let rules: Vec<String> = (0..5_000).map(|number| format!("mcp__fs__*x{number}")).collect();
    let (layer, _) = parse_settings(Source::user("me.json"), &json!({"permissions": {"deny": rules}}).to_string());
    let strays = Rules::new([layer]).strays(&known);
    assert!(strays.is_cut);
    assert!((1..5_000).contains(&strays.rules.len()), "{}", strays.rules.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_rule_that_covers_a_known_tool_is_about_something(
        text in "(mcp__|mcp_)?(a|b|\\*|a_)(_|__|\\.)?(a|b|\\*)?(_|__|\\.)?(a|b|\\*)?",
        server in "[ab_.]{1,4}", tool in "[ab_.]{1,4}",
    ) {
        let mut known = Known::default();
        known.add_tools(server.as_str(), [tool.as_str()]);
        let Ok(rule) = Rule::parse(&text) else { return Ok(()) };
        for tier in [Tier::Deny, Tier::Allow] {
            let layer = RuleLayer::new(Source::session()).with(tier, &text).expect("it was read");
            let covers = verdict(&Rules::new([layer]), &server, &tool) != Verdict::Ask;
            prop_assert_eq!(covers, known.aim(&rule, tier) == Aim::Known, "{:?} {} {} {}", tier, text, server, tool);
        }
    }

    #[test]
    fn what_is_meant_is_about_something_and_no_text_panics(
        text in ".{0,12}", tier in prop::sample::select(Tier::ALL.to_vec()),
    ) {
        for text in [text.as_str(), &format!("fs.{text}"), &format!("mcp__fs__{text}")] {
            if let Ok(rule) = Rule::meant(text, tier, &known()) {
                prop_assert!(known().aim(&rule, tier) != Aim::Nothing, "{:?} means {:?}", text, rule);
            }
        }
    }
}

#[test]
fn which_rules_are_stray_depends_on_the_tools_of_the_servers_that_they_name() {
    let depends = |rule: &str, server: &str| {
        let (layer, _) = parse_settings(Source::user("me.json"), &json!({"permissions": {"deny": [rule]}}).to_string());
        Rules::new([layer]).depend_on_tools_of(server)
    };
    for (rule, server, expected) in [
        ("mcp__fs", "fs", false),
        ("mcp__fs__write", "fs", true),
        ("mcp__fs__write", "db", false),
        ("mcp__f*__write", "fs", true),
        ("fs.write", "fs", true),
        ("fs.write", "db", true),
        // Any server may have a tool of that name.
        ("write", "db", true),
        ("mcp__fs__write", "FS", false),
        ("mcp__fs__long_0123456789abcdef", "fs", true),
    ] {
        assert_eq!(depends(rule, server), expected, "{rule} and {server}");
    }
}
