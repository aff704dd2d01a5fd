//! Public bug reports about MCP configuration, each a check of what should have happened.
//!
//! A check is tried on this crate, where it must hold, and on the naive reader, where most must not.

mod naive;
mod system;

use std::io::Read as _;
use std::path::Path;

use naive::Naive;
use system::{System, Toolkit};

use crate::support::{World, write};

type Check = fn(&dyn System) -> Result<(), String>;

/// Defines one test per report, and the list of all of them.
macro_rules! reports {
    ($($name:ident = $check:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let check: Check = $check;
                assert_eq!(check(&Toolkit), Ok(()));
            }
        )*

        const REPORTS: &[(&str, Check)] = &[$((stringify!($name), $check)),*];
    };
}

fn ensure(condition: bool, otherwise: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(otherwise.to_owned()) }
}

fn user(servers: &str) -> World {
    World::new().home(".agents/mcp.json", format!(r#"{{"mcpServers": {{{servers}}}}}"#))
}

fn names(system: &dyn System, world: &World) -> Result<Vec<String>, String> {
    Ok(system.list(world)?.into_iter().map(|row| row.name).collect())
}

fn mentions(system: &dyn System, world: &World, text: &str) -> Result<(), String> {
    let problems = system.problems(world);
    ensure(problems.iter().any(|problem| problem.contains(text)), &format!("{text:?} is not in {problems:?}"))
}

reports! {
    // https://github.com/QwenLM/qwen-code/issues/11499
    r01_an_unset_variable_is_an_error_and_is_never_sent = |system| {
        let world = user(r#""web": {"url": "https://x.example", "headers": {"Authorization": "Bearer ${MY_TOKEN}"}}"#);
        let error = system.start(&world, "web").err().ok_or("it starts")?;
        ensure(error.contains("headers.Authorization") && error.contains("MY_TOKEN"), &error)
    };
    // https://github.com/anthropics/claude-code/issues/6204
    r02_headers_in_an_unexpected_place_are_reported = |system| {
        let world = user(r#""web": {"url": "https://x.example", "transport": {"headers": {"A": "b"}}}"#);
        mentions(system, &world, "unknown key `transport`")
    };
    // https://github.com/langchain-ai/langchain-mcp-adapters/issues/437
    r03_a_variable_in_env_is_expanded = |system| {
        let world = user(r#""x": {"command": "x", "env": {"A": "${V}"}}"#).vars([("V", "value")]);
        ensure(system.start(&world, "x")?.values == [("A".to_owned(), "value".to_owned())], "not expanded")
    };
    // https://github.com/langchain-ai/deepagents/issues/4681
    r04_expansion_waits_for_trust_and_fails_one_server = |system| {
        let world = user(r#""good": {"command": "x"}, "bad": {"command": "x", "args": ["${UNSET}"]}"#)
            .project(".mcp.json", r#"{"mcpServers": {"theirs": {"command": "x", "args": ["${UNSET}"]}}}"#);
        system.start(&world, "good")?;
        let bad = system.start(&world, "bad").err().ok_or("it starts without the variable")?;
        let theirs = system.start(&world, "theirs").err().ok_or("it starts without approval")?;
        ensure(bad.contains("args[0]") && theirs.contains("not approved"), &theirs)
    };
    // https://github.com/agentscope-ai/QwenPaw/issues/1623
    r05_one_bad_header_stops_nothing_else = |system| {
        let world = user(r#""bad": {"url": "https://x.example", "headers": {"A": ["b"]}}, "good": {"command": "x"}"#);
        ensure(names(system, &world)? == ["good"], "the good one is lost")?;
        mentions(system, &world, "/mcpServers/bad/headers/A")
    };
    // https://github.com/PrefectHQ/fastmcp/issues/4711
    r06_an_entry_without_a_command_keeps_its_siblings = |system| {
        let world = user(r#""bad": {"args": ["x"]}, "good": {"command": "x"}"#);
        ensure(names(system, &world)? == ["good"], "the good one is lost")
    };
    // https://github.com/xintaofei/codeg/issues/632
    r07_an_empty_file_is_no_servers = |system| {
        for content in ["", " \n", "// nothing\n", "\u{feff}"] {
            let world = user(r#""good": {"command": "x"}"#).project(".mcp.json", content);
            ensure(names(system, &world)? == ["good"], "the good one is lost")?;
        }
        Ok(())
    };
    // https://github.com/can1357/oh-my-pi/issues/7101
    r08_a_broken_entry_that_is_off_or_shadowed_stops_nothing = |system| {
        let world = user(r#""off": {"disabled": true, "command": 7}, "good": {"command": "x"}"#)
            .project(".mcp.json", r#"{"mcpServers": {"good": {"args": 7}}}"#);
        ensure(system.start(&world, "good")?.command == "x", "another one starts")
    };
    // https://github.com/anthropics/claude-code/issues/9906
    r09_a_byte_order_mark_is_read_and_kept = |system| {
        let world = World::new().home(".agents/mcp.json", "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}");
        ensure(names(system, &world)? == ["a"], "the server is lost")?;
        let path = world.home.join(".agents/mcp.json");
        system.add(&path, &["b"])?;
        ensure(std::fs::read(&path).unwrap().starts_with(b"\xEF\xBB\xBF{"), "the mark is lost")
    };
    // https://github.com/tradesdontlie/tradingview-mcp/issues/406
    r10_a_write_to_a_marked_file_loses_no_server = |system| {
        let world = World::new().home(".agents/mcp.json", "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}");
        system.add(&world.home.join(".agents/mcp.json"), &["b"])?;
        ensure(names(system, &world)? == ["a", "b"], "a server is lost")
    };
    // https://github.com/openai/codex/issues/45432
    r11_adding_to_toml_touches_one_table = |system| {
        let before = "# mine\nmodel = \"x\" # why\n\n[mcp_servers.a] # first\ncommand = \"a\"\nfuture = { b = 1 }\n";
        let world = World::new().home(".codex/config.toml", before);
        let path = world.home.join(".codex/config.toml");
        system.add(&path, &["b"])?;
        let after = std::fs::read_to_string(&path).unwrap();
        ensure(after.starts_with(before) && after.contains("[mcp_servers.b]"), &after)
    };
    // https://github.com/microsoft/vscode/issues/281583
    r12_adding_keeps_comments = |system| {
        let before = "{\n  // the servers\n  \"servers\": {\n    /* a */ \"a\": {\"command\": \"a\"}, // first\n  },\n}\n";
        let world = World::new().project(".vscode/mcp.json", before);
        let path = world.project.join(".vscode/mcp.json");
        system.add(&path, &["b"])?;
        let after = std::fs::read_to_string(&path).unwrap();
        let kept = ["// the servers\n", "/* a */ \"a\": {\"command\": \"a\"}, // first\n", "\"b\""];
        ensure(kept.iter().all(|line| after.contains(line)), &after)
    };
    // https://github.com/openai/codex/issues/24718
    r13_reading_writes_nothing_and_line_endings_stay = |system| {
        let before = "{\r\n  // kept\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"a\"}\r\n  }\r\n}\r\n";
        let world = World::new().home(".agents/mcp.json", before);
        let path = world.home.join(".agents/mcp.json");
        names(system, &world)?;
        ensure(std::fs::read_to_string(&path).unwrap() == before, "reading has written")?;
        system.add(&path, &["b"])?;
        let after = std::fs::read_to_string(&path).unwrap();
        ensure(after.matches('\n').count() == after.matches("\r\n").count() && after.contains("\"b\""), &after)
    };
    // https://github.com/supermemoryai/install-mcp/issues/41
    r14_a_file_that_does_not_parse_is_left_alone = |system| {
        let before = "{\"mcpServers\": {\"a\": {\"command\": \"a\"}";
        let world = World::new().home(".agents/mcp.json", before);
        let path = world.home.join(".agents/mcp.json");
        ensure(system.add(&path, &["b"]).is_err(), "it is written")?;
        ensure(std::fs::read_to_string(&path).unwrap() == before, "it is changed")
    };
    // https://github.com/anthropics/claude-code/issues/28922
    r15_a_reader_never_sees_half_a_file = |system| {
        let before = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
        let world = World::new().home(".agents/mcp.json", before);
        let path = world.home.join(".agents/mcp.json");
        let mut reader = std::fs::File::open(&path).unwrap();
        system.add(&path, &["b"])?;
        let mut seen = String::new();
        reader.read_to_string(&mut seen).unwrap();
        ensure(seen == before, "the file was changed under its reader")
    };
    // https://github.com/anthropics/claude-code/issues/65463
    r16_two_edits_at_once_lose_nothing = |system| {
        let world = user("");
        system.add(&world.home.join(".agents/mcp.json"), &["a", "b"])?;
        ensure(names(system, &world)? == ["a", "b"], "one is lost")
    };
    // https://github.com/anthropics/claude-code/issues/87838
    r17_listings_hide_values = |system| {
        let world = user(r#""x": {"command": "x", "env": {"KEY": "hunter2"}}, "y": {"url": "https://y.example", "headers": {"X": "hunter2"}}"#);
        ensure(!system.show(&world).contains("hunter2"), "it is shown")
    };
    // https://github.com/apify/apify-mcp-server/issues/1162
    r18_output_carries_templates = |system| {
        let world = user(r#""x": {"url": "https://x.example", "headers": {"A": "Bearer ${T}"}}"#).vars([("T", "hunter2")]);
        let shown = system.show(&world);
        ensure(!shown.contains("hunter2") && shown.contains("Bearer ${T}"), "the value is shown")
    };
    // https://github.com/CherryHQ/cherry-studio/issues/18648
    r19_arguments_and_urls_hide_secrets = |system| {
        let world = user(r#""x": {"command": "x", "args": ["--token", "hunter2", "--api-key=hunter2", "-H", "Authorization: hunter2"]},
            "y": {"url": "https://me:hunter2@y.example/mcp?key=hunter2"}"#);
        ensure(!system.show(&world).contains("hunter2"), "it is shown")
    };
    // https://github.com/cline/cline/issues/902
    r20_windows_finds_npx_without_a_shell = |system| {
        let mut world = user(r#""x": {"command": "npx", "args": ["-y", "x@1.0.0"]}"#);
        write(&world.home.join("bin/npx.CMD"), "");
        make_executable(&world.home.join("bin/npx.CMD"));
        let path = world.home.join("bin").display().to_string();
        world.environment = world.environment.with_platform(mcp_config::Platform::Windows).with_vars([("Path", path)]);
        let found = world.home.join("bin/npx.CMD");
        ensure(Path::new(&system.start(&world, "x")?.command) == found, "another file is started")?;
        let wrong = system.problems(&world);
        ensure(wrong.is_empty(), &wrong.join("\n"))?;
        std::fs::remove_file(world.home.join("bin/npx.CMD")).unwrap();
        mentions(system, &world, "`npx`")
    };
    // https://github.com/modelcontextprotocol/servers/issues/64
    r21_a_program_is_looked_for_on_the_path_it_is_given = |system| {
        let world = World::new();
        write(&world.home.join("nvm/tool"), "");
        make_executable(&world.home.join("nvm/tool"));
        let path = world.home.join("nvm").display().to_string();
        let world = world.home(".agents/mcp.json", format!(
            r#"{{"mcpServers": {{"found": {{"command": "tool", "env": {{"PATH": {path:?}}}}}, "lost": {{"command": "tool"}}}}}}"#
        ));
        let problems = system.problems(&world);
        ensure(problems.len() == 1 && problems[0].contains("server `lost`"), &problems.join("\n"))
    };
    // https://github.com/cline/cline/issues/9950
    r22_a_server_runs_in_a_directory_that_is_known = |system| {
        let mut world = World::new().project(".mcp.json", r#"{"mcpServers": {"a": {"command": "./a"}, "b": {"command": "b", "cwd": "sub"}}}"#);
        world.environment.cwd = world.project.join("deep");
        std::fs::create_dir_all(&world.environment.cwd).unwrap();
        for name in ["a", "b"] {
            system.approve(&mut world, name);
        }
        let (a, b) = (system.start(&world, "a")?, system.start(&world, "b")?);
        ensure(a.cwd == "." && b.cwd == "./sub" && a.command.ends_with("/project/a"), &format!("{a:?} {b:?}"))
    };
    // https://github.com/github/copilot-cli/issues/3379
    r23_the_entry_that_is_shown_is_the_one_that_runs = |system| {
        let mut world = user(r#""x": {"command": "user"}"#)
            .project(".mcp.json", r#"{"mcpServers": {"x": {"command": "project"}, "y": {"command": "y"}}}"#);
        let row = |world: &World| system.list(world).map(|rows| rows.into_iter().find(|row| row.name == "x").unwrap());
        ensure(row(&world)?.path == "~/.agents/mcp.json" && system.start(&world, "x")?.command == "user", "before")?;
        let project = world.merged().shadowed[0].server.clone();
        world.trust.approve(&project.plan(&world.environment), crate::support::at(1)).unwrap();
        let after = row(&world)?;
        ensure(after.path == "./.mcp.json" && after.shadows == 1, &format!("{after:?}"))?;
        ensure(system.start(&world, "x")?.command == "project", "after")
    };
    // https://github.com/microsoft/vscode/issues/284261
    r24_a_name_that_stands_twice_is_reported = |system| {
        let world = user(r#""x": {"command": "one"}, "x": {"command": "two"}"#);
        mentions(system, &world, "defined again")?;
        ensure(system.start(&world, "x")?.command == "two", "another one wins")
    };
    // https://github.com/anthropics/claude-code/issues/18472
    r25_names_that_begin_alike_stay_apart = |system| {
        let world = user(r#""a-name-that-is-longer-than-26-one": {"command": "1"}, "a-name-that-is-longer-than-26-two": {"command": "2"}"#);
        let commands = [system.start(&world, "a-name-that-is-longer-than-26-one")?, system.start(&world, "a-name-that-is-longer-than-26-two")?];
        ensure(commands[0].command == "1" && commands[1].command == "2", "mixed up")
    };
    // https://github.com/1jehuang/jcode/issues/1176
    r26_a_repositorys_server_does_not_start_by_itself = |system| {
        let world = World::new().project(".mcp.json", r#"{"mcpServers": {"x": {"command": "evil"}}}"#);
        ensure(names(system, &world)? == ["x"], "it is not listed")?;
        let error = system.start(&world, "x").err().ok_or("it starts")?;
        ensure(error.contains("is not approved"), &error)
    };
    // https://github.com/phnx-labs/agi-cli/issues/1233
    r27_an_unapproved_entry_hides_nothing = |system| {
        let world = user(r#""x": {"command": "mine"}"#).project(".mcp.json", r#"{"mcpServers": {"x": {"command": "evil"}}}"#);
        ensure(system.start(&world, "x")?.command == "mine", "the repository's starts")
    };
    // https://github.com/QwenLM/qwen-code/pull/11703
    r28_an_approval_is_for_the_entry_that_runs = |system| {
        let mut world = World::new().project(".mcp.json", r#"{"mcpServers": {"x": {"command": "approved"}}}"#);
        system.approve(&mut world, "x");
        let world = world.project(".agents/mcp.json", r#"{"mcpServers": {"x": {"command": "other"}}}"#)
            .project(".cursor/mcp.json", r#"{"mcpServers": {"x": {"command": "other"}}}"#)
            .project("deep/.mcp.json", r#"{"mcpServers": {"x": {"command": "nearer"}}}"#);
        let mut nearer = world;
        nearer.environment.cwd = nearer.project.join("deep");
        let started = system.start(&nearer, "x")?;
        ensure(started.command == "approved", &started.command)?;
        let mut world = nearer.project(".mcp.json", "{}");
        world.environment.cwd = world.project.clone();
        ensure(system.start(&world, "x").is_err(), "another file's entry of that name starts")
    };
    // https://nvd.nist.gov/vuln/detail/CVE-2025-54136
    r29_a_changed_definition_asks_again = |system| {
        let mut world = World::new().project(".mcp.json", r#"{"mcpServers": {"x": {"command": "good"}}}"#);
        system.approve(&mut world, "x");
        ensure(system.start(&world, "x")?.command == "good", "it does not start")?;
        let world = world.project(".mcp.json", r#"{"mcpServers": {"x": {"command": "evil"}}}"#);
        let error = system.start(&world, "x").err().ok_or("the changed command starts")?;
        ensure(error.contains("has changed"), &error)
    };
    // https://github.com/OpenHands/software-agent-sdk/issues/3187
    r30_what_is_hidden_is_not_what_is_written = |system| {
        let world = user(r#""x": {"command": "x", "env": {"KEY": "hunter2"}}"#);
        let path = world.home.join(".agents/mcp.json");
        system.add(&path, &["b"])?;
        let after = std::fs::read_to_string(path).unwrap();
        ensure(after.contains("hunter2") && !after.contains("redacted"), &after)
    };
    // https://github.com/ThinkInAIXYZ/deepchat/issues/2239
    r31_an_expanded_value_is_never_written = |system| {
        let world = user(r#""x": {"command": "x", "env": {"KEY": "${T}"}, "kept": 1}"#).vars([("T", "hunter2")]);
        system.start(&world, "x")?;
        let path = world.home.join(".agents/mcp.json");
        system.add(&path, &["b"])?;
        let after = std::fs::read_to_string(path).unwrap();
        ensure(after.contains("${T}") && !after.contains("hunter2") && after.contains("\"kept\": 1"), &after)
    };
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1371
    r32_every_candidate_path_is_tried_and_the_one_in_use_is_named = |system| {
        for path in [".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json", ".codeium/windsurf-next/mcp_config.json"] {
            let world = World::new().home(path, r#"{"mcpServers": {"w": {"command": "w"}}}"#);
            let rows = system.list(&world)?;
            ensure(rows.len() == 1 && rows[0].path == format!("~/{path}"), &format!("{rows:?}"))?;
        }
        Ok(())
    };
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &std::path::Path) {}

#[test]
fn the_naive_reader_fails_nearly_all_of_them() {
    let passes: Vec<&str> = REPORTS.iter().filter(|(_, check)| check(&Naive).is_ok()).map(|(name, _)| *name).collect();
    assert_eq!(REPORTS.len(), 32);
    assert!(passes.len() <= 4, "the naive reader passes {passes:?}");
}
