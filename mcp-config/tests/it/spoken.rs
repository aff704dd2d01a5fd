//! What must be in no words once a server runs: the person's own values, and what is spelt out and looks like a secret.

use mcp_config::{Answers, Secret};

use crate::support::{World, at, write};

struct Person;

impl Answers for Person {
    fn input(&self, _: &str) -> Option<Secret> {
        Some(Secret::new("typed"))
    }

    fn keyring(&self, _: &str) -> Option<Secret> {
        Some(Secret::new("kept"))
    }
}

/// The secrets of a server of the user's.
fn secrets(entry: &str) -> Vec<String> {
    let world = World::new().home(".agents/mcp.json", format!(r#"{{"mcpServers": {{"x": {{{entry}}}}}}}"#)).vars([
        ("MINE", "own"),
        ("EMPTY", " "),
        ("LANG", "C"),
        ("LC_ALL", "C"),
        ("XDG_CACHE_HOME", "/c"),
    ]);
    write(&world.home.join("token"), "read");
    write(&world.home.join("variables"), "PLAIN=shown\nA_TOKEN=filed\n");
    let entry = world.merged();
    let activated = entry.server("x").unwrap().trusted().unwrap().activate_with(&world.environment, &Person).unwrap();
    activated.secrets.iter().map(|secret| secret.expose().to_owned()).collect()
}

#[test]
fn every_value_of_the_persons_is_a_secret() {
    for (text, expected) in [
        ("${MINE}", &["own"][..]),
        ("a${MINE}b${input:i}", &["own", "typed"]),
        ("${keyring:k}", &["kept"]),
        ("${file:~/token}", &["read"]),
        ("${NOT_SET:-plain}", &[]),
        // What is in every environment is no secret, nor what is empty.
        ("${LANG}", &[]),
        ("${LC_ALL}", &[]),
        ("${XDG_CACHE_HOME}", &[]),
        ("${EMPTY}x", &[]),
    ] {
        assert_eq!(secrets(&format!(r#""command": "c", "args": ["{text}"]"#)), expected, "{text} as an argument");
        assert_eq!(secrets(&format!(r#""command": "c", "env": {{"A": "{text}"}}"#)), expected, "{text} as a variable");
    }
}

#[test]
fn a_variable_that_is_passed_on_is_one() {
    for (passed, expected) in [("MINE", &["own"][..]), ("LANG", &[]), ("NOT_SET", &[])] {
        let world = World::new()
            .project(".codex/config.toml", format!("[mcp_servers.x]\ncommand = \"c\"\nenv_vars = [\"{passed}\"]\n"))
            .vars([("MINE", "own"), ("LANG", "C")]);
        let mut trusting = world;
        trusting.approve("x");
        let merged = trusting.merged();
        let activated = merged.server("x").unwrap().trusted().unwrap().activate(&trusting.environment).unwrap();
        assert_eq!(activated.secrets.iter().map(Secret::expose).collect::<Vec<_>>(), expected, "{passed}");
    }
}

#[test]
fn what_is_spelt_out_is_one_where_it_looks_like_one() {
    for (entry, expected) in [
        (r#""command": "c", "args": ["--model", "fast", "--api-key", "hunter2"]"#, &["hunter2"][..]),
        (r#""command": "c", "env": {"A_TOKEN": "hunter2", "EDITOR": "vi"}"#, &["hunter2"]),
        (r#""command": "c", "envFile": "~/variables""#, &["filed"]),
        (r#""command": "c""#, &[]),
        (r#""url": "https://x.example/", "headers": {"A": "hunter2"}"#, &["hunter2"]),
        (r#""url": "https://x.example/?key=hunter2""#, &["hunter2"]),
        (r#""url": "https://x.example/""#, &[]),
    ] {
        assert_eq!(secrets(entry), expected, "{entry}");
    }
}

#[test]
fn nothing_that_was_activated_is_in_its_debug_form() {
    for (entry, shown) in [
        (r#""command": "${MINE}/tool", "args": ["a1", "${MINE}"], "env": {"A": "${MINE}"}, "cwd": "~""#, "Stdio"),
        (r#""type": "http", "url": "https://x.example/${MINE}?a=${MINE}", "headers": {"A": "${MINE}"}"#, "Http"),
        (r#""type": "sse", "url": "https://x.example/${MINE}""#, "Sse"),
        (r#""url": "https://x.example/${MINE}""#, "HttpAuto"),
    ] {
        let world = World::new()
            .home(".agents/mcp.json", format!(r#"{{"mcpServers": {{"x": {{{entry}}}}}}}"#))
            .vars([("MINE", "hunter2")]);
        let merged = world.merged();
        let launch = merged.server("x").unwrap().trusted().unwrap().activate(&world.environment).unwrap().launch;
        let text = format!("{launch:?}");
        assert!(text.starts_with(shown) && !text.contains("hunter2") && !text.contains("a1"), "{text}");
        assert!(text.contains("[redacted]") || text.contains("https://x.example"), "{text}");
    }
}

#[test]
fn what_waits_for_a_person_says_how_they_answer() {
    for (entry, said) in [
        (r#""command": "c", "args": ["${input:i}"]"#, "`args[0]` needs an answer to the prompt i"),
        (r#""command": "c", "args": ["${keyring:k}"]"#, "`args[0]` needs the secret k, which is not stored"),
        (r#""command": "c", "env": {"A": "${NOT_SET}"}"#, "`env.A` needs the variable NOT_SET, which is not set"),
    ] {
        let world = World::new().home(".agents/mcp.json", format!(r#"{{"mcpServers": {{"x": {{{entry}}}}}}}"#));
        let merged = world.merged();
        let server = merged.server("x").unwrap();
        let problem = server.trusted().unwrap().activate(&world.environment).unwrap_err();
        assert!(problem.message.starts_with(said), "{problem}");
        assert!(problem.fix.is_some(), "{problem}");
        let mut world = world.project(".mcp.json", format!(r#"{{"mcpServers": {{"y": {{{entry}}}}}}}"#));
        let plan = world.plan("y");
        assert_eq!(world.trust.approve(&plan, at(1)), Ok(()), "what only a person knows keeps nobody from approving");
    }
}

/// Codex expands nothing: what stands in its command lines is passed on, and may be for a shell to expand.
#[test]
fn a_host_without_variables_passes_its_command_line_on() {
    let mut world = World::new()
        .project(".codex/config.toml", "[mcp_servers.x]\ncommand = \"sh\"\nargs = [\"-c\", \"echo ${X}\"]\n");
    let plan = world.plan("x");
    assert_eq!(world.trust.approve(&plan, at(1)), Ok(()));
}
