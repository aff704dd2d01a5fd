//! What one file may change of a server that another one defines.

use mcp_config::Workspace;

use crate::support::{World, at};

const MINE: &str = r#"{"mcpServers": {"x": {"command": "x"}}}"#;

#[test]
fn what_only_restricts_waits_for_nobody() {
    let world = World::new()
        .home(".agents/mcp.json", MINE)
        .project(".agents/settings.json", r#"{"servers": {"x": {"enabled": false, "excludeTools": ["rm"]}}}"#);
    let merged = world.merged();
    assert_eq!(merged.withheld, []);
    assert!(!merged.server("x").unwrap().enabled());
}

#[test]
fn a_hosts_switch_is_for_its_own_servers() {
    for (file, is_changed) in [(".mcp.json", true), (".cursor/mcp.json", false)] {
        let world =
            World::new().home(".agents/mcp.json", MINE).project(file, r#"{"mcpServers": {"x": {"disabled": true}}}"#);
        let merged = world.merged();
        assert_eq!(merged.server("x").unwrap().enabled(), !is_changed, "{file}");
        let reasons: Vec<_> = merged.withheld.iter().map(|withheld| &*withheld.reason).collect();
        assert_eq!(
            reasons.contains(&"no file of lower precedence defines a server of that name"),
            !is_changed,
            "{file}"
        );
    }
}

#[test]
fn an_approved_overlay_is_taken_back_with_the_projects_settings_and_not_with_anothers() {
    let overlay = r#"{"servers": {"x": {"timeout": 9000}}}"#;
    let mut world = World::new().home(".agents/mcp.json", MINE).project(".agents/settings.json", overlay);
    let loosening = world.merged().withheld[0].loosening.clone().unwrap();
    world.trust.approve_loosening(&loosening, at(1));
    assert_eq!(world.merged().withheld, []);

    let other = World::new();
    assert_eq!(world.trust.revoke_loosenings(&Workspace::of(&other.environment)), 0);
    assert_eq!(world.merged().withheld, []);
    assert_eq!(world.trust.revoke_loosenings(&Workspace::of(&world.environment)), 1);
    assert_eq!(world.merged().withheld.len(), 1);
}

#[test]
fn a_projects_own_server_is_approved_with_what_the_project_changes_of_it() {
    for change in [r#""excludeTools": ["rm"]"#, r#""enabled": false"#, r#""timeout": 9000"#] {
        let mut world = World::new()
            .project(".mcp.json", MINE)
            .project(".agents/settings.json", format!(r#"{{"servers": {{"x": {{{change}}}}}}}"#));
        for loosening in world.merged().withheld.into_iter().filter_map(|withheld| withheld.loosening) {
            world.trust.approve_loosening(&loosening, at(1));
        }
        world.approve("x");
        let merged = world.merged();
        let server = merged.server("x").unwrap();
        assert!(server.trust().is_trusted(), "{change}: {:?}", server.trust());
        let activated = server.trusted().unwrap().activate(&world.environment).unwrap();
        assert_eq!(activated.tools.deny.is_empty(), !change.contains("rm"), "{change} is in force");
        assert_eq!(activated.timeouts.call.is_some(), change.contains("9000"), "{change} is in force");
    }
}

#[test]
fn another_hosts_switch_is_heard_where_its_servers_are_allowed() {
    let x = |text: &str| format!(r#"{{"mcp": {{"x": {text}}}}}"#);
    let mut world = World::new()
        .home(".config/opencode/opencode.json", x(r#"{"type": "local", "command": ["x"]}"#))
        .home(".config/opencode/opencode.jsonc", x(r#"{"enabled": false}"#));
    let state = |world: &World| {
        let merged = world.merged();
        let reasons: Vec<_> = merged.withheld.iter().map(|withheld| withheld.reason.clone()).collect();
        (merged.server("x").unwrap().enabled(), reasons)
    };
    assert_eq!(state(&world), (true, vec!["it belongs to another host".to_owned()]));
    world.trust = world.trust.clone().with_allowed_imports([mcp_config::Host::OpenCode]);
    assert_eq!(state(&world), (false, Vec::new()));
}
