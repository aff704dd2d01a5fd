use std::collections::HashMap;

use mcp_registry::{NameStyle, ToolName};
use proptest::prelude::*;

use crate::support::{ids, registry, server};

const STYLES: [NameStyle; 2] = [NameStyle::DoubleUnderscore, NameStyle::SingleUnderscore];

fn id(server: &str, tool: &str) -> String {
    ToolName::new(NameStyle::default(), server, tool).to_string()
}

#[test]
fn plain_names_stay_readable() {
    assert_eq!(id("github", "create_issue"), "mcp__github__create_issue");
    assert_eq!(id("my_server", "_private"), "mcp__my_server___private");
    assert_eq!(id("a", "b__c"), "mcp__a__b__c");
    let single = |server, tool| ToolName::new(NameStyle::SingleUnderscore, server, tool).to_string();
    assert_eq!(single("github", "create_issue"), "mcp_github_create_issue");
}

#[test]
fn other_names_keep_a_readable_remnant_and_a_hash() {
    for (server, tool, expected) in [
        ("a__b", "c", "mcp__a__b__c_"),
        ("my.server", "files/read", "mcp__my_server__files_read_"),
        ("", "", "mcp__unnamed__unnamed_"),
        ("日本", "検索", "mcp_________"),
    ] {
        let id = id(server, tool);
        assert!(id.starts_with(expected), "{id}");
        assert_eq!(id.len(), expected.len() + 16, "{id}");
    }
    // Ids must be the same in every version, as prompt caches and rules hold them.
    assert_eq!(id("a__b", "c"), "mcp__a__b__c_31ffefa8a8af8d74");
}

#[test]
fn an_id_never_looks_like_that_of_another_pair() {
    let pairs = [
        ("a", "b__c"),
        ("a__b", "c"),
        ("a_", "b"),
        ("a", "_b"),
        ("a", "b"),
        ("A", "b"),
        ("a", "B"),
        ("", "a"),
        ("a", ""),
        ("", ""),
        ("a.b", "c"),
        ("a", "b.c"),
        ("a_b", "c"),
        ("a", "b_c"),
        ("a b", "c"),
        ("a\u{200b}", "b"),
        ("unnamed", "b"),
        ("", "b"),
        ("é", "b"),
        ("e\u{301}", "b"),
        ("a__", "b"),
        ("a", "__b"),
    ];
    for style in STYLES {
        let mut seen = HashMap::new();
        for (server, tool) in pairs {
            let id = ToolName::new(style, server, tool);
            if let Some(other) = seen.insert(id.clone(), (server, tool)) {
                assert_eq!(other, (server, tool), "{style:?}: {id}");
            }
        }
    }
}

#[test]
fn of_two_long_names_the_server_keeps_twenty_characters_and_the_tool_the_rest() {
    let long = |letter: char, length| String::from(letter).repeat(length);
    for (server, tool, expected) in [
        (60, 60, format!("mcp__{}__{}_", long('s', 20), long('t', 20))),
        (60, 5, format!("mcp__{}__{}_", long('s', 35), long('t', 5))),
        (5, 60, format!("mcp__{}__{}_", long('s', 5), long('t', 35))),
    ] {
        let id = id(&long('s', server), &long('t', tool));
        assert!(id.starts_with(&expected) && id.len() == ToolName::MAX_LENGTH, "{id}");
    }
}

#[test]
fn an_id_is_written_compared_and_looked_up_as_its_text() {
    let name = ToolName::new(NameStyle::default(), "fs", "read");
    assert_eq!(format!("{name:?} {name}"), "\"mcp__fs__read\" mcp__fs__read");
    assert!(name == *"mcp__fs__read" && name != *"mcp__fs__write");
    assert!(name == "mcp__fs__read" && name != "mcp__fs__write");
    let names = std::collections::BTreeSet::from([name]);
    assert!(names.contains("mcp__fs__read") && !names.contains("mcp__fs__write"));
}

