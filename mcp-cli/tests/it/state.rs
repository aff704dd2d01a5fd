//! What the toolkit remembers is believed only where nobody but the user could have written it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use mcp_testkit::ordinary_tools;
use serde_json::json;

use crate::peers::Peers;
use crate::stage::{Run, Stage, configuration, demo_server};

const CALL: [&str; 4] = ["call", "library", "echo", "message=hi"];

/// A project whose server was approved.
fn stage() -> Stage {
    let stage = Stage::new();
    fs::create_dir(stage.project().join(".git")).unwrap();
    stage.write(".mcp.json", configuration(&json!({"library": demo_server("library")})));
    stage.run(&["trust", "library", "--yes"]).expect_code(0);
    stage.run(&CALL).expect_code(0);
    stage
}

fn record(stage: &Stage) -> PathBuf {
    stage.home().join("state/mcp-toolkit/trust.json")
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Nothing is trusted by the record, it is not overwritten, and the reason is said.
fn expect_refused(run: impl Fn(&[&str]) -> Run, record: &Path, reason: &str) {
    let before = fs::read(record).unwrap();
    let called = run(&CALL).expect_code(5);
    assert!(called.stderr.contains(reason), "{}", called.stderr);
    let doctor = run(&["doctor"]).expect_code(2);
    assert!(doctor.stdout.contains(reason) && doctor.stdout.contains("fix: "), "{}", doctor.stdout);
    let approved = run(&["trust", "library", "--yes"]);
    assert!(approved.code != 0 && approved.stderr.contains(reason), "{approved:?}");
    assert_eq!(fs::read(record).unwrap(), before);
}

#[test]
fn a_record_inside_the_project_is_not_believed() {
    for variables in [&[("HOME", "home"), ("XDG_STATE_HOME", "")][..], &[("XDG_STATE_HOME", "home/.local/state")]] {
        let stage = stage();
        let inside = stage.project().join("home/.local/state/mcp-toolkit/trust.json");
        fs::create_dir_all(inside.parent().unwrap()).unwrap();
        fs::copy(record(&stage), &inside).unwrap();
        let run = |arguments: &[&str]| {
            let mut command = stage.command(arguments);
            for (name, value) in variables {
                match *value {
                    "" => command.env_remove(name),
                    value => command.env(name, stage.project().join(value)),
                };
            }
            Run::from(command.output().unwrap())
        };
        expect_refused(run, &inside, "inside the project");
    }
}

#[test]
fn a_record_that_others_may_write_is_not_believed() {
    for mode in [0o666, 0o660, 0o602] {
        let stage = stage();
        set_mode(&record(&stage), mode);
        expect_refused(|arguments| stage.run(arguments), &record(&stage), "others may write it");
        let doctor = stage.run(&["doctor"]).stdout;
        assert!(doctor.contains("chmod 600"), "the command that mends it: {doctor}");
        set_mode(&record(&stage), 0o600);
        stage.run(&CALL).expect_code(0);
    }
    let stage = stage();
    let folder = record(&stage).parent().unwrap().to_path_buf();
    set_mode(&folder, 0o777);
    expect_refused(|arguments| stage.run(arguments), &record(&stage), "others may write it");
    set_mode(&folder, 0o1777);
    stage.run(&CALL).expect_code(0);
}

#[test]
fn a_record_of_somebody_else_s_is_not_believed() {
    let stage = stage();
    // Only an administrator can give a file away.
    if std::os::unix::fs::chown(record(&stage), Some(4321), None).is_err() {
        return;
    }
    expect_refused(|arguments| stage.run(arguments), &record(&stage), "another user (4321)");
    // A home of somebody else's is theirs: a program may be run for them.
    for path in [stage.home(), record(&stage).parent().unwrap().to_path_buf()] {
        std::os::unix::fs::chown(path, Some(4321), None).unwrap();
    }
    stage.run(&CALL).expect_code(0);
}

#[test]
fn homes_of_every_kind_work() {
    // The home itself as the place of work, a repository of one's dotfiles, and a home that everybody can put files into.
    for (is_repository, mode) in [(false, 0o755), (true, 0o700), (false, 0o1777)] {
        let stage = Stage::new();
        let home = stage.home();
        set_mode(&home, mode);
        if is_repository {
            fs::create_dir(home.join(".git")).unwrap();
        }
        fs::write(home.join(".mcp.json"), configuration(&json!({"library": demo_server("library")}))).unwrap();
        let run = |arguments: &[&str]| {
            let mut command = stage.command(arguments);
            command.current_dir(&home).env_remove("XDG_STATE_HOME");
            Run::from(command.output().unwrap())
        };
        run(&["trust", "library", "--yes"]).expect_code(0);
        run(&CALL).expect_code(0);
        assert!(home.join(".local/state/mcp-toolkit/trust.json").exists());
    }
}

#[test]
fn a_baseline_that_others_may_write_approves_nothing() {
    let stage = stage();
    let pins = record(&stage).with_file_name("pins");
    let files: Vec<PathBuf> = fs::read_dir(pins).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in &files {
        set_mode(file, 0o666);
    }
    stage.run(&CALL).expect_code(5);
    let status = stage.run(&["status"]);
    assert!(format!("{status:?}").contains("others may write it"), "{status:?}");
    for file in &files {
        set_mode(file, 0o600);
    }
    stage.run(&CALL).expect_code(0);
}

/// Nothing is read or written where state is not believed, and no server is stopped by that.
#[test]
fn a_refused_directory_keeps_nothing_at_all() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    let servers = configuration(&json!({"one": peers.start(ordinary_tools(1))}));
    fs::create_dir(stage.home().join(".agents")).unwrap();
    fs::write(stage.home().join(".agents/mcp.json"), servers).unwrap();
    stage.run(&["status"]).expect_code(0);
    let state = record(&stage).parent().unwrap().to_path_buf();
    let kept = fs::read_dir(state.join("pins")).unwrap().next().unwrap().unwrap().path();
    fs::write(&kept, "damaged").unwrap();
    let before = snapshot(&state);
    set_mode(&state, 0o777);
    let call = ["call", "one", "tool_0", "owner=me", "repository=mine"];
    stage.run(&call).expect_code(0);
    let doctor = stage.run(&["doctor"]).expect_code(2);
    assert!(doctor.stdout.contains("others may write it"), "{doctor:?}");
    assert!(!doctor.stdout.contains("cannot be told what was approved"), "{doctor:?}");
    let status = stage.run(&["status"]);
    assert!(status.stdout.contains("others may write it"), "{status:?}");
    stage.run(&["approve", "one", "--yes"]).expect_code(0);
    stage.run(&["add", "--scope", "user", "two", "https://example.invalid/mcp"]).expect_code(0);
    stage.run(&["remove", "one"]).expect_code(0);
    assert_eq!(snapshot(&state), before);
}

