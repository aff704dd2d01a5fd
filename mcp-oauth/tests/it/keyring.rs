//! The Secret Service of a session of its own. Nobody's keyring is touched: home and bus are the test's.

use std::path::Path;
use std::process::{Command, Output};

use mcp_testkit::example_binary;

/// Unlocks the login keyring, as a session with a password does, and runs the rest of the command line.
const UNLOCKED: &str =
    r#"printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@""#;

/// A machine with a home directory and nothing else.
struct Machine {
    home: tempfile::TempDir,
}

impl Machine {
    /// A machine, or `None`, said loudly, where the programs for one are not installed.
    fn new() -> Option<Self> {
        let there = |program| Command::new(program).arg("--version").output().is_ok();
        if there("dbus-run-session") && there("gnome-keyring-daemon") {
            return Some(Self { home: tempfile::tempdir().unwrap() });
        }
        let text = "SKIPPED: dbus-run-session and gnome-keyring-daemon are not installed\n";
        drop(std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()));
        None
    }

    /// What the example says about a store in `directory`, run behind `before`.
    fn run(&self, before: &[&str], directory: &str) -> Output {
        let example = example_binary("keyring");
        let mut line: Vec<&Path> = before.iter().map(Path::new).collect();
        let directory = self.home.path().join(directory);
        line.extend([example.as_path(), directory.as_path()]);
        Command::new(line[0])
            .args(&line[1..])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.home.path())
            .env("XDG_RUNTIME_DIR", self.home.path())
            .output()
            .unwrap()
    }

    fn says(&self, before: &[&str], directory: &str) -> String {
        let output = self.run(before, directory);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn without_a_bus_logins_are_kept_in_files() {
    let Some(machine) = Machine::new() else { return };
    let said = machine.says(&["/usr/bin/env"], "state");
    assert!(said.starts_with("file, because the keyring cannot be opened"), "{said}");
}

#[test]
fn bug_11_without_a_collection_logins_are_kept_in_files() {
    let Some(machine) = Machine::new() else { return };
    let said = machine.says(&["dbus-run-session", "--"], "state");
    assert!(said.starts_with("file, because "), "{said}");
}

#[test]
fn an_unlocked_keyring_keeps_the_key_and_a_locked_one_keeps_it_to_itself() {
    let Some(machine) = Machine::new() else { return };
    let unlocked = ["dbus-run-session", "--", "sh", "-c", UNLOCKED, "sh"];
    assert_eq!(machine.says(&unlocked, "state"), "encrypted-file\n");
    // Another session, and the same key.
    assert_eq!(machine.says(&unlocked, "state"), "encrypted-file\n");
    // Locked: yesterday's encrypted store does not become files.
    let output = machine.run(&["dbus-run-session", "--"], "state");
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("Keyring"), "{output:?}");
}
