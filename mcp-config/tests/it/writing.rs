//! Edits: only the entry meant changes, in every format that is written.

use std::path::PathBuf;
use std::time::Duration;

use expect_test::{ExpectFile, expect_file};
use mcp_config::{Edit, Error, FileFormat, NewServer, Preset, RemoteTransport};

use crate::support::World;

fn files() -> NewServer {
    NewServer::stdio("npx", ["-y", "files@1.0.0", "my dir"]).with_env("KEY", "${KEY}")
}

fn web() -> NewServer {
    NewServer::remote("https://x.example/mcp", RemoteTransport::Http).with_header("Authorization", "Bearer ${T}")
}

/// Writes `before`, edits it, and compares what is on disk.
fn check(format: FileFormat, before: &str, edit: impl FnOnce(&mut Edit), expected: ExpectFile) {
    let world = World::new().home("file", before);
    let path = world.home.join("file");
    let mut open = Edit::open(&path, format).unwrap();
    edit(&mut open);
    open.save().unwrap();
    let after = std::fs::read_to_string(&path).unwrap_or_else(|_| "(removed)".to_owned());
    expected.assert_eq(&after.replace("\r\n", "␍\n"));
}

#[test]
fn a_new_file_of_each_format() {
    let formats = [
        (FileFormat::McpServers, expect_file!["../expected/edit/new-toolkit.json"]),
        (FileFormat::VsCode, expect_file!["../expected/edit/new-vscode.json"]),
        (FileFormat::Codex, expect_file!["../expected/edit/new-codex.toml"]),
        (FileFormat::FreeCode, expect_file!["../expected/edit/new-freecode.json"]),
    ];
    for (format, expected) in formats {
        check(
            format,
            "",
            |edit| {
                edit.add("files", &files()).unwrap();
                edit.add("web", &web()).unwrap();
            },
            expected,
        );
    }
    check(
        FileFormat::HoocodeSingle,
        "",
        |edit| assert!(edit.add("web", &web()).is_ok()),
        expect_file!["../expected/edit/new-hoocode.json"],
    );
}

#[test]
fn freecodes_file_keeps_every_other_byte() {
    let before = "{\n    \"providers\" : { \"openai\": {\"apiKey\":\"sk-1\"} },\n    \"current\":\"openai\",\n    \"mcp\": {\"pollInterval\": 5000,\n        \"servers\": [\n            {\"name\": \"a\", \"type\": \"local\", \"command\": [\"a\"]}\n        ]\n    }\n}\n";
    check(
        FileFormat::FreeCode,
        before,
        |edit| assert!(edit.add("b", &web().with_timeout(Duration::from_secs(9))).is_ok()),
        expect_file!["../expected/edit/freecode-add.json"],
    );
    check(
        FileFormat::FreeCode,
        before,
        |edit| assert!(edit.add("a", &NewServer::stdio("new", ["x"])).is_ok()),
        expect_file!["../expected/edit/freecode-replace.json"],
    );
    check(
        FileFormat::FreeCode,
        before,
        |edit| assert!(edit.set_enabled("a", false).is_ok()),
        expect_file!["../expected/edit/freecode-disable.json"],
    );
    check(
        FileFormat::FreeCode,
        before,
        |edit| assert!(edit.remove("a").is_ok()),
        expect_file!["../expected/edit/freecode-remove.json"],
    );
    check(
        FileFormat::FreeCode,
        "{\"current\": \"x\"}",
        |edit| assert!(edit.add("a", &NewServer::stdio("a", ["b"])).is_ok()),
        expect_file!["../expected/edit/freecode-section.json"],
    );
}

