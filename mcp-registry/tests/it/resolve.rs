use mcp_registry::{Effect, NameStyle, Registry, Resolution};

use crate::support::{ids, registry, server, tool};

/// Returns what a reference means, in words.
fn meaning(registry: &Registry, reference: &str) -> String {
    match registry.snapshot().resolve(reference) {
        Resolution::Exact(tool) => tool.path(),
        Resolution::Ambiguous(tools) => format!("{}?", ids(tools.iter().map(|tool| tool.path())).join(" or ")),
        Resolution::Unknown { nearest } => format!("unknown, near: {}", nearest.join(" ")),
        Resolution::Held(held) => format!("held back: {}", held.len()),
    }
}

#[test]
fn a_reference_may_be_an_id_a_path_or_an_unambiguous_name() {
    let registry = registry([
        server("github", &["create_issue", "search"]),
        server("jira", &["search", "create.ticket"]),
        server("a", &["b.c", "two words"]),
        server("a.b", &["c"]),
    ]);
    for (reference, expected) in [
        ("mcp__github__create_issue", "github.create_issue"),
        ("github.create_issue", "github.create_issue"),
        ("github create_issue", "github.create_issue"),
        ("create_issue", "github.create_issue"),
        ("search", "github.search or jira.search?"),
        ("jira.search", "jira.search"),
        ("jira.create.ticket", "jira.create.ticket"),
        ("create.ticket", "jira.create.ticket"),
        ("a.b.c", "a.b.c or a.b.c?"),
        ("a b.c", "a.b.c"),
        ("a two words", "a.two words"),
        ("create_isue", "unknown, near: mcp__github__create_issue"),
        ("github.create_issues", "unknown, near: mcp__github__create_issue"),
        ("Search", "unknown, near: mcp__github__search mcp__jira__search"),
        ("", "unknown, near: "),
        (".", "unknown, near: "),
        ("nothing like it", "unknown, near: "),
    ] {
        assert_eq!(meaning(&registry, reference), expected, "{reference}");
    }
}

#[test]
fn a_built_in_tool_wins_over_a_servers_tool_of_its_name() {
    let mut registry = Registry::new(NameStyle::default());
    registry.replace_server(server("fs", &["read_file"]));
    assert_eq!(meaning(&registry, "read_file"), "fs.read_file");
    registry.register_built_in(tool("read_file"), Effect::ReadOnly).expect("an acceptable name");
    assert_eq!(meaning(&registry, "read_file"), "read_file");
    assert_eq!(meaning(&registry, "fs.read_file"), "fs.read_file");
    let error = registry.register_built_in(tool("read_file"), Effect::ReadOnly).expect_err("the name is taken");
    assert_eq!(error.to_string(), "the built-in tool `read_file` is registered already: expected another name");
}

#[test]
fn a_long_reference_is_not_compared_with_every_name() {
    let registry = registry([server("github", &["create_issue"])]);
    assert_eq!(meaning(&registry, &"create_issue".repeat(100_000)), "unknown, near: ");
}
