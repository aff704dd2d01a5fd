//! Rules from the terminal, and the command that every denial prints.

use serde_json::json;

use crate::stage::{Run, Stage, configuration, demo_server};

fn stage() -> Stage {
    let stage = Stage::new();
    let path = stage.home().join(".agents/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, configuration(&json!({"ledger": demo_server("ledger")}))).unwrap();
    stage
}

const ADD: [&str; 5] = ["call", "ledger", "add_entry", "account=tea", "cents=1"];

/// Runs the commands of a hint as a shell would.
fn paste(stage: &Stage, run: &Run) {
    let hint = run.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_else(|| panic!("{run:?}"));
    for command in hint.split(" && ") {
        let words = shlex::split(command).unwrap();
        let (program, arguments) = words.split_first().unwrap();
        assert_eq!(program, "mcpctl", "{hint}");
        stage.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).expect_code(0);
    }
}

#[test]
fn every_denial_prints_the_command_that_lifts_it() {
    for denials in [
        &[&["deny", "mcp__ledger"][..]][..],
        &[&["deny", "mcp__ledger__add_entry"]],
        &[&["deny", "mcp__ledger__add_*"], &["deny", "mcp__ledger__*(account=t*)"]],
        &[&["deny", "mcp__ledger", "--scope", "project"]],
    ] {
        let stage = stage();
        for rule in denials {
            stage.run(rule).expect_code(0);
        }
        let denied = stage.run(&ADD).expect_code(5);
        paste(&stage, &denied);
        let retried = stage.run(&ADD);
        assert_eq!(retried.code, 0, "{denials:?}: {denied:?}\n{retried:?}");
    }
}

#[test]
fn rules_are_listed_explained_and_forgotten() {
    let stage = stage();
    stage.run(&["ask", "mcp__ledger__balance"]).expect_code(0);
    stage.run(&["deny", "mcp__ledger__add_entry", "--scope", "project"]).expect_code(0);
    let listed = stage.run(&["permissions", "list", "--json"]).expect_code(0).json();
    let rules: Vec<(&str, &str)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (rule["tier"].as_str().unwrap(), rule["rule"].as_str().unwrap()))
        .collect();
    assert_eq!(rules, [("deny", "mcp__ledger__add_entry"), ("ask", "mcp__ledger__balance")]);

    let explained =
        stage.run(&["permissions", "explain", "ledger", "add_entry", "account=a", "cents=1"]).expect_code(0);
    assert!(explained.stdout.contains("deny") && explained.stdout.contains(".agents/settings.json"), "{explained:?}");
    stage.run(&["permissions", "forget", "mcp__ledger__add_entry", "--scope", "project"]).expect_code(0);
    stage.run(&["permissions", "forget", "mcp__ledger__add_entry", "--scope", "project"]).expect_code(2);
    stage.run(&ADD).expect_code(0);
}

#[test]
fn an_allow_rule_needs_a_server_to_be_made_for() {
    let stage = stage();
    stage.run(&["allow", "mcp__ledger__add_entry"]).expect_code(0);
    stage.run(&["allow", "mcp__nobody__tool"]).expect_code(2);
    stage.run(&["deny", "mcp__ledger__(("]).expect_code(2);
    let written = std::fs::read_to_string(stage.home().join("config/mcp-toolkit/settings.json")).unwrap();
    assert!(written.contains("definitions"), "an allow rule names the definition it was made for: {written}");
}

