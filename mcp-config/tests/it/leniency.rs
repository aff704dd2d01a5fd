//! What programs and people write that is not quite right, and means one thing all the same.

use mcp_config::{LaunchPreview, Preset};

use crate::support::World;

/// The preview of the one server in this entry, and what is wrong with it.
fn read(path: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let world = World::new().project(path, text);
    let shown = |server: &mcp_config::Resolved| format!("{} {}", server.name(), server.preview());
    (world.merged().servers.iter().map(shown).collect(), world.problems())
}

#[test]
fn an_empty_list_is_phps_empty_map() {
    for entry in [
        r#"{"command": "x", "env": []}"#,
        r#"{"command": "x", "env": [], "headers": []}"#,
        r#"{"command": "x", "args": [], "env": {}}"#,
    ] {
        assert_eq!(
            read(".mcp.json", &format!(r#"{{"mcpServers": {{"s": {entry}}}}}"#)),
            (vec!["s x".to_owned()], vec![]),
            "{entry}"
        );
    }
    assert_eq!(read(".mcp.json", r#"{"mcpServers": []}"#), (vec![], vec![]));
    let (servers, problems) = read(".mcp.json", r#"{"mcpServers": {"s": {"command": "x", "env": ["A=B"]}}}"#);
    assert!(
        servers.is_empty() && problems[0].contains("expected an object that maps names to strings"),
        "{problems:?}"
    );
}

#[test]
fn an_empty_text_beside_what_counts_is_absent() {
    for (path, text, expected) in [
        (".mcp.json", r#"{"mcpServers": {"s": {"command": "x", "url": ""}}}"#, "s x"),
        (".mcp.json", r#"{"mcpServers": {"s": {"command": "", "url": "https://u.example"}}}"#, "s https://u.example"),
        (".mcp.json", r#"{"mcpServers": {"s": {"type": "", "command": "x", "cwd": "", "envFile": ""}}}"#, "s x"),
        (".gemini/settings.json", r#"{"mcpServers": {"s": {"command": "x", "url": "", "httpUrl": ""}}}"#, "s x"),
        (".codex/config.toml", "[mcp_servers.s]\ncommand = 'x'\nurl = ''\n", "s x"),
        ("opencode.json", r#"{"mcp": {"s": {"type": "local", "command": ["x"], "url": ""}}}"#, "s x"),
    ] {
        assert_eq!(read(path, text), (vec![expected.to_owned()], vec![]), "{text}");
    }
    for text in [r#"{"command": ""}"#, r#"{"url": ""}"#, r#"{"command": "", "url": ""}"#] {
        let (servers, problems) = read(".mcp.json", &format!(r#"{{"mcpServers": {{"s": {text}}}}}"#));
        assert!(servers.is_empty() && problems.len() == 1, "{text}: {problems:?}");
    }
    let (_, problems) = read(".mcp.json", r#"{"mcpServers": {"s": {"command": "x", "url": "https://u.example"}}}"#);
    assert!(problems[0].contains("both `command` and `url` are given"), "{problems:?}");
    let world =
        World::new().project(".mcp.json", r#"{"mcpServers": {"s": {"command": "x", "cwd": "", "envFile": ""}}}"#);
    let LaunchPreview::Stdio { cwd, env_file, .. } = world.merged().servers[0].preview().launch else { panic!() };
    assert_eq!((cwd, env_file), (None, None));
}

#[test]
fn a_path_whose_backslashes_were_eaten_is_named() {
    for (value, written) in [
        (r"C:\temp", r"`\t`"),
        (r"C:\\dir\new", r"`\n`"),
        (r"c:\\a\\b\run", r"`\r`"),
        (r"--dir=C:\bin", r"`\b`"),
        (r"\\\\server\files", r"`\f`"),
    ] {
        for entry in [
            format!(r#"{{"command": "{value}"}}"#),
            format!(r#"{{"command": "x", "args": ["{value}"]}}"#),
            format!(r#"{{"command": "x", "cwd": "{value}"}}"#),
            format!(r#"{{"command": "x", "env": {{"A": "{value}"}}}}"#),
        ] {
            let (servers, problems) = read(".mcp.json", &format!(r#"{{"mcpServers": {{"s": {entry}}}}}"#));
            let cause = format!(
                "the path holds a control character, as {written} is one here (fix: write every backslash of a path twice)"
            );
            assert!(
                servers.len() == 1 && problems.len() == 1 && problems[0].ends_with(&cause),
                "{entry}: {problems:?}"
            );
        }
    }
    for value in [r"C:\\temp", r"echo a\necho b", r"a\tb", r"C: a", "/tmp/x"] {
        let (_, problems) =
            read(".mcp.json", &format!(r#"{{"mcpServers": {{"s": {{"command": "x", "args": ["{value}"]}}}}}}"#));
        assert_eq!(problems, [""; 0], "{value}");
    }
}

#[cfg(feature = "yaml")]
#[test]
fn continues_files_may_end_in_yml() {
    let block =
        |name: &str| format!("name: b\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: {name}\n    command: x\n");
    let world = World::new()
        .project(".continue/mcpServers/one.yml", block("one"))
        .project(".continue/mcpServers/two.yaml", block("two"))
        .home(".continue/mcpServers/three.yml", block("three"))
        .home(".continue/config.yml", block("four"));
    let merged = world.merged_as(Preset::Only(mcp_config::Host::Continue));
    let names: Vec<_> = merged.servers.iter().map(mcp_config::Resolved::name).collect();
    assert_eq!(names, ["four", "one", "three", "two"]);
    assert!(
        world
            .discovery()
            .with_preset(Preset::Only(mcp_config::Host::Continue))
            .reads(&world.project.join(".continue/mcpServers/x.yml"))
    );
}

#[test]
fn a_relative_path_in_a_variable_counts_from_the_working_directory() {
    let text = r#"{"mcp": {"s": {"type": "local", "command": ["x"]}}}"#;
    let world = World::new().project("conf/oc.json", text).vars([("OPENCODE_CONFIG", "conf/oc.json")]);
    let server = world.merged_as(Preset::Only(mcp_config::Host::OpenCode)).servers.remove(0);
    assert_eq!(server.origin().path, world.project.join("conf/oc.json"));
    // It is the repository's file, and so waits.
    assert!(server.trusted().is_err());
    for value in ["", "missing.json"] {
        let world = World::new().project("conf/oc.json", text).vars([("OPENCODE_CONFIG", value)]);
        assert!(world.merged_as(Preset::Only(mcp_config::Host::OpenCode)).servers.is_empty(), "{value:?}");
    }
}
