use mcp_registry::{Effect, Error, NameStyle, Registry, Resolution, ToolName, ToolSet};

use crate::support::{ids, registry, server, tool};

fn servers() -> Registry {
    registry([
        server("github", &["get_issue", "get_user", "delete_issue"]),
        server("jira", &["get_issue"]),
        server("my.server", &["x"]),
    ])
}

fn set(members: &[&str]) -> ToolSet {
    ToolSet::new("set", members.iter().copied()).expect("valid members")
}

#[test]
fn a_view_shows_the_members_of_its_sets_alone() {
    let snapshot = servers().snapshot();
    let id = ToolName::new(NameStyle::default(), "my.server", "x").to_string();
    for (members, expected) in [
        (vec![], vec![]),
        (vec!["mcp__github__get_*"], vec!["mcp__github__get_issue", "mcp__github__get_user"]),
        (vec!["mcp__jira"], vec!["mcp__jira__get_issue"]),
        (vec!["mcp__*__get_issue"], vec!["mcp__github__get_issue", "mcp__jira__get_issue"]),
        (vec![id.as_str()], vec![id.as_str()]),
    ] {
        assert_eq!(ids(snapshot.view([&set(&members)]).tools().map(|tool| &tool.id)), expected);
    }
    let both = [set(&["mcp__jira"]), set(&["mcp__github__get_user"])];
    assert_eq!(snapshot.view(&both).tools().count(), 2);
}

#[test]
fn what_is_outside_a_view_cannot_be_reached() {
    let snapshot = servers().snapshot();
    let view = snapshot.view([&set(&["mcp__jira", "mcp__github__get_user"])]);
    for reference in ["mcp__github__delete_issue", "github.delete_issue", "delete_issue", "my.server.x"] {
        let Resolution::Unknown { nearest } = view.resolve(reference) else { panic!("{reference} was found") };
        assert!(nearest.iter().all(|id| view.tool(id).is_some()), "{nearest:?}");
        assert!(snapshot.resolve(reference).exact().is_some());
    }
    assert_eq!(view.tool("mcp__github__delete_issue"), None);
    assert!(matches!(snapshot.resolve("get_issue"), Resolution::Ambiguous(_)));
    assert_eq!(view.resolve("get_issue").exact().map(|tool| &*tool.server), Some("jira"), "no other is visible");
}

#[test]
fn an_id_in_a_set_does_not_let_in_a_tool_that_imitates_it() {
    let id = ToolName::new(NameStyle::default(), "my.server", "x").to_string();
    let imitation = id.strip_prefix("mcp__my_server__").expect("the remnant is readable");
    let snapshot = registry([server("my.server", &["x"]), server("my_server", &[imitation])]).snapshot();
    let view = snapshot.view([&set(&[&id])]);
    assert_eq!(view.tools().map(|tool| &*tool.server).collect::<Vec<_>>(), ["my.server"]);
}

#[test]
fn a_view_stays_as_it_was_made() {
    let mut registry = servers();
    let view = registry.snapshot().view([&set(&["mcp__github"])]);
    registry.remove_server("github");
    assert_eq!((view.tools().count(), view.revision()), (3, 3));
    let definitions: Vec<serde_json::Value> = serde_json::from_str(&view.definitions()).expect("definitions are JSON");
    assert_eq!(definitions.len(), 3);
}

#[test]
fn a_member_that_is_about_no_tool_is_named() {
    let view = servers().snapshot().view([&set(&["mcp__github", "mcp__githug", "read_file"])]);
    assert_eq!(view.missing(), ["mcp__githug", "read_file"]);
}

#[test]
fn a_set_may_hold_tools_of_the_host() {
    let mut registry = servers();
    registry.register_built_in(tool("read_file"), Effect::ReadOnly).expect("an acceptable name");
    let view = registry.snapshot().view([&set(&["read_*"])]);
    assert_eq!(ids(view.tools().map(|tool| &tool.id)), ["read_file"]);
}

#[test]
fn a_set_takes_no_conditions() {
    for member in ["mcp__fs__write(path=src/**)", "mcp__fs__", ""] {
        assert!(matches!(ToolSet::new("set", [member]), Err(Error::RuleSyntax { .. })), "{member}");
    }
}