#[test]
fn codex_tables_keep_comments_order_and_endings() {
    let before = "# top\r\nmodel = 'x'\r\n\r\n[mcp_servers.a] # first\r\ncommand = \"a\"\r\n\r\n# second\r\n[mcp_servers.b]\r\ncommand = \"b\"\r\n[mcp_servers.b.env]\r\nK = \"v\"\r\n\r\n[tui]\r\ntheme = 'dark'\r\n";
    check(
        FileFormat::Codex,
        before,
        |edit| assert!(edit.add("c", &files()).is_ok()),
        expect_file!["../expected/edit/codex-add.toml"],
    );
    check(
        FileFormat::Codex,
        before,
        |edit| assert!(edit.remove("b").is_ok()),
        expect_file!["../expected/edit/codex-remove.toml"],
    );
    check(
        FileFormat::Codex,
        before,
        |edit| assert!(edit.set_enabled("a", false).is_ok()),
        expect_file!["../expected/edit/codex-disable.toml"],
    );
    check(
        FileFormat::Codex,
        before,
        |edit| assert!(edit.add("a", &web()).is_ok()),
        expect_file!["../expected/edit/codex-replace.toml"],
    );
    check(
        FileFormat::Codex,
        "mcp_servers = { a = { command = 'a' } } # one line\n",
        |edit| assert!(edit.add("b", &files()).is_ok()),
        expect_file!["../expected/edit/codex-inline.toml"],
    );
}

#[test]
fn switching_off_and_on_restores_the_file() {
    let before = "{\"mcpServers\": {\n  \"a\": {\"command\": \"a\"}, // kept\n  \"b\": {\"command\": \"b\", \"enabled\": true}\n}}\n";
    check(
        FileFormat::McpServers,
        before,
        |edit| {
            assert!(edit.set_enabled("a", false).unwrap());
            assert!(edit.set_enabled("b", false).unwrap());
            assert!(!edit.set_enabled("c", false).unwrap());
        },
        expect_file!["../expected/edit/disabled.json"],
    );
    let world = World::new().home("file", before);
    let mut edit = Edit::open(world.home.join("file"), FileFormat::McpServers).unwrap();
    for name in ["a", "b"] {
        edit.set_enabled(name, false).unwrap();
        edit.set_enabled(name, true).unwrap();
    }
    assert_eq!(edit.text(), before);
}

