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

/// A stage with two servers, of which the ledger was connected, so that its tools are known.
fn stage_of_two() -> Stage {
    let stage = Stage::new();
    let path = stage.home().join(".agents/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let servers = json!({"ledger": demo_server("ledger"), "library": demo_server("library")});
    std::fs::write(path, configuration(&servers)).unwrap();
    stage.run(&["status", "ledger"]).expect_code(0);
    stage
}

fn settings(stage: &Stage, permissions: &serde_json::Value) {
    let path = stage.home().join("config/mcp-toolkit/settings.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, json!({ "permissions": permissions }).to_string()).unwrap();
}

const ECHO: [&str; 4] = ["call", "library", "echo", "message=hi"];

#[test]
fn a_name_alone_protects_what_a_person_means() {
    for (typed, written, denied, left) in [
        ("library", "mcp__library", ECHO, BALANCE),
        ("ledger", "mcp__ledger", BALANCE, ECHO),
        ("library.echo", "mcp__library__echo", ECHO, BALANCE),
        ("library__echo", "mcp__library__echo", ECHO, BALANCE),
        ("balance", "mcp__*__balance", BALANCE, ECHO),
        ("bal*", "mcp__*__bal*", BALANCE, ECHO),
        ("ledger.balance(account=t*)", "mcp__ledger__balance(account=t*)", BALANCE, ECHO),
        ("mcp__library_*", "mcp__library_*", ECHO, BALANCE),
    ] {
        for (tier, expected) in [("deny", 5), ("ask", 5)] {
            let stage = stage_of_two();
            let said = stage.run(&[tier, typed]).expect_code(0);
            assert!(said.stderr.contains(&format!("{tier} `{written}`")), "{typed}: {said:?}");
            stage.run(&denied).expect_code(expected);
            stage.run(&left).expect_code(0);
            // What was typed also takes it back.
            stage.run(&["permissions", "forget", typed]).expect_code(0);
            stage.run(&denied).expect_code(0);
        }
    }
}

#[test]
fn a_rule_that_would_protect_nothing_is_refused_with_what_is_nearest() {
    let stage = stage_of_two();
    for (typed, nearest) in [
        ("mcp__ledger__blaance", "mcp__ledger__balance"),
        ("ledger.blaance", "mcp__ledger__balance"),
        ("blaance", "mcp__ledger__balance"),
        ("libary", "mcp__library"),
        ("mcp__libary", "mcp__library"),
        ("mcp__libary_*", "mcp__library"),
        ("mcp__library_e*", "mcp__library"),
        ("mcp__ledger__blaan*", "mcp__ledger__balance"),
    ] {
        for tier in ["deny", "ask", "allow"] {
            let refused = stage.run(&[tier, typed]).expect_code(2);
            assert!(
                refused.stderr.contains(nearest) && refused.stderr.contains("--anyway"),
                "{tier} {typed}: {refused:?}"
            );
        }
    }
    assert!(!stage.home().join("config/mcp-toolkit/settings.json").exists(), "nothing was written");
    let unseen = stage.run(&["deny", "library.ehco"]).expect_code(0);
    assert!(unseen.stderr.contains("nobody has seen a tool yet"), "the library was never connected: {unseen:?}");

    stage.run(&["deny", "--anyway", "mcp__tomorrow"]).expect_code(0);
    let warned = stage.run(&["permissions", "list"]).expect_code(0);
    assert!(warned.stdout.contains("denies nothing"), "{warned:?}");
}

#[test]
fn what_is_allowed_is_named_by_its_server_where_several_have_it() {
    let stage = Stage::new();
    let path = stage.home().join(".agents/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, configuration(&json!({"one": demo_server("ledger"), "two": demo_server("ledger")}))).unwrap();
    stage.run(&["status"]).expect_code(0);
    let refused = stage.run(&["allow", "add_entry"]).expect_code(2);
    assert!(refused.stderr.contains("mcp__one__add_entry, mcp__two__add_entry"), "{refused:?}");
    stage.run(&["allow", "two.add_entry"]).expect_code(0);
    stage.run(&["deny", "add_entry"]).expect_code(0);
    for server in ["one", "two"] {
        stage.run(&["call", server, "add_entry", "account=a", "cents=1"]).expect_code(5);
    }
}

#[test]
fn a_standing_rule_that_protects_nothing_is_marked_wherever_one_looks() {
    let stage = stage_of_two();
    stage.run(&["doctor"]).expect_code(0);
    settings(&stage, &json!({"deny": ["mcp__ledger__blaance", "libary", "library"], "ask": ["ledger.balance"]}));

    let listed = stage.run(&["permissions", "list", "--json"]).expect_code(0);
    let rules: Vec<(String, bool)> = listed
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (rule["rule"].as_str().unwrap().to_owned(), rule["stray"].as_bool().unwrap()))
        .collect();
    let expected = [("mcp__ledger__blaance", true), ("libary", true), ("library", false), ("ledger.balance", false)];
    assert_eq!(rules, expected.map(|(rule, stray)| (rule.to_owned(), stray)));
    assert_eq!(listed.json()[0]["nearest"][0], "mcp__ledger__balance");

    let marked = |run: &Run, text: &str| {
        text.contains("`mcp__ledger__blaance` denies nothing") && text.contains("`libary` denies nothing")
            || panic!("{run:?}")
    };
    let started = stage.run(&ADD).expect_code(0);
    marked(&started, &started.stderr);
    let explained = stage.run(&["permissions", "explain", "ledger", "balance", "account=a"]).expect_code(0);
    marked(&explained, &explained.stdout);
    let sick = stage.run(&["doctor"]).expect_code(2);
    marked(&sick, &sick.stdout);
    assert!(!sick.stdout.contains("`library`"), "{sick:?}");
    let problems = stage.run(&["doctor", "--json"]).expect_code(2).json();
    assert_eq!(problems[0]["pointer"], "/permissions/deny/0", "{problems}");
}

#[test]
fn a_tool_that_is_mistyped_is_found_once_the_server_is_connected() {
    let stage = stage_of_two();
    settings(&stage, &json!({"deny": ["mcp__library__ehco"]}));
    stage.run(&["doctor"]).expect_code(0);
    let connected = stage.run(&["status"]).expect_code(0);
    assert!(connected.stderr.contains("`mcp__library__ehco` denies nothing"), "{connected:?}");
    stage.run(&["doctor"]).expect_code(2);
}

#[test]
fn a_part_of_the_configuration_does_not_make_rules_stray() {
    let stage = stage_of_two();
    settings(&stage, &json!({"deny": ["mcp__elsewhere"]}));
    let file = stage.write("one.json", configuration(&json!({"ledger": demo_server("ledger")})));
    let alone = stage.run(&["--config", file.to_str().unwrap(), "permissions", "list", "--json"]).expect_code(0);
    assert_eq!((alone.json()[0]["stray"].as_bool(), alone.stderr.as_str()), (Some(false), ""));
    let whole = stage.run(&["permissions", "list", "--json"]).expect_code(0);
    assert_eq!(whole.json()[0]["stray"], true);
}

#[test]
fn a_server_of_another_project_is_known_once_it_was_approved() {
    let stage = stage();
    stage.write(".mcp.json", configuration(&json!({"here": demo_server("library")})));
    stage.run(&["deny", "here"]).expect_code(0);
    stage.run(&["trust", "here", "--yes"]).expect_code(0);
    std::fs::remove_file(stage.project().join(".mcp.json")).unwrap();
    let listed = stage.run(&["permissions", "list", "--json"]).expect_code(0).json();
    assert_eq!(listed[0]["stray"], false);
    stage.run(&["ask", "here"]).expect_code(0);
}

#[test]
fn rules_that_nobody_can_read_are_the_doctor_s_business() {
    let stage = stage();
    settings(&stage, &json!({"deny": ["mcp__ledger__(("]}));
    let sick = stage.run(&["doctor"]).expect_code(2);
    assert!(sick.stdout.contains("/permissions/deny/0") && sick.stdout.contains("cannot be read"), "{sick:?}");
}
