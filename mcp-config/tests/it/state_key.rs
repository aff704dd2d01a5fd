//! What stays the same of a server whatever its entry says.

use mcp_config::{Discovery, Environment, Preset, Resolved, TrustStore, merge};

use crate::support::{World, write};

fn key(world: &World) -> String {
    world.merged().servers[0].state_key()
}

#[test]
fn an_entry_keeps_its_key_when_its_definition_changes() {
    let before = World::new().project(".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}}}"#);
    let first = key(&before);
    let after =
        before.project(".mcp.json", r#"{"mcpServers": {"z": {"command": "z"}, "a": {"url": "https://a.example"}}}"#);
    assert_eq!(key(&after), first);
}

#[test]
fn name_file_and_source_each_make_another_server() {
    let world = |file: &str, name: &str| {
        World::new().project(file, format!(r#"{{"mcpServers": {{"{name}": {{"command": "a"}}}}}}"#))
    };
    let same = World::new().project(".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "a"}}}"#);
    let [a, b] = [0, 1].map(|index| same.merged().servers[index].state_key());
    assert_ne!(a, b, "two names");
    assert_ne!(key(&world(".mcp.json", "a")), key(&world(".mcp.json", "a")), "two folders");

    let files = same.project(".cursor/mcp.json", r#"{"mcpServers": {"c": {"command": "a"}}}"#);
    let keys: std::collections::BTreeSet<String> = files.merged().servers.iter().map(Resolved::state_key).collect();
    assert_eq!(keys.len(), 3);
}

#[test]
fn a_users_server_is_one_in_every_project_and_a_projects_is_not() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let home = folder.path().join("home");
    write(&home.join(".agents/mcp.json"), r#"{"mcpServers": {"user": {"command": "a"}}}"#);
    // One file of Claude Code's holds the servers of many projects.
    let projects = ["a", "b"].map(|name| folder.path().join(name));
    let local = projects.each_ref().map(|project| {
        write(&project.join(".git/HEAD"), "");
        let project = std::fs::canonicalize(project).expect("it was just made");
        format!("{}: {{\"mcpServers\": {{\"local\": {{\"command\": \"a\"}}}}}}", serde_json::json!(project))
    });
    write(&home.join(".claude.json"), format!("{{\"projects\": {{{}}}}}", local.join(",")));
    let [a, b] = projects.map(|project| {
        let environment = Environment::new(project).with_home(&home);
        let found = Discovery::new(&environment).with_preset(Preset::default()).load();
        let servers = merge(&found.layers, &TrustStore::default(), &environment).servers;
        servers.iter().map(|server| (server.name().to_owned(), server.state_key())).collect::<Vec<_>>()
    });
    assert_eq!(a.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["local", "user"]);
    assert_ne!(a[0], b[0], "a project's");
    assert_eq!(a[1], b[1], "the user's");
}
