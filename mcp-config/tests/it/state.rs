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
    // Without a home the directory's owner alone tells whose it is.
    let elsewhere = world.home.join("state");
    std::fs::create_dir_all(elsewhere.join("mcp-toolkit")).unwrap();
    let homeless = Environment::new(&world.project).with_vars([("XDG_STATE_HOME", elsewhere.to_string_lossy())]);
    assert_eq!(homeless.state_directory(), Ok(Some(elsewhere.join("mcp-toolkit"))), "it is the user's");
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
fn set(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn what_others_may_write_is_not_believed() {
    let world = World::new();
    let directory = world.home.join(".local/state/mcp-toolkit");
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("trust.json");
    std::fs::write(&file, "").unwrap();
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

/// Who may write a directory above the state's moves the state away, and puts another in its place.
#[cfg(unix)]
#[test]
fn state_below_what_everybody_may_write_is_not_believed() {
    let world = World::new();
    let directory = world.home.join(".local/state/mcp-toolkit");
    std::fs::create_dir_all(&directory).unwrap();
    for above in [world.home.join(".local/state"), world.home.join(".local"), world.home.clone()] {
        // Where the sticky bit is, nobody moves what is another's.
        for (mode, expected) in [(0o755, true), (0o775, true), (0o777, false), (0o1777, true), (0o702, false)] {
            set(&above, mode);
            let fix = world.environment.state_directory().err().and_then(|problem| problem.fix);
            assert_eq!(fix, (!expected).then(|| chmod("o-w", &above)), "{} {mode:o}", above.display());
        }
        set(&above, 0o755);
    }
}

/// Files that a person writes are used whoever else may write them; that is said.
#[cfg(unix)]
#[test]
fn files_of_the_user_that_everybody_may_write_are_told_of() {
    let world = World::new().home(".agents/mcp.json", "{}").home(".config/mcp-toolkit/settings.json", "{}");
    let files = [world.environment.settings_file().unwrap(), world.environment.user_file().unwrap()];
    assert_eq!(world.environment.exposed_files(), []);
    for file in &files {
        for (mode, expected) in [(0o600, true), (0o664, true), (0o646, false)] {
            set(file, mode);
            let problems = world.environment.exposed_files();
            let told: Vec<_> = problems.iter().map(|problem| (problem.path.as_deref(), problem.fix.clone())).collect();
            let fix = || (Some(file.as_path()), Some(chmod("o-w", file)));
            assert_eq!(told, Vec::from_iter((!expected).then(fix)), "{} {mode:o}", file.display());
        }
        set(file, 0o600);
    }
    assert_eq!(Environment::new(&world.project).exposed_files(), [], "without a home");
}

/// Only the administrator can give a file to somebody else; without that there is nothing to try.
#[cfg(unix)]
#[test]
fn what_belongs_to_somebody_else_is_not_believed() {
    use std::os::unix::fs::chown;

    const OTHER: u32 = 1;
    let world = World::new();
    let directory = world.home.join(".local/state/mcp-toolkit");
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("trust.json");
    std::fs::write(&file, "").unwrap();
    if chown(&file, Some(OTHER), None).is_err() {
        return;
    }
    let says = |problem: &Problem| assert!(problem.message.contains("another user (1)"), "{problem}");
    says(&TrustStore::load(&file).1[0]);
    let own = world.environment.user_file().unwrap();
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(&own, "{}").unwrap();
    chown(&own, Some(OTHER), None).unwrap();
    says(&world.environment.exposed_files()[0]);
    chown(&directory, Some(OTHER), None).unwrap();
    says(&world.environment.state_directory().unwrap_err());
    assert_eq!(TrustStore::load(&file).1, [], "run for the one whose directory it is");
    chown(&world.home, Some(OTHER), None).unwrap();
    assert!(world.environment.state_directory().is_ok(), "run for the one whose home it is");
    assert_eq!(world.environment.exposed_files(), [], "run for the one whose home it is");
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