#[test]
fn settings_switch_servers_of_other_files() {
    let before = "{\n  // mine\n  \"imports\": [\"cursor\"]\n}\n";
    check(
        FileFormat::Settings,
        before,
        |edit| {
            assert!(edit.set_enabled("a", false).unwrap() && edit.set_enabled("b", false).unwrap());
            assert!(edit.set_enabled("b", true).unwrap());
            assert!(edit.add("c", &files()).is_err());
        },
        expect_file!["../expected/edit/settings.json"],
    );
    let world = World::new().home(".cursor/mcp.json", r#"{"mcpServers": {"a": {"command": "a"}}}"#);
    let mut edit = Edit::open(world.environment.settings_file().unwrap(), FileFormat::Settings).unwrap();
    edit.set_enabled("a", false).unwrap();
    edit.save().unwrap();
    assert!(!world.merged().server("a").unwrap().enabled());
}

#[test]
fn a_bare_map_stays_bare() {
    check(
        FileFormat::McpServers,
        "{\n  \"a\": {\"command\": \"a\"}\n}\n",
        |edit| {
            assert!(edit.contains("a"));
            edit.add("b", &NewServer::stdio("b", ["x"])).unwrap();
        },
        expect_file!["../expected/edit/bare.json"],
    );
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    let world = World::new();
    let slow = files().with_timeout(Duration::from_secs(5));
    let sse = NewServer::remote("https://x.example", RemoteTransport::Sse);
    let there = files().with_cwd("/srv");
    let cases = [
        (FileFormat::VsCode, &slow, "VS Code's mcp.json cannot express a time-out"),
        (FileFormat::Codex, &sse, "Codex's config.toml cannot express the SSE transport"),
        (FileFormat::FreeCode, &there, "FreeCode's config.json cannot express a working directory"),
        (FileFormat::HoocodeSingle, &there, "hoocode's mcp-servers file cannot express a working directory"),
    ];
    for (format, server, expected) in cases {
        let error = Edit::open(world.home.join("new"), format).unwrap().add("x", server).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    for name in ["", " ", "a\nb", &"x".repeat(300)] {
        let error =
            Edit::open(world.home.join("new"), FileFormat::McpServers).unwrap().add(name, &files()).unwrap_err();
        assert!(matches!(error, Error::Name { .. }), "{name:?}");
    }
    assert!(!world.home.join("new").exists());
}

#[test]
fn a_file_that_cannot_be_edited_is_left_alone() {
    let cases = [
        (FileFormat::McpServers, "{"),
        (FileFormat::McpServers, "[]"),
        (FileFormat::McpServers, "{\"mcpServers\": []}"),
        (FileFormat::FreeCode, "{\"mcp\": {\"servers\": {}}}"),
        (FileFormat::FreeCode, "{\"mcp\": 7}"),
        (FileFormat::FreeCode, "{\"mcp\": {\"servers\": [], \"servers\": []}}"),
        (FileFormat::McpServers, "{\"servers\": {\"a\": {\"command\": \"a\"}}}"),
        (FileFormat::McpServers, "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        (FileFormat::VsCode, "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}"),
        (FileFormat::Codex, "a = 1\na = 2\n"),
        (FileFormat::Codex, "mcp_servers = 7\n"),
    ];
    for (format, content) in cases {
        let world = World::new().home("file", content);
        let error = Edit::open(world.home.join("file"), format).unwrap_err();
        assert!(matches!(error, Error::Unreadable { .. }), "{content:?}");
    }
    // Somebody breaks the file between opening and saving.
    let world = World::new().home("file", "{}");
    let path = world.home.join("file");
    let mut edit = Edit::open(&path, FileFormat::McpServers).unwrap();
    edit.add("a", &files()).unwrap();
    std::fs::write(&path, "{\"mcpServers\": ").unwrap();
    assert!(edit.save().is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"mcpServers\": ");
}

#[test]
fn saving_without_a_change_writes_nothing() {
    let world = World::new();
    let path = world.home.join("sub/new.json");
    Edit::open(&path, FileFormat::McpServers).unwrap().save().unwrap();
    assert!(!path.exists() && !path.parent().unwrap().exists());
}

#[cfg(unix)]
#[test]
fn modes_and_links_stay() {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let world = World::new().home("real.json", "{}");
    let (real, link, new) = (world.home.join("real.json"), world.home.join("link.json"), world.home.join("new.json"));
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    for path in [&link, &new] {
        let mut edit = Edit::open(path, FileFormat::McpServers).unwrap();
        edit.add("a", &files()).unwrap();
        edit.save().unwrap();
    }
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("files@1.0.0"));
    assert_eq!((mode(&real), mode(&new)), (0o640, 0o600));
    let left: Vec<_> = std::fs::read_dir(&world.home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "something is left behind: {left:?}");
}

#[test]
fn freecodes_quick_start() {
    // `mcp add NAME local COMMAND`, `mcp add NAME remote URL`, `mcp list`, `mcp remove NAME`.
    let world = World::new();
    let path = world.home.join(".freecode/config.json");
    let add = |name: &str, kind: &str, words: &[&str]| {
        let mut edit = Edit::open(&path, FileFormat::FreeCode).unwrap();
        edit.add(name, &NewServer::from_words(kind, words).unwrap()).unwrap();
        edit.save().unwrap();
    };
    add("files", "local", &["npx -y 'server files' /srv"]);
    add("web", "remote", &["https://x.example/mcp"]);
    let merged = world.merged_as(Preset::Freecode);
    let shown: Vec<_> = merged.servers.iter().map(|server| format!("{} {}", server.name(), server.preview())).collect();
    assert_eq!(shown, [r#"files npx -y "server files" /srv"#, "web https://x.example/mcp"]);
    let mut edit = Edit::open(&path, FileFormat::FreeCode).unwrap();
    assert!(edit.remove("files").unwrap());
    edit.save().unwrap();
    assert_eq!(world.merged_as(Preset::Freecode).servers.len(), 1);

    for (kind, words) in [
        ("local", vec![""]),
        ("local", vec![]),
        ("local", vec!["a 'b"]),
        ("remote", vec!["x.example"]),
        ("remote", vec!["https://"]),
        ("far", vec!["x"]),
    ] {
        assert!(NewServer::from_words(kind, &words).is_err(), "{kind} {words:?}");
    }
}
