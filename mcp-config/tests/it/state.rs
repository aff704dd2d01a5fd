//! State that somebody else could have written is not believed, and an approval is told from what it is not.

use mcp_config::{Environment, Problem, Remedy, TrustStore, Workspace};

use crate::support::{World, at};

const ENTRY: &str = r#"{"mcpServers": {"x": {"command": "x", "env": {"A": "${keyring:a}"}}}}"#;

#[test]
fn the_state_directory_lies_in_the_users_home_and_outside_the_project() {
    let world = World::new();
    let expected = world.home.join(".local/state/mcp-toolkit");
    assert_eq!(world.environment.state_directory(), Ok(Some(expected)));
    assert_eq!(Environment::new(&world.project).state_directory(), Ok(None), "without a home");
    let inside = world.project.join("state");
    let world = world.vars([("XDG_STATE_HOME", &*inside.to_string_lossy())]);
    let problem = world.environment.state_directory().unwrap_err();
    assert!(problem.message.contains("inside the project"), "{problem}");
}

#[cfg(unix)]
fn chmod(mode: &str, path: &std::path::Path) -> Remedy {
    Remedy::Run { command: vec!["chmod".into(), mode.into(), path.to_string_lossy().into()] }
}

#[cfg(unix)]
#[test]
fn what_others_may_write_is_not_believed() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    let directory = world.home.join(".local/state/mcp-toolkit");
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("trust.json");
    std::fs::write(&file, "").unwrap();
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for (mode, expected) in [(0o700, true), (0o777, false), (0o1777, true)] {
        set(&directory, mode);
        let state = world.environment.state_directory();
        assert_eq!(state.is_ok(), expected, "directory {mode:o}");
        let fix = state.err().and_then(|problem| problem.fix);
        assert_eq!(fix, (!expected).then(|| chmod("700", &directory)));
    }
    for (mode, expected) in [(0o600, true), (0o666, false)] {
        set(&file, mode);
        let (_, problems) = TrustStore::load(&file);
        let fixes: Vec<_> = problems.into_iter().filter_map(|problem| problem.fix).collect();
        assert_eq!(fixes, Vec::from_iter((!expected).then(|| chmod("600", &file))), "file {mode:o}");
    }
}

/// Only the administrator can give a file to somebody else; without that there is nothing to try.
#[cfg(unix)]
#[test]
fn what_belongs_to_somebody_else_is_not_believed() {
    use std::os::unix::fs::chown;

    let world = World::new();
    let directory = world.home.join(".local/state/mcp-toolkit");
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("trust.json");
    std::fs::write(&file, "").unwrap();
    if chown(&file, Some(12_345), None).is_err() {
        return;
    }
    let says = |problem: &Problem| assert!(problem.message.contains("another user (12345)"), "{problem}");
    says(&TrustStore::load(&file).1[0]);
    chown(&directory, Some(12_345), None).unwrap();
    says(&world.environment.state_directory().unwrap_err());
    assert_eq!(TrustStore::load(&file).1, [], "run for the one whose directory it is");
    chown(&world.home, Some(12_345), None).unwrap();
    assert!(world.environment.state_directory().is_ok(), "run for the one whose home it is");
}

#[test]
fn a_store_that_is_refused_trusts_nothing_and_says_why_when_it_is_saved() {
    let mut world = World::new().project(".mcp.json", ENTRY);
    let reason = world
        .environment
        .clone()
        .with_vars([("XDG_STATE_HOME", world.project.to_string_lossy())])
        .state_directory()
        .unwrap_err();
    let mut store = TrustStore::refused(world.home.join("trust.json"), reason);
    assert!(store.is_empty());
    store.approve(&world.plan("x"), at(1)).unwrap();
    let error = store.save().unwrap_err().to_string();
    assert!(error.contains("trust.json"), "{error}");
    assert!(!world.home.join("trust.json").exists());
    // Another store is saved as ever.
    world.approve("x");
    world.trust.save().unwrap();
}

#[test]
fn approvals_are_listed_by_what_they_are() {
    let mut world = World::new().project(".mcp.json", ENTRY).project(
        ".agents/settings.json",
        r#"{"servers": {"x": {"timeout": 9000}}, "effects": {"y": {"z": "read-only"}}}"#,
    );
    assert!(world.trust.is_empty());
    assert_eq!(world.trust.len(), 0);
    for loosening in world.merged().withheld.into_iter().filter_map(|withheld| withheld.loosening) {
        world.trust.approve_loosening(&loosening, at(1));
    }
    for loosening in &mcp_config::FoundSettings::load(&world.environment).projects[0].loosenings {
        world.trust.approve_loosening(loosening, at(1));
    }
    let without_servers = world.trust.len();
    assert!(without_servers >= 1 && !world.trust.is_empty());
    assert_eq!(world.trust.server_names().collect::<Vec<_>>(), [""; 0]);
    let plan = world.plan("x");
    world.trust.approve_with(&plan, ["keyring:a"], at(1)).unwrap();
    assert_eq!(world.trust.server_names().collect::<Vec<_>>(), ["x"]);
    let merged = world.merged();
    let server = merged.server("x").unwrap();
    assert_eq!(world.trust.confirmed(server).into_iter().collect::<Vec<_>>(), ["keyring:a"]);
    let trusted = server.trusted().unwrap();
    assert_eq!(trusted.name(), "x");
    assert!(trusted.activate(&world.environment).is_err(), "nobody answers for the keyring");
    assert_eq!(world.trust.revoke_loosenings(&Workspace::of(&world.environment)), without_servers);
    assert_eq!(world.trust.server_names().count(), 1);
}