#[test]
fn a_name_that_ends_like_a_hash_gets_another_hash() {
    let hashed = id("my.server", "x");
    let imitation = hashed.strip_prefix("mcp__my_server__").expect("the remnant is readable");
    assert_ne!(id("my_server", imitation), hashed);
}

#[test]
fn built_in_names_cannot_pass_for_servers_tools() {
    for name in ["read_file", "Bash", "a-b", "mc"] {
        assert_eq!(ToolName::built_in(name).expect("an acceptable name"), *name);
    }
    for name in ["", "mcp__fs__read", "MCP_x", "read file", "lies/mich", "é", &"x".repeat(65)] {
        let error = ToolName::built_in(name).expect_err(name).to_string();
        assert!(error.contains("expected 1 to 64 of the characters"), "{error}");
    }
}

#[test]
fn names_that_differ_in_case_are_two_servers() {
    let snapshot = registry([server("GitHub", &["get"]), server("github", &["get"])]).snapshot();
    assert_eq!(ids(snapshot.tools().map(|tool| &tool.id)), ["mcp__GitHub__get", "mcp__github__get"]);
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![".{0,12}", "[a-z_.]{0,6}", "[a_]{0,5}", "[a-z]{1,3}_[0-9a-f]{16}", "[a-z_]{0,90}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn ids_suit_every_provider(server in any_name(), tool in any_name()) {
        for style in STYLES {
            let id = ToolName::new(style, &server, &tool);
            let length = id.as_str().len();
            prop_assert!((1..=64).contains(&length));
            prop_assert!(id.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)));
            prop_assert!(id.as_str().starts_with("mcp_"));
        }
    }

    #[test]
    fn an_id_stands_for_one_pair(one in (any_name(), any_name()), other in (any_name(), any_name())) {
        for style in STYLES {
            let same = ToolName::new(style, &one.0, &one.1) == ToolName::new(style, &other.0, &other.1);
            prop_assert_eq!(same, one == other);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ids_and_pairs_are_a_bijection(pairs in prop::collection::btree_set((any_name(), any_name()), 0..24)) {
        let names = |wanted: &str| -> Vec<&str> {
            pairs.iter().filter(|(server, _)| server == wanted).map(|(_, tool)| tool.as_str()).collect()
        };
        let snapshot = registry(pairs.iter().map(|(name, _)| server(name, &names(name)))).snapshot();
        prop_assert_eq!(snapshot.len(), pairs.len());
        for (server, tool) in &pairs {
            let found = snapshot.resolve_in(server, tool).exact().expect("the pair is registered");
            prop_assert_eq!((&*found.server, &found.tool.name), (server.as_str(), tool));
            prop_assert_eq!(snapshot.tool(found.id.as_str()), Some(found));
            prop_assert_eq!(snapshot.resolve(found.id.as_str()).exact(), Some(found));
        }
    }

    #[test]
    fn adding_a_server_never_changes_anothers_ids(
        servers in prop::collection::btree_map(any_name(), prop::collection::btree_set(any_name(), 0..5), 1..6),
        newcomer in (any_name(), prop::collection::btree_set(any_name(), 0..5)),
    ) {
        prop_assume!(!servers.contains_key(&newcomer.0));
        let list = |tools: &std::collections::BTreeSet<String>| tools.iter().map(ToOwned::to_owned).collect::<Vec<_>>();
        let build = |name: &str, tools: &[String]| server(name, &tools.iter().map(String::as_str).collect::<Vec<_>>());
        let mut registry = registry(servers.iter().map(|(name, tools)| build(name, &list(tools))));
        let before = registry.snapshot();
        registry.replace_server(build(&newcomer.0, &list(&newcomer.1)));
        let after = registry.snapshot();
        for tool in before.tools() {
            prop_assert_eq!(after.tool(tool.id.as_str()), Some(tool));
        }
        registry.remove_server(&newcomer.0);
        let tools: Vec<_> = before.tools().cloned().collect();
        prop_assert_eq!(registry.snapshot().tools().cloned().collect::<Vec<_>>(), tools);
    }
}
