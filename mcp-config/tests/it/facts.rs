//! What the facts of a plan or a loosening tell those who hold them.

use mcp_config::{FoundSettings, Topic};

use crate::support::World;

fn facts(entry: &str) -> mcp_config::Facts {
    World::new()
        .project(".mcp.json", format!(r#"{{"mcpServers": {{"x": {{{entry}}}}}}}"#))
        .project("script.sh", "")
        .plan("x")
        .facts()
}

#[test]
fn a_flipped_switch_is_told_from_every_other_change() {
    let (on, off) = (r#""command": "a""#, r#""command": "a", "disabled": true"#);
    assert_ne!(facts(on).digest(), facts(off).digest());
    let mut topics = Vec::new();
    for fact in &facts(off) {
        topics.push(fact.topic);
    }
    assert!(topics.contains(&Topic::Off) && topics.contains(&Topic::Command), "{topics:?}");
    for (left, right, is_switch_alone) in [
        (on, on, true),
        (on, off, true),
        (off, on, true),
        (on, r#""command": "b""#, false),
        (on, r#""command": "b", "disabled": true"#, false),
        (off, r#""command": "a", "args": ["-c"]"#, false),
    ] {
        assert_eq!(facts(left).differ_only_in(Topic::Off, &facts(right)), is_switch_alone, "{left} and {right}");
    }
    // What is only said, as where a program was found, is no difference; what binds, in the topic or not, is.
    assert!(!facts(on).differ_only_in(Topic::Change, &facts(off)));
}

#[test]
fn a_rule_is_known_by_its_text() {
    let world = World::new().project(
        ".agents/settings.json",
        r#"{"permissions": {"allow": ["mcp__a__b", "mcp__a__c"]}, "mcp__a__d": true}"#,
    );
    let found = FoundSettings::load(&world.environment);
    let loosenings = &found.projects[0].loosenings;
    let known = |rule: &str| loosenings.iter().filter(|loosening| loosening.is_rule(rule)).count();
    assert_eq!(["mcp__a__b", "mcp__a__c", "mcp__a__d", "mcp__a__e", ""].map(known), [1, 1, 0, 0, 0]);
}

#[test]
fn a_plan_says_whose_it_is_and_whether_it_was_approved_before() {
    let mut world = World::new().project(".mcp.json", r#"{"mcpServers": {"x": {"command": "a"}}}"#);
    assert_eq!((world.plan("x").name().to_owned(), world.plan("x").is_changed()), ("x".to_owned(), false));
    world.approve("x");
    assert!(!world.plan("x").is_changed());
    let world = world.project(".mcp.json", r#"{"mcpServers": {"x": {"command": "b"}}}"#);
    assert!(world.plan("x").is_changed());
}

/// The keys of a definition, each with what a person reads of it.
#[test]
fn every_key_that_means_something_is_shown_and_approved() {
    let base = r#""command": "x""#;
    for (key, shown) in [
        (r#""args": ["--flag"]"#, r#"with      "--flag""#),
        (r#""cwd": "sub""#, r#"in        "sub""#),
        (r#""env": {"A": "b"}"#, r#"env       "A" "b""#),
        (r#""disabled": true"#, "switched off"),
        (r#""includeTools": []"#, r#"tools     "none""#),
        (r#""includeTools": ["a"]"#, r#"tools     "a" "only""#),
        (r#""excludeTools": ["b"]"#, r#"tools     "b" "never""#),
        (r#""autoApprove": ["c"]"#, r#"unasked   "c" "this tool""#),
        (r#""timeout": 5000"#, r#"waits     "call" "5000 ms""#),
        (r#""startupTimeout": 6000"#, r#"waits     "start" "6000 ms""#),
        (r#""description": "for fun""#, r#"says      "description" "for fun""#),
        (r#""alwaysLoad": true"#, r#"says      "schemas always loaded" "yes""#),
        (r#""alwaysLoad": false"#, r#"says      "schemas always loaded" "no""#),
    ] {
        let (before, after) = (facts(base), facts(&format!("{base}, {key}")));
        assert!(after.to_string().contains(shown), "{key}: {shown} is not in\n{after}");
        assert_ne!(before.digest(), after.digest(), "{key}");
    }
}

#[test]
fn the_whole_environment_is_said_wanted_and_said_given() {
    let mut world =
        World::new().project(".hoocode/mcp-servers/x.json", r#"{"name": "x", "command": "x", "background": true}"#);
    let plan = world.plan("x");
    let text = plan.facts().to_string();
    assert!(text.contains("every variable of yours once that is confirmed"), "{text}");
    assert!(text.contains(r#"says      "in the background" "yes""#), "{text}");
    world.trust.approve_with(&plan, ["environment"], crate::support::at(1)).unwrap();
    let text = world.plan("x").facts().to_string();
    assert!(text.contains(r#"inherits  "every variable of yours""#), "{text}");
}

#[test]
fn a_value_that_leaves_is_said_once_with_where_it_goes() {
    let text = facts(r#""command": "x", "args": ["${A}", "${A}", "${B}"], "env": {"C": "${A}"}"#).to_string();
    let sent: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("sends")).map(str::trim).collect();
    assert_eq!(sent, [r#"sends     "$A" "x""#, r#"sends     "$B" "x""#]);
}

#[test]
fn the_program_that_a_bare_name_finds_is_said_and_what_a_value_put_into_it_is_not() {
    let world =
        World::new().project(".mcp.json", r#"{"mcpServers": {"x": {"command": "${TOOL}"}, "y": {"command": "tool"}}}"#);
    let folder = world.home.join("bin");
    let tool = folder.join("tool");
    crate::support::write(&tool, "#!/bin/sh\n");
    #[cfg(unix)]
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let world = world.vars([("PATH", &*folder.to_string_lossy()), ("TOOL", &*tool.to_string_lossy())]);
    let found = tool.to_string_lossy().into_owned();
    assert!(world.plan("y").facts().to_string().contains(&found));
    assert!(!world.plan("x").facts().to_string().contains(&found));
}

#[test]
fn what_is_passed_on_is_shown_and_approved() {
    let plan = |more: &str| {
        let text = format!("[mcp_servers.x]\ncommand = \"x\"\n{more}");
        World::new().project(".codex/config.toml", text).plan("x").facts()
    };
    let passing = plan("env_vars = [\"OF_MINE\"]\n");
    assert!(passing.to_string().contains("passes    \"$OF_MINE\""), "{passing}");
    assert_ne!(plan("").digest(), passing.digest());
}

#[test]
fn only_what_lies_outside_the_project_is_wanted() {
    let wants = |text: &str| {
        let entry = format!(r#"{{"mcpServers": {{"x": {{"command": "x", "env": {{"A": "{text}"}}}}}}}}"#);
        let world = World::new().project(".mcp.json", entry).project("inside", "").home("outside", "");
        world.plan("x").wants().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(wants("${file:inside}"), [""; 0]);
    assert_eq!(wants("${file:~/outside}"), ["file:~/outside"]);
    assert_eq!(wants("${keyring:k}"), ["keyring:k"]);
    assert_eq!(wants("${HOME} ${input:i}"), [""; 0]);
}

#[test]
fn a_program_of_the_path_that_a_file_of_variables_sets() {
    let world = World::new().project(".mcp.json", r#"{"mcpServers": {"x": {"command": "tool", "envFile": ".env"}}}"#);
    let (folder, file) = (world.project.join("bin"), world.project.join(".env"));
    crate::support::write(&folder.join("tool"), "#!/bin/sh\n");
    crate::support::write(&file, format!("A=1\nPATH=/nowhere\nPATH={}\nB=2\n", folder.display()));
    #[cfg(unix)]
    std::fs::set_permissions(folder.join("tool"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let text = world.text(&world.plan("x").facts());
    assert!(text.contains(r#"program   "./bin/tool""#), "{text}");
}

#[test]
fn what_a_server_is_let_off_at_its_login_is_said_in_words() {
    for exception in ["unstated-code-challenges", "private-addresses"] {
        let entry = format!(r#""url": "https://x.example", "oauth": {{"exceptions": ["{exception}"]}}"#);
        let text = facts(&entry).to_string();
        let said = text.lines().find(|line| line.contains(exception)).unwrap_or_default();
        assert!(said.contains("the authorization server "), "{text}");
    }
}
