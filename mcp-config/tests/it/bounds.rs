//! What a repository can make a listing cost, before anybody is asked. The figures are in `benches/hostile.rs`.

use std::fmt::Write as _;

use mcp_config::{FoundSettings, Merged, Preset, Topic, Trust};

use crate::support::World;

/// A comma between each two of so many items.
fn list(number: usize, item: impl Fn(usize) -> String) -> String {
    (0..number).map(item).collect::<Vec<_>>().join(",")
}

/// How many servers are refused because of a bound, and what the first is told.
fn refused(merged: &Merged) -> (usize, Option<&str>) {
    let reasons = merged.servers.iter().filter_map(|server| match server.trust() {
        Trust::Denied { reason } => Some(reason.as_str()),
        _ => None,
    });
    (reasons.clone().count(), reasons.clone().next())
}

#[test]
fn the_files_of_a_project_are_read_up_to_half_a_mebibyte_together() {
    let padding = " ".repeat(300 * 1024);
    let servers = |name: &str| format!(r#"{{"mcpServers": {{"{name}": {{"command": "{name}"}}}}}}{padding}"#);
    let world = World::new()
        .home(".agents/mcp.json", servers("mine"))
        .home(".cursor/mcp.json", servers("mine-too"))
        .project(".mcp.json", servers("first"))
        .project(".agents/mcp.json", servers("second"))
        .project(".cursor/mcp.json", r#"{"mcpServers": {"small": {"command": "s"}}}"#);
    let found = world.found(Preset::Toolkit);
    let read: Vec<&str> = found.layers.iter().flat_map(mcp_config::Layer::names).collect();
    let (own, projects): (Vec<&str>, Vec<&str>) = read.into_iter().partition(|name| name.starts_with("mine"));
    assert_eq!(own.len(), 2, "the user's own are read whatever the project holds");
    assert_eq!(projects, ["small", "first"], "what wins over others is not starved by them");
    let problems = world.texts(&found.problems);
    assert!(
        problems.len() == 1
            && problems[0].ends_with(".agents/mcp.json: not read: a project's files may hold 512 KiB together"),
        "{problems:?}"
    );
}

#[test]
fn a_thousand_problems_are_enough() {
    let mistakes = list(300, |number| format!(r#""s{number}": 1"#));
    let mut world = World::new();
    for directory in [".cursor", ".roo", ".agents", ".hoocode", ".amp", ".gemini", ".vscode", ".zed", ".junie"] {
        for file in ["mcp.json", "settings.json"] {
            let text = format!(
                r#"{{"mcpServers": {{{mistakes}}}, "servers": {{{mistakes}}}, "context_servers": {{{mistakes}}}}}"#
            );
            world = world.project(&format!("{directory}/{file}"), text);
        }
    }
    let problems = world.problems();
    let (notes, listed): (Vec<&String>, Vec<&String>) =
        problems.iter().partition(|problem| problem.ends_with("more problems in this file are not shown"));
    assert!(notes.len() > 5, "each file says how many more it has: {notes:?}");
    assert!((900..=1000).contains(&listed.len()), "{}", listed.len());
}

#[test]
fn unknown_keys_are_counted_beyond_two_hundred() {
    let keys = list(5000, |number| format!(r#""k{number}": 0"#));
    let world =
        World::new().project(".mcp.json", format!(r#"{{"mcpServers": {{"x": {{"command": "x", {keys}}}, "y": 1}}}}"#));
    let problems = world.problems();
    assert_eq!(problems.len(), 201);
    assert!(problems[200].ends_with("4801 more problems in this file are not shown"), "{}", problems[200]);
    assert_eq!(world.merged().server("x").unwrap().preview().unknown_keys.len(), 5000, "none is forgotten");
}

#[test]
fn prompts_are_given_to_the_servers_that_ask() {
    let servers = list(3000, |number| {
        format!(r#""s{number}": {{"command": "${{input:i{number}}}", "args": ["${{input:all}}", "${{input:all}}"]}}"#)
    });
    let inputs = list(3000, |number| format!(r#"{{"id": "i{number}", "default": "{number}"}}"#));
    let twice = r#"{"id": "all", "default": "first"}, {"id": "all", "default": "second"}, {"id": "unused"}"#;
    let text = format!(r#"{{"servers": {{{servers}}}, "inputs": [{inputs}, {twice}]}}"#);
    let world = World::new().project(".vscode/mcp.json", text);
    let merged = world.merged();
    assert_eq!(merged.servers.len(), 3000);
    for name in ["s0", "s1499", "s2999"] {
        let facts = merged.server(name).unwrap().plan(&world.environment).facts();
        let defaults = facts.iter().filter(|fact| fact.topic == Topic::Input && !fact.text.is_empty());
        let defaults: Vec<_> = defaults.map(|fact| (fact.name.as_deref().unwrap(), fact.text.as_str())).collect();
        let number = name.trim_start_matches('s');
        let (own, default) = (format!("i{number}"), format!("if nobody answers: {number}"));
        assert_eq!(defaults, [(own.as_str(), default.as_str()), ("all", "if nobody answers: first")]);
    }
    assert_eq!(refused(&merged), (0, None));
    let problems = world.problems();
    assert!(problems.len() == 1 && problems[0].ends_with(r#"no server refers to the prompt "unused""#), "{problems:?}");
}

#[test]
fn a_large_prompt_of_many_servers_is_not_copied_without_end() {
    let servers = list(100, |number| format!(r#""s{number}": {{"command": "${{input:i}}"}}"#));
    let text = format!(
        r#"{{"servers": {{{servers}, "other": {{"command": "o"}}}}, "inputs": [{{"id": "i", "description": "{}"}}]}}"#,
        "x".repeat(100_000)
    );
    let world = World::new().project(".vscode/mcp.json", text);
    let merged = world.merged();
    // Four mebibytes hold it 41 times.
    assert_eq!(refused(&merged), (59, Some("the prompts of its file hold more than 4194304 bytes")));
    assert!(matches!(merged.server("other").unwrap().trust(), Trust::NeedsApproval { .. }));
}

#[test]
fn tools_that_opencode_switches_off_are_found_by_their_server() {
    let text = r#"{"mcp": {
            "a": {"type": "local", "command": ["x"]},
            "a_b": {"type": "local", "command": ["x"]},
            "c": {"type": "local", "command": ["x"]},
            "": {"type": "local", "command": ["x"]}
        },
        "tools": {"a_b_c": false, "a_b_c ": true, "a": false, "a_": false, "_x": false, "a_b_*": false, "d_x": false, "a_b_c": false}}"#;
    let denied = |text: &str, name: &str| {
        let world = World::new().project("opencode.json", text);
        world.merged().server(name).unwrap().preview().tools.deny
    };
    assert_eq!(denied(text, "a"), ["", "b_*", "b_c"]);
    assert_eq!(denied(text, "a_b"), ["*", "c"]);
    assert_eq!(denied(text, "c"), [""; 0]);
    let all = text.replace(r#""d_x""#, r#""*""#);
    assert_eq!(denied(&all, "a"), ["", "b_*", "b_c", "*"]);
    assert_eq!(denied(&all, "c"), ["*"]);
}

#[test]
fn a_pattern_of_many_servers_is_not_copied_without_end() {
    let servers = list(250, |number| format!(r#""{}": {{"type": "local", "command": ["x"]}}"#, "_".repeat(number + 1)));
    let pattern = "_".repeat(100_000);
    let world =
        World::new().project("opencode.json", format!(r#"{{"mcp": {{{servers}}}, "tools": {{"{pattern}": false}}}}"#));
    let merged = world.merged();
    let (number, reason) = refused(&merged);
    assert_eq!(reason, Some("its file switches off tools in more than 4194304 bytes"));
    let copied: usize =
        merged.servers.iter().flat_map(|server| server.preview().tools.deny).map(|tool| tool.len()).sum();
    assert!(copied <= 4 << 20 && number > 200, "{copied} bytes, {number} refused");
}

#[test]
fn settings_loosen_no_more_than_a_person_can_look_at() {
    let rules = list(1500, |number| format!(r#""r{number}""#));
    let denied = list(1500, |number| format!(r#""d{number}""#));
    let mut text = format!(r#"{{"permissions": {{"allow": [{rules}], "deny": [{denied}]}}, "imports": ["#);
    write!(text, "{}]}}", list(3000, |_| "7".to_owned())).unwrap();
    let world = World::new().project(".agents/settings.json", text);
    let found = FoundSettings::load(&world.environment);
    assert_eq!(found.projects[0].loosenings.len(), 1000);
    assert_eq!(found.effective(&world.trust).permissions.deny.len(), 1500, "what tightens is kept");
    let problems = world.texts(&found.problems);
    assert_eq!(problems.len(), 202);
    assert!(
        problems[0].ends_with("expected at most 1000 keys and allow rules, found 500 more, which have no effect"),
        "{}",
        problems[0]
    );
    assert!(problems[201].ends_with("2800 more problems in this file are not shown"), "{}", problems[201]);
}