#[test]
fn a_condition_knows_a_value_however_it_is_spelled() {
    let stage = stage();
    stage.run(&["deny", "mcp__ledger__balance(account=/etc/**)"]).expect_code(0);
    stage.run(&["deny", "mcp__ledger__balance(account=~/.ssh/**)"]).expect_code(0);
    stage.run(&["deny", "mcp__ledger__balance(account=secrets/**)"]).expect_code(0);
    stage.run(&["deny", "mcp__ledger__add_entry(cents=100)"]).expect_code(0);
    let call = |argument: &str| stage.run(&["call", "ledger", "balance", argument]);
    let here = |path: &std::path::Path| format!("account={}", path.display());
    for argument in [
        "account=/etc/passwd",
        "account=/etc%2fpasswd",
        "account=file:///etc/passwd",
        "account=../../../../../etc/passwd",
        "account=\u{200b}/etc/passwd",
        "account=~/.ssh/id",
        "account=secrets",
        &here(&stage.home().join(".ssh/id")),
        &here(&stage.project().join("secrets/key")),
    ] {
        call(argument).expect_code(5);
    }
    for argument in ["account=etc", "account=/home/me", "account=~/x", &here(&stage.project().join("key"))] {
        call(argument).expect_code(0);
    }
    for (cents, code) in [("cents:=100", 5), ("cents:=100.0", 5), ("cents:=1e2", 5), ("cents:=101", 0)] {
        stage.run(&["call", "ledger", "add_entry", "account=tea", cents]).expect_code(code);
    }
}

#[test]
fn a_folder_is_denied_with_what_is_in_it() {
    let stage = stage();
    stage.run(&["allow", "mcp__ledger__add_entry(account=src/**)"]).expect_code(0);
    stage.run(&["deny", "mcp__ledger__add_entry(account=src/secret/**)"]).expect_code(0);
    for (account, code) in [("account=src/secret", 5), ("account=src/secret/x", 5), ("account=src/secrets", 0)] {
        stage.run(&["call", "ledger", "add_entry", account, "cents=1"]).expect_code(code);
    }
}

const BALANCE: [&str; 4] = ["call", "ledger", "balance", "account=tea"];

#[test]
fn a_program_needs_a_yes_where_a_rule_asks() {
    for rule in ["mcp__ledger__balance", "mcp__ledger", "mcp__ledger__*(account=t*)", "*"] {
        let stage = stage();
        stage.run(&["ask", rule]).expect_code(0);
        let asked = stage.run(&BALANCE).expect_code(5);
        assert!(asked.stderr.contains("nobody is at the terminal") && asked.stderr.contains("--yes"), "{asked:?}");
        assert_eq!(asked.stdout, "");
        stage.run(&["call", "--yes", "ledger", "balance", "account=tea"]).expect_code(0);
    }
    let stage = stage();
    stage.run(&ADD).expect_code(0);
    stage.run(&["ask", "mcp__ledger__balance"]).expect_code(0);
    stage.run(&["deny", "mcp__ledger__add_entry"]).expect_code(0);
    stage.run(&[&ADD[..], &["--yes"]].concat()).expect_code(5);
}

#[test]
fn a_rule_that_nobody_can_read_asks_too() {
    let stage = stage();
    let settings = stage.home().join("config/mcp-toolkit/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(settings, r#"{"permissions": {"ask": ["mcp__ledger__balance(("]}}"#).unwrap();
    stage.run(&BALANCE).expect_code(5);
    stage.run(&[&BALANCE[..], &["--yes"]].concat()).expect_code(0);
}

#[cfg(unix)]
#[test]
fn a_person_at_the_terminal_is_asked_where_a_rule_says_so() {
    let stage = stage();
    stage.run(&["ask", "mcp__ledger__balance"]).expect_code(0);
    let yes = stage.run_at_terminal(&BALANCE, "y\n").expect_code(0);
    assert!(yes.stderr.contains("ask rule `mcp__ledger__balance`") && yes.stderr.contains("tea"), "{yes:?}");
    assert_eq!(yes.stdout, "tea: 0 cents\n");
    for answer in ["n\n", "\n", "nonsense\n"] {
        let no = stage.run_at_terminal(&BALANCE, answer).expect_code(5);
        assert_eq!(no.stdout, "", "{no:?}");
    }
    let unasked = stage.run_at_terminal(&ADD, "").expect_code(0);
    assert_eq!(unasked.stderr, "", "where no rule speaks, whoever types the call has answered: {unasked:?}");
}
