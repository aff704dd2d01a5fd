//! What an administrator denies does not run, however it is written; what is not understood denies.

use mcp_config::{Answers, ProblemKind, Secret, Trust};

use crate::support::{World, write};

const SETTINGS: &str = "root/etc/claude-code/managed-settings.json";

/// Three servers of the user's in Claude Code's own file, under these settings.
fn world(settings: &str) -> World {
    let world = World::new().home(SETTINGS, settings).home(
        ".claude.json",
        r#"{"mcpServers": {"a": {"command": "npx", "args": ["evil"]}, "b": {"command": "b"}, "u": {"type": "http", "url": "https://u.example/mcp"}}}"#,
    );
    let mut world = world;
    world.trust = world.trust.with_allowed_imports([mcp_config::Host::ClaudeCode]);
    world.environment = world.environment.clone().with_system_root(world.home.join("root"));
    world
}

/// The servers that are not refused.
fn left(world: &World) -> Vec<String> {
    let merged = world.merged();
    let left = merged.servers.iter().filter(|server| !matches!(server.trust(), Trust::Denied { .. }));
    left.map(|server| server.name().to_owned()).collect()
}

#[test]
fn what_is_not_understood_denies_with_a_problem() {
    for settings in [
        "[]",
        "7",
        "{",
        r#"{"deniedMcpServers": {"serverName": "a"}}"#,
        r#"{"deniedMcpServers": "a"}"#,
        r#"{"deniedMcpServers": null}"#,
        r#"{"deniedMcpServers": ["a"]}"#,
        r#"{"deniedMcpServers": [{}]}"#,
        r#"{"deniedMcpServers": [{"serverHash": "x"}]}"#,
        r#"{"deniedMcpServers": [{"serverName": ""}]}"#,
        r#"{"deniedMcpServers": [{"serverName": "x", "serverUrl": "https://x"}]}"#,
        r#"{"deniedMcpServers": [{"serverCommand": "npx evil"}]}"#,
        r#"{"deniedMcpServers": [{"serverCommand": []}]}"#,
        r#"{"deniedMcpServers": [{"serverCommand": ["npx", 7]}]}"#,
        r#"{"deniedMcpServers": [{"serverCommand": ["${NOT_SET}"]}]}"#,
        r#"{"deniedMcpServers": [{"serverUrl": 7}]}"#,
        r#"{"allowedMcpServers": {"serverName": "a"}}"#,
        r#"{"allowedMcpServers": "a"}"#,
        r#"{"allowedMcpServers": [{"serverHash": "a"}]}"#,
        r#"{"allowedMcpServers": [{"serverName": "a"}], "allowedMcpServers": [{"serverName": "b"}, 7]}"#,
    ] {
        let world = world(settings);
        assert_eq!(left(&world), [""; 0], "{settings}");
        assert_eq!(world.problems().len(), 1, "{settings}: {:?}", world.problems());
        assert!(world.problems()[0].starts_with("error: ~/root/etc/"), "{settings}");
    }
    // What is beside the lists is no rule.
    assert_eq!(left(&world(r#"{"permissions": 7, "deniedMcpServers": []}"#)), ["a", "b", "u"]);
    assert_eq!(left(&world("")), ["a", "b", "u"]);
}

#[test]
fn lists_that_are_understood() {
    for (settings, expected) in [
        (r#"{"deniedMcpServers": [{"serverName": "a"}], "deniedMcpServers": [{"serverName": "b"}]}"#, &["u"][..]),
        (r#"{"deniedMcpServers": [{"serverCommand": ["npx", "evil"]}]}"#, &["b", "u"]),
        (r#"{"deniedMcpServers": [{"serverCommand": ["npx"]}]}"#, &["a", "b", "u"]),
        (r#"{"deniedMcpServers": [{"serverUrl": "*://*.example/*"}]}"#, &["a", "b"]),
        (r#"{"deniedMcpServers": [{"serverUrl": "*"}]}"#, &["a", "b"]),
        (r#"{"allowedMcpServers": [{"serverUrl": "*"}, {"serverName": "a"}]}"#, &["a", "u"]),
        (r#"{"allowedMcpServers": [{"serverUrl": "u"}]}"#, &[]),
        (r#"{"allowedMcpServers": []}"#, &[]),
        (r#"{"allowedMcpServers": [{"serverName": "a"}, {"serverName": "u"}]}"#, &["a", "u"]),
        // A name is not enough where command lines or URLs are listed.
        (r#"{"allowedMcpServers": [{"serverName": "a"}, {"serverName": "u"}, {"serverCommand": ["b"]}]}"#, &["b", "u"]),
        (r#"{"allowedMcpServers": [{"serverName": "a"}, {"serverName": "u"}, {"serverUrl": "https://x"}]}"#, &["a"]),
        (r#"{"allowedMcpServers": [{"serverName": "a"}, 7]}"#, &["a"]),
        (r#"{"allowedMcpServers": [{"serverName": "a"}], "deniedMcpServers": [{"serverName": "a"}]}"#, &[]),
    ] {
        assert_eq!(left(&world(settings)), expected, "{settings}");
    }
}

/// Whether one server of the user's is refused, when it is listed or at the latest when it starts.
fn is_refused(settings: &str, entry: &str) -> bool {
    let mut world = world(settings).vars([("NPX", "npx"), ("EVIL", "evil"), ("HOST", "evil.example")]);
    write(&world.home.join(".claude.json"), format!(r#"{{"mcpServers": {{"x": {entry}}}}}"#));
    world.environment = world.environment.clone().with_vars([("PATH", "")]);
    let merged = world.merged();
    let Ok(trusted) = merged.server("x").unwrap().trusted() else { return true };
    match trusted.activate(&world.environment) {
        Ok(_) => false,
        Err(problem) => {
            assert_eq!(problem.kind, ProblemKind::Refused, "{entry}: {problem}");
            true
        }
    }
}

#[test]
fn the_resolved_command_is_judged() {
    let denied =
        r#"{"deniedMcpServers": [{"serverCommand": ["npx", "evil"]}, {"serverCommand": ["${NPX}", "-y", "${EVIL}"]}]}"#;
    for (command, arguments, refused) in [
        ("npx", r#"["evil"]"#, true),
        ("${NOPE:-npx}", r#"["evil"]"#, true),
        ("${NPX}", r#"["${EVIL}"]"#, true),
        ("npx", r#"["-y", "evil"]"#, true),
        ("/usr/bin/npx", r#"["evil"]"#, true),
        ("./npx", r#"["evil"]"#, true),
        ("npx.cmd", r#"["evil"]"#, true),
        ("C:\\\\bin\\\\npx.CMD", r#"["evil"]"#, true),
        ("npx", r#"["evil", "--flag"]"#, false),
        ("npx", r#"["good"]"#, false),
        ("npx.js", r#"["evil"]"#, false),
        // What a program starts in turn is not looked at.
        ("env", r#"["npx", "evil"]"#, false),
    ] {
        let entry = format!(r#"{{"command": "{command}", "args": {arguments}}}"#);
        assert_eq!(is_refused(denied, &entry), refused, "{entry}");
    }
    let allowed = r#"{"allowedMcpServers": [{"serverCommand": ["npx", "good"]}]}"#;
    for (command, refused) in
        [("npx", false), ("${NOPE:-npx}", false), ("./npx", true), ("/tmp/npx", true), ("npx.cmd", true)]
    {
        let entry = format!(r#"{{"command": "{command}", "args": ["good"]}}"#);
        assert_eq!(is_refused(allowed, &entry), refused, "{entry}");
    }
}

#[test]
fn the_expanded_url_is_judged() {
    let denied =
        r#"{"deniedMcpServers": [{"serverUrl": "https://evil.example/*"}, {"serverUrl": "http://bare.example"}]}"#;
    for (url, refused) in [
        ("https://evil.example/mcp", true),
        ("https://${HOST}/mcp", true),
        ("https://${NOPE:-evil.example}/mcp", true),
        ("HTTPS://EVIL.example/mcp", true),
        ("https://evil.example./mcp", true),
        ("https://evil.example:443/mcp", true),
        ("https://user:word@evil.example/mcp", true),
        ("http://bare.example", true),
        ("http://bare.example/any/path", true),
        ("http://bare.example:80/any/path", true),
        ("http://bare.example:81/any/path", false),
        ("https://evil.example:8443/mcp", false),
        ("https://good.example/evil.example/mcp", false),
    ] {
        let entry = format!(r#"{{"type": "http", "url": "{url}"}}"#);
        assert_eq!(is_refused(denied, &entry), refused, "{entry}");
    }
    let allowed = r#"{"allowedMcpServers": [{"serverUrl": "https://*.good.example/*"}]}"#;
    for (url, refused) in [
        ("https://a.good.example/mcp", false),
        ("https://evil.example/.good.example/mcp", true),
        ("https://evil.example?.good.example/mcp", true),
        ("https://a.good.example@evil.example/mcp", true),
        ("http://a.good.example/mcp", true),
    ] {
        let entry = format!(r#"{{"type": "http", "url": "{url}"}}"#);
        assert_eq!(is_refused(allowed, &entry), refused, "{entry}");
    }
}

#[test]
fn a_managed_list_that_cannot_be_read_excludes_everything_else() {
    let world = world("{}");
    std::fs::create_dir_all(world.home.join("root/etc/claude-code/managed-mcp.json")).unwrap();
    assert_eq!(left(&world), [""; 0]);
}

#[test]
fn what_only_a_person_knows_is_judged_when_it_starts() {
    struct Answer(&'static str);
    impl Answers for Answer {
        fn input(&self, _: &str) -> Option<Secret> {
            Some(Secret::new(self.0))
        }
        fn keyring(&self, _: &str) -> Option<Secret> {
            Some(Secret::new(self.0))
        }
    }
    let denied =
        r#"{"deniedMcpServers": [{"serverCommand": ["npx", "evil"]}, {"serverUrl": "https://evil.example/*"}]}"#;
    let allowed =
        r#"{"allowedMcpServers": [{"serverCommand": ["npx", "good"]}, {"serverUrl": "https://good.example/*"}]}"#;
    for (settings, reason) in [(denied, "denies it"), (allowed, "does not allow it")] {
        for variable in ["input", "keyring"] {
            let mut world = world(settings).project(
                ".mcp.json",
                r#"{"mcpServers": {"p": {"command": "npx", "args": ["${input:i}"]}, "r": {"type": "http", "url": "https://${input:i}.example/"}}}"#
                    .replace("input:", &format!("{variable}:")),
            );
            for name in ["p", "r"] {
                let plan = world.plan(name);
                world.trust.approve_with(&plan, ["keyring:i"], crate::support::at(1)).unwrap();
                let merged = world.merged();
                let trusted = merged.server(name).unwrap().trusted().unwrap();
                assert!(trusted.activate_with(&world.environment, &Answer("good")).is_ok(), "{name}");
                let problem = trusted.activate_with(&world.environment, &Answer("evil")).unwrap_err();
                let reason = format!("managed-settings.json {reason}");
                assert!(problem.kind == ProblemKind::Refused && problem.message.ends_with(&reason), "{problem}");
            }
        }
    }
}

#[test]
fn a_refusal_names_the_settings_and_a_problem_what_comes_of_it() {
    for (settings, said) in [
        ("[", "~/root/etc/claude-code/managed-settings.json is not understood, and may deny it"),
        (
            r#"{"deniedMcpServers": [7]}"#,
            "~/root/etc/claude-code/managed-settings.json is not understood, and may deny it",
        ),
        (r#"{"allowedMcpServers": [7]}"#, "~/root/etc/claude-code/managed-settings.json does not allow it"),
    ] {
        let world = world(settings);
        let Trust::Denied { reason } = world.merged().server("a").unwrap().trust().clone() else {
            panic!("{settings}")
        };
        assert_eq!(world.text(&reason), said);
    }
    assert!(world(r#"{"deniedMcpServers": [7]}"#).problems()[0].ends_with("; nothing is allowed"));
    assert!(world(r#"{"allowedMcpServers": [7]}"#).problems()[0].ends_with("; it allows nothing"));
}

#[test]
fn the_rules_are_for_claude_code_and_the_file_it_shares() {
    let entry = r#"{"mcpServers": {"x": {"command": "x"}}}"#;
    for (file, is_governed) in [(".mcp.json", true), (".cursor/mcp.json", false), (".vscode/mcp.json", false)] {
        let text = if file.starts_with(".vscode") { entry.replace("mcpServers", "servers") } else { entry.to_owned() };
        let world = world(r#"{"deniedMcpServers": [{"serverName": "x"}]}"#).project(file, text);
        assert_eq!(!left(&world).contains(&"x".to_owned()), is_governed, "{file}");
    }
    let world = world(r#"{"deniedMcpServers": [{"serverName": "x"}]}"#).home(".agents/mcp.json", entry);
    assert!(left(&world).contains(&"x".to_owned()), "the user's own, in a file that Claude Code never reads");
}

#[test]
fn what_a_file_holds_is_judged_when_it_starts() {
    let allowed = r#"{"allowedMcpServers": [{"serverCommand": ["npx", "good"]}]}"#;
    for (held, refused) in [("good", false), ("evil", true)] {
        let entry = r#"{"mcpServers": {"x": {"command": "npx", "args": ["${file:held}"]}}}"#;
        let mut world = world(allowed).project("held", held).project(".mcp.json", entry);
        world.approve("x");
        let merged = world.merged();
        let trusted = merged.server("x").unwrap().trusted().unwrap();
        assert_eq!(trusted.activate(&world.environment).is_err(), refused, "{held}");
    }
}
