//! From files to something that can be started.

use std::time::Duration;

use mcp_config::{Edit, FileFormat, Launch, NewServer, Preset, Remedy, Trust, TrustStore, Why, merge};

use crate::support::World;

const PROJECT: &str = r#"{"mcpServers": {"tools": {"command": "node", "args": ["server.js"]}}}"#;

#[test]
fn the_users_own_server_starts() {
    let world = World::new()
        .home(
            ".agents/mcp.json",
            r#"{"mcpServers": {"web": {"url": "https://x.example/mcp", "type": "http",
            "headers": {"Authorization": "Bearer ${TOKEN}"}, "timeout": 9000}}}"#,
        )
        .vars([("TOKEN", "t0p")]);
    let merged = world.merged();
    let server = merged.server("web").unwrap();
    assert_eq!(*server.trust(), Trust::Trusted { why: Why::UserFile });
    let activated = server.trusted().unwrap().activate(&world.environment).unwrap();
    let Launch::Http { url, headers } = &activated.launch else { panic!("{activated:?}") };
    assert_eq!((url.as_str(), headers["Authorization"].expose()), ("https://x.example/mcp", "Bearer t0p"));
    assert_eq!(activated.timeouts.call, Some(Duration::from_secs(9)));
    assert!(!format!("{activated:?} {:?} {}", server, server.preview()).contains("t0p"));
}

#[test]
fn a_projects_server_waits_and_says_how_to_approve_it() {
    let mut world = World::new().project(".mcp.json", PROJECT);
    let refusal = world.merged().server("tools").unwrap().trusted().unwrap_err();
    assert_eq!(world.text(&refusal), "server `tools` from ./.mcp.json:1:17 is not approved");
    assert_eq!(refusal.remedy(), Some(Remedy::trust("tools")));
    world.approve("tools");
    let merged = world.merged();
    let trusted = merged.server("tools").unwrap().trusted().unwrap();
    let activated = trusted.activate(&world.environment).unwrap();
    let Launch::Stdio { command, args, cwd, .. } = activated.launch else { panic!() };
    assert_eq!((command.as_str(), args, cwd), ("node", vec!["server.js".to_owned()], world.project.clone()));
}

#[test]
fn an_approval_is_kept_and_taken_back() {
    let mut world = World::new().project(".mcp.json", PROJECT);
    world.approve("tools");
    world.trust.save().unwrap();
    let path = world.home.join("../state/trust.json");
    let (mut again, problems) = TrustStore::load(&path);
    assert_eq!((again.len(), problems.len()), (1, 0));
    let layers = world.found(Preset::Toolkit).layers;
    let merged = merge(&layers, &again, &world.environment);
    assert_eq!(*merged.servers[0].trust(), Trust::Trusted { why: Why::Approved });
    assert!(again.revoke(&merged.servers[0]));
    again.save().unwrap();
    assert!(TrustStore::load(&path).0.is_empty());
}

#[test]
fn naming_a_file_is_approval_and_excludes_the_others() {
    let world = World::new().project(".mcp.json", PROJECT).project("x.json", PROJECT);
    let found = world.discovery().with_explicit("x.json").load();
    let merged = merge(&found.layers, &world.trust, &world.environment);
    assert_eq!(*merged.servers[0].trust(), Trust::Trusted { why: Why::Explicit });
    assert_eq!((found.layers.len(), found.places.len()), (1, 1));
    let missing = world.discovery().with_explicit("missing.json").load();
    assert_eq!(world.texts(&missing.problems), ["error: ./missing.json: there is no such file"]);
}

#[test]
fn claude_codes_servers_are_listed_and_not_started() {
    let world = World::new();
    let project = world.project.display().to_string().replace('\\', "/");
    let content = format!(
        r#"{{"mcpServers": {{"u": {{"command": "u"}}}}, "projects": {{"{project}": {{"mcpServers": {{"p": {{"command": "p"}}}}}}}}}}"#
    );
    let world = world.home(".claude.json", content);
    let merged = world.merged();
    let trust: Vec<_> = merged.servers.iter().map(|server| (server.name(), server.trust().to_string())).collect();
    assert_eq!(trust, [("p", "needs approval".to_owned()), ("u", "not imported".to_owned())]);
}

#[test]
fn an_unapproved_project_entry_does_not_hide_the_users() {
    let mut world = World::new()
        .project(".mcp.json", PROJECT)
        .home(".agents/mcp.json", r#"{"mcpServers": {"tools": {"command": "mine"}}}"#);
    let merged = world.merged();
    assert_eq!(merged.server("tools").unwrap().preview().to_string(), "mine");
    assert_eq!(merged.shadowed.len(), 1);
    let waiting = merged.shadowed[0].server.clone();
    world.trust.approve(&waiting.plan(&world.environment), crate::support::at(1)).unwrap();
    let merged = world.merged();
    let server = merged.server("tools").unwrap();
    assert_eq!((server.preview().to_string().as_str(), server.shadows().len()), ("node server.js", 1));
}

#[test]
fn what_is_added_is_found() {
    let world = World::new();
    let path = world.environment.user_file().unwrap();
    let mut edit = Edit::open(&path, FileFormat::McpServers).unwrap();
    assert!(!edit.add("a", &NewServer::stdio("run", ["x y"]).with_env("K", "v")).unwrap());
    edit.save().unwrap();
    assert_eq!(world.merged().server("a").unwrap().preview().to_string(), r#"run "x y""#);
    let mut edit = Edit::open(&path, FileFormat::McpServers).unwrap();
    assert!(edit.remove("a").unwrap() && !edit.remove("b").unwrap());
    edit.save().unwrap();
    assert!(world.merged().servers.is_empty());
}
