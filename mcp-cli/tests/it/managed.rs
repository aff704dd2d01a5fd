//! What an administrator denies on this machine does not run: with the managed settings where they really are.
//!
//! The directory is fixed, and nothing may choose another for the binary. So it runs in a mount namespace of its own, whose
//! `/etc` is the test's.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::stage::{Run, Stage, configuration, demo_server};

const CALL: [&str; 4] = ["call", "library", "echo", "message=hi"];

/// How a mount namespace is had here: at once by an administrator, within a user namespace by others.
static NAMESPACE: LazyLock<Option<&str>> = LazyLock::new(|| {
    ["-m", "-rm"].into_iter().find(|flags| {
        let mount = ["sh", "-c", "mount -t tmpfs tmpfs /etc"];
        let tried = Command::new("unshare").arg(flags).args(mount).output();
        tried.is_ok_and(|output| output.status.success())
    })
});

/// A project whose server was approved before there was a policy; `None`, said loudly, where no namespace can be had. Many
/// machines of CI forbid them, so that is no failure there: what the policy means is tested in `mcp-config` too.
fn stage(entry: &Value) -> Option<Stage> {
    if NAMESPACE.is_none() {
        eprintln!(
            "SKIPPED: this machine allows no mount namespace (`unshare -rm`), so the managed policy is not tried"
        );
        return None;
    }
    let stage = Stage::new();
    std::fs::create_dir(stage.project().join(".git")).unwrap();
    stage.write(".mcp.json", configuration(&json!({ "library": entry })));
    stage.run(&["trust", "library", "--yes"]).expect_code(0);
    Some(stage)
}

/// The binary on a machine whose administrator wrote this file.
fn command_under(stage: &Stage, name: &str, content: &str, arguments: &[&str]) -> Command {
    const SCRIPT: &str =
        r#"mount -t tmpfs tmpfs /etc && mkdir /etc/claude-code && cp "$1" /etc/claude-code/ && shift && exec "$@""#;
    let file = stage.home().join(name);
    std::fs::write(&file, content).unwrap();
    let binary = stage.command(arguments);
    let mut command = Command::new("unshare");
    command.arg(NAMESPACE.unwrap()).args(["sh", "-c", SCRIPT, "sh"]).arg(&file);
    command.arg(binary.get_program()).args(binary.get_args()).current_dir(stage.project()).env_clear();
    command.envs(binary.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

fn run_under(stage: &Stage, name: &str, content: &str, arguments: &[&str]) -> Run {
    Run::from(command_under(stage, name, content, arguments).output().unwrap())
}

fn run(stage: &Stage, settings: &str, arguments: &[&str]) -> Run {
    run_under(stage, "managed-settings.json", settings, arguments)
}

#[test]
fn settings_that_are_not_understood_deny() {
    let Some(stage) = stage(&demo_server("library")) else { return };
    run(&stage, "{}", &CALL).expect_code(0);
    for settings in [
        "[]",
        "{",
        r#"{"deniedMcpServers": {"serverName": "library"}}"#,
        r#"{"deniedMcpServers": [{"serverHash": "library"}]}"#,
        r#"{"allowedMcpServers": {"serverName": "library"}}"#,
        r#"{"allowedMcpServers": "library"}"#,
    ] {
        let called = run(&stage, settings, &CALL).expect_code(5);
        assert!(called.stderr.contains("/etc/claude-code/managed-settings.json"), "{settings}: {called:?}");
        let doctor = run(&stage, settings, &["doctor"]).expect_code(2);
        assert!(doctor.stdout.contains("/etc/claude-code/managed-settings.json"), "{settings}: {doctor:?}");
    }
}

#[test]
fn what_starts_is_judged_and_not_its_text() {
    let program = env!("CARGO_BIN_EXE_mcpctl");
    let entry = json!({"command": format!("${{NOPE:-{program}}}"), "args": ["${VERB:-demo-server}", "library"]});
    let Some(stage) = stage(&entry) else { return };
    let rule = |name: &str| json!([{"serverCommand": [name, "demo-server", "library"]}]);
    let bare = Path::new(program).file_name().unwrap().to_str().unwrap();
    for name in [program, bare] {
        let called = run(&stage, &json!({"deniedMcpServers": rule(name)}).to_string(), &CALL).expect_code(5);
        assert!(called.stderr.contains("managed-settings.json denies it"), "{called:?}");
        run(&stage, &json!({"deniedMcpServers": rule(&format!("{name}x"))}).to_string(), &CALL).expect_code(0);
    }
    run(&stage, &json!({"allowedMcpServers": rule(program)}).to_string(), &CALL).expect_code(0);
    let called = run(&stage, r#"{"allowedMcpServers": [{"serverCommand": ["npx", "good"]}]}"#, &CALL).expect_code(5);
    assert!(called.stderr.contains("managed-settings.json does not allow it"), "{called:?}");
}

#[test]
fn an_approval_is_not_given_against_the_policy() {
    let Some(stage) = stage(&demo_server("library")) else { return };
    stage.run(&["untrust", "library"]).expect_code(0);
    let denied = r#"{"deniedMcpServers": [{"serverName": "library"}]}"#;
    let trusted = run(&stage, denied, &["trust", "library", "--yes"]);
    assert_ne!(trusted.code, 0, "{trusted:?}");
    run(&stage, denied, &CALL).expect_code(5);
    let listed = run(&stage, denied, &["list"]).expect_code(0);
    assert!(listed.stdout.starts_with("library  denied  "), "{listed:?}");
    assert!(listed.stderr.contains("`library` is denied: "), "{listed:?}");
}

#[test]
fn a_managed_list_excludes_every_other_server() {
    let Some(stage) = stage(&demo_server("library")) else { return };
    for list in [r#"{"mcpServers": {}}"#, "{"] {
        let called = run_under(&stage, "managed-mcp.json", list, &CALL).expect_code(5);
        assert!(called.stderr.contains("managed-mcp.json allows only its own servers"), "{list}: {called:?}");
    }
}

/// No variable moves the administrator's directory.
#[test]
fn the_environment_chooses_no_other_machine() {
    let Some(stage) = stage(&demo_server("library")) else { return };
    let denied = r#"{"deniedMcpServers": [{"serverName": "library"}]}"#;
    let elsewhere = stage.home().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("etc/claude-code")).unwrap();
    let mut command = command_under(&stage, "managed-settings.json", denied, &CALL);
    for name in ["SYSTEM_ROOT", "SYSTEMROOT", "SYSTEMDRIVE", "ProgramFiles", "ProgramData", "XDG_CONFIG_DIRS", "PREFIX"]
    {
        command.env(name, &elsewhere);
    }
    Run::from(command.output().unwrap()).expect_code(5);
}
