//! Other systems' sources and order, and their own files.

use serde_json::json;

use crate::stage::{Stage, configuration, demo_server};

fn names(listed: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let rows = listed.as_array().unwrap().iter();
    rows.map(|row| (text(&row["server"]), text(&row["definition"]["command"]))).collect()
}

#[test]
fn hoocode_reads_its_five_sources_and_the_first_wins() {
    let stage = Stage::new();
    let entry = |command: &str| configuration(&json!({"same": {"command": command}, command: {"command": command}}));
    let home = |name: &str, text: String| {
        let path = stage.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    home(".agents/mcp.json", entry("one"));
    stage.write(".agents/mcp.json", entry("two"));
    home("config/claude/mcp.json", entry("three"));
    home(".config/claude/mcp.json", entry("three"));
    home(".hoocode/mcp-servers/four.json", json!({"name": "four", "command": "four"}).to_string());
    home(".hoocode/mcp-servers/same.json", json!({"name": "same", "command": "four"}).to_string());
    stage.write(".hoocode/mcp-servers/five.json", json!({"name": "five", "command": "five"}).to_string());
    // What hoocode does not read.
    stage.write(".mcp.json", entry("none"));

    let listed = stage.run(&["--preset", "hoocode", "list", "--json"]).expect_code(0).json();
    let mut expected: Vec<(String, String)> =
        ["one", "two", "three", "four", "five"].map(|name| (name.to_owned(), name.to_owned())).into();
    expected.push(("same".to_owned(), "one".to_owned()));
    expected.sort();
    assert_eq!(names(&listed), expected);
}

#[test]
fn hoocode_spells_tool_ids_its_own_way() {
    let stage = Stage::new();
    let path = stage.home().join(".hoocode/mcp-servers/library.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut server = demo_server("library");
    server["name"] = json!("library");
    std::fs::write(path, server.to_string()).unwrap();
    let called = stage.run(&["--preset", "hoocode", "call", "mcp_library_echo", "message=x"]).expect_code(0);
    assert!(called.stdout.starts_with("x (from"), "{}", called.stdout);
}

#[test]
fn freecode_adds_lists_asks_and_removes_in_its_one_file() {
    let stage = Stage::new();
    let file = stage.home().join(".freecode/config.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before =
        "{\n  \"providers\": {\"x\": 1},\n  \"mcp\": {\n    \"servers\": [],\n    \"pollInterval\": 5000\n  }\n}\n";
    std::fs::write(&file, before).unwrap();
    let freecode = |arguments: &[&str]| stage.run(&[&["--preset", "freecode"][..], arguments].concat());

    let command = format!("'{}' demo-server library", env!("CARGO_BIN_EXE_mcpctl"));
    freecode(&["add", "library", "local", &command]).expect_code(0);
    freecode(&["add", "docs", "remote", "https://example.com/mcp"]).expect_code(0);
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let servers = written["mcp"]["servers"].as_array().unwrap();
    assert_eq!((&servers[0]["name"], &servers[0]["type"]), (&json!("library"), &json!("local")), "{written:#}");
    assert_eq!((&servers[1]["type"], &servers[1]["url"]), (&json!("remote"), &json!("https://example.com/mcp")));
    assert_eq!(written["providers"], json!({"x": 1}));

    let listed = freecode(&["list", "--json"]).expect_code(0).json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    // FreeCode's word for it; nothing outlives the command.
    assert!(freecode(&["start", "library"]).expect_code(0).stdout.contains("2 tools"));
    assert_eq!(freecode(&["status", "library", "--json"]).expect_code(0).json()[0]["state"], "connected");
    freecode(&["remove", "library"]).expect_code(0);
    freecode(&["remove", "docs"]).expect_code(0);
    freecode(&["remove", "docs"]).expect_code(2);
    let after: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(after, serde_json::from_str::<serde_json::Value>(before).unwrap());
}

#[test]
fn one_host_alone_is_that_host_s_world() {
    let stage = Stage::new();
    let path = stage.home().join(".cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, configuration(&json!({"a": demo_server("library")}))).unwrap();
    stage.run(&["--preset", "cursor", "call", "a", "echo", "message=x"]).expect_code(0);
    stage.run(&["--preset", "nobody", "list"]).expect_code(2);
}

#[test]
fn other_hosts_project_files_are_written_on_request() {
    let stage = Stage::new();
    for (scope, file, contains) in [
        ("vscode", ".vscode/mcp.json", "\"servers\""),
        ("codex", ".codex/config.toml", "[mcp_servers.a]"),
        ("project", ".mcp.json", "\"mcpServers\""),
    ] {
        stage.run(&["add", "a", "--scope", scope, "--", "some-command", "--flag"]).expect_code(0);
        let text = std::fs::read_to_string(stage.project().join(file)).unwrap();
        assert!(text.contains(contains) && text.contains("--flag"), "{file}:\n{text}");
        stage.run(&["remove", "a", "--scope", scope]).expect_code(0);
    }
}

#[test]
fn a_registry_entry_is_added_at_its_exact_version() {
    let stage = Stage::new();
    let server = json!({
        "name": "io.example/weather",
        "description": "Weather.",
        "version": "1.2.3",
        "packages": [{
            "registryType": "npm", "identifier": "@example/weather", "version": "1.2.3",
            "transport": {"type": "stdio"},
            "environmentVariables": [{"name": "API_KEY", "isRequired": true, "isSecret": true, "description": "the key"}],
        }],
    });
    let file = stage.write("server.json", server.to_string());
    let added = stage.run(&["add", "--from-registry", file.to_str().unwrap()]).expect_code(0);
    assert!(added.stderr.contains("needs secret"), "{}", added.stderr);
    assert!(added.stderr.contains("hint: mcpctl secret set io.example/weather.API_KEY\n"), "{}", added.stderr);
    let got = stage.run(&["get", "weather", "--json"]).expect_code(0).json();
    assert!(got["definition"]["args"].to_string().contains("@example/weather@1.2.3"), "{got:#}");
}

const PRESETS: [&str; 20] = [
    "toolkit",
    "claude-code",
    "claude-desktop",
    "vscode",
    "cursor",
    "windsurf",
    "codex",
    "gemini",
    "opencode",
    "copilot",
    "zed",
    "cline",
    "roo",
    "goose",
    "continue",
    "inspector",
    "freecode",
    "hoocode",
    "--config",
    "--none",
];

/// Everything below the stage that is a file, without what the program remembers.
fn files(stage: &Stage) -> Vec<std::path::PathBuf> {
    let mut folders = vec![stage.home(), stage.project()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|path| !path.starts_with(stage.home().join("state")));
    files
}

#[test]
fn what_is_added_under_a_preset_is_read_by_it_or_nothing_is_written() {
    for preset in PRESETS {
        let mut writable = Vec::new();
        for scope in ["user", "project", "vscode", "codex"] {
            let stage = Stage::new();
            let named = stage.write("named.json", "{}");
            let whose = match preset {
                "--none" => vec![],
                "--config" => vec!["--config", named.to_str().unwrap()],
                preset => vec!["--preset", preset],
            };
            let run = |arguments: &[&str]| stage.run(&[&whose[..], arguments].concat());
            let added = run(&["add", "c", "--scope", scope, "--", "some-command"]);
            if added.code == 0 {
                writable.push(scope);
                let got = run(&["get", "c", "--json"]).expect_code(0).json();
                assert_eq!(got["definition"]["command"], "some-command", "{preset} {scope}");
                run(&["remove", "c"]).expect_code(0);
                run(&["get", "c"]).expect_code(2);
            } else {
                assert_eq!(added.code, 2, "{preset} {scope}: {added:?}");
                assert!(added.stderr.contains("hint: "), "{preset} {scope}: {added:?}");
                assert_eq!(files(&stage), [named], "{preset} {scope}");
            }
        }
        let expected: &[&str] = match preset {
            "toolkit" | "--none" => &["user", "project", "vscode", "codex"],
            "claude-code" | "copilot" => &["project"],
            "vscode" => &["vscode"],
            "codex" => &["codex"],
            "hoocode" => &["user", "project"],
            "freecode" => &["user"],
            _ => &[],
        };
        assert_eq!(writable, expected, "{preset}");
    }
}

#[test]
fn another_host_s_own_file_is_not_written_and_nothing_claims_it_was() {
    let stage = Stage::new();
    let path = stage.home().join(".codex/config.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "[mcp_servers.a]\ncommand = 'a'\n").unwrap();
    let before = files(&stage);
    let codex = |arguments: &[&str]| stage.run(&[&["--preset", "codex"][..], arguments].concat());

    let refused = codex(&["disable", "a"]).expect_code(2);
    assert!(refused.stderr.contains(".codex/config.toml:1"), "it says where the server is: {}", refused.stderr);
    assert!(!refused.stderr.contains("switched"), "{}", refused.stderr);
    let refused = codex(&["add", "c", "--", "c"]).expect_code(2);
    assert!(refused.stderr.contains("use --scope codex"), "{}", refused.stderr);
    codex(&["remove", "a"]).expect_code(2);
    codex(&["import", "--yes"]).expect_code(2);
    assert_eq!(files(&stage), before);

    // The project's file is read by the preset, and written.
    codex(&["add", "c", "--scope", "codex", "--", "c"]).expect_code(0);
    codex(&["disable", "c"]).expect_code(0);
    assert_eq!(codex(&["get", "c", "--json"]).expect_code(0).json()["enabled"], false);
    // Without the preset, the toolkit's settings have the last word on every host's servers.
    stage.run(&["disable", "a"]).expect_code(0);
    assert_eq!(stage.run(&["get", "a", "--json"]).expect_code(0).json()["enabled"], false);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "[mcp_servers.a]\ncommand = 'a'\n");
}
