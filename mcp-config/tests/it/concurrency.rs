//! Several processes edit one file at the same time and lose nothing.

use std::path::Path;
use std::process::{Command, Stdio};

use mcp_config::{Edit, FileFormat, NewServer, Preset};

use crate::support::World;

const SHARE: usize = 200;

/// The file to edit and the first letter of the names to add, for a process that was started as a helper.
const TASK: &str = "MCP_CONFIG_TEST_ADD";

/// Adds servers five at a time, so that many saves meet others and not all time goes into them.
fn add(path: &Path, prefix: &str, count: usize) {
    for batch in 0..count / 5 {
        let mut edit = Edit::open(path, FileFormat::McpServers).unwrap();
        for index in 0..5 {
            edit.add(&format!("{prefix}{batch:03}-{index}"), &NewServer::stdio("x", [prefix])).unwrap();
        }
        edit.save().unwrap();
    }
}

/// Run by itself it adds its share to a file of its own; started by the test below, to the file it is given.
#[test]
fn one_process_adds_its_share() {
    #[expect(clippy::disallowed_methods, reason = "how the test that starts this process tells it what to do")]
    let task = std::env::var(TASK);
    if let Some((prefix, path)) = task.as_deref().ok().and_then(|task| task.split_once(':')) {
        return add(Path::new(path), prefix, SHARE);
    }
    let world = World::new();
    add(&world.home.join(".agents/mcp.json"), "a", 20);
    assert_eq!(world.merged().servers.len(), 20);
}

#[test]
fn two_processes_and_a_reader_lose_nothing() {
    let world =
        World::new().home(".agents/mcp.json", "{\n  // kept\n  \"mcpServers\": {\"first\": {\"command\": \"x\"}}\n}\n");
    let path = world.home.join(".agents/mcp.json");
    let start = |prefix: &str| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "concurrency::one_process_adds_its_share"])
            .env(TASK, format!("{prefix}:{}", path.display()))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut children = [start("a"), start("b")];
    for _ in 0..40 {
        let found = world.found(Preset::Toolkit);
        assert_eq!(found.problems, [], "a half-written file was seen");
        assert!(found.layers[0].names().any(|name| name == "first"));
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(world.merged().servers.len(), 2 * SHARE + 1);
    assert!(std::fs::read_to_string(&path).unwrap().contains("  // kept\n"));
}

#[test]
fn approvals_given_at_the_same_time_are_all_kept() {
    let world = World::new().project(".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}"#);
    let merged = world.merged();
    let mut stores = [world.trust.clone(), world.trust.clone()];
    for (store, server) in stores.iter_mut().zip(&merged.servers) {
        store.approve(&server.plan(&world.environment), crate::support::at(1)).unwrap();
    }
    for store in &mut stores {
        store.save().unwrap();
    }
    let (trust, problems) = mcp_config::TrustStore::load(world.home.join("../state/trust.json"));
    assert_eq!((trust.len(), problems.len()), (2, 0));
}