#[test]
fn a_directory_that_anybody_could_replace_is_not_believed() {
    let stage = stage();
    let above = record(&stage).parent().unwrap().parent().unwrap().to_path_buf();
    set_mode(&above, 0o777);
    expect_refused(|arguments| stage.run(arguments), &record(&stage), "everybody may write it");
    let doctor = stage.run(&["doctor"]).stdout;
    assert!(doctor.contains(&format!("chmod o-w {}", above.display())), "{doctor}");
    // As in `/tmp`: nobody moves what is somebody else's.
    set_mode(&above, 0o1777);
    stage.run(&CALL).expect_code(0);
}

#[test]
fn the_users_own_files_that_everybody_may_write_are_named() {
    let stage = stage();
    let files = [".agents/mcp.json", "config/mcp-toolkit/settings.json"].map(|name| stage.home().join(name));
    for file in &files {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "{}").unwrap();
        for (mode, is_named) in [(0o646, true), (0o664, false), (0o600, false)] {
            set_mode(file, mode);
            let doctor = stage.run(&["doctor"]);
            let fix = format!("chmod o-w {}", file.display());
            assert_eq!(doctor.stdout.contains(&fix), is_named, "{mode:o} {doctor:?}");
            assert_eq!(doctor.code, if is_named { 2 } else { 0 }, "{mode:o} {doctor:?}");
        }
    }
}

/// What is kept is for its owner alone, whatever the process's mask.
#[test]
fn everything_kept_is_private() {
    let stage = stage();
    stage.run_with_input(&["secret", "set", "name"], "canary").expect_code(0);
    let state = record(&stage).parent().unwrap().to_path_buf();
    let files = snapshot(&state);
    for name in ["trust.json", "audit.jsonl", "eras.json", "pins", "secrets"] {
        assert!(files.iter().any(|(path, _)| path.starts_with(state.join(name))), "{name} is kept: {files:?}");
    }
    for (path, _) in &files {
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(path), 0o600, "{}", path.display());
        assert_eq!(mode(path.parent().unwrap()), 0o700, "{}", path.display());
    }
}

/// Every path below a folder, with its bytes.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                all.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    all.sort();
    all
}
