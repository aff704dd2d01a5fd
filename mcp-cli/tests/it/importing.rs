//! `import` takes over what is new, and the user's own only when that is what they ask for.

use serde_json::{Value, json};

use crate::stage::{Stage, configuration};

fn write_home(stage: &Stage, name: &str, text: &str) {
    let path = stage.home().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn own(stage: &Stage) -> Value {
    let text = std::fs::read_to_string(stage.home().join(".agents/mcp.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["mcpServers"].clone()
}

fn stage() -> Stage {
    let stage = Stage::new();
    let theirs = json!({"a": {"command": "theirs"}, "b": {"command": "b"}, "c": {"command": "c"}});
    write_home(&stage, ".cursor/mcp.json", &configuration(&theirs));
    let mine = json!({"a": {"command": "mine", "env": {"TOKEN": "t0p"}}, "c": {"command": "c"}});
    write_home(&stage, ".agents/mcp.json", &configuration(&mine));
    stage
}

#[test]
fn what_the_user_has_is_kept_unless_it_is_named() {
    let stage = stage();
    let imported = stage.run(&["import", "cursor", "--yes"]).expect_code(0);
    assert!(imported.stderr.contains("a: yours is kept"), "{}", imported.stderr);
    assert!(imported.stderr.contains("imported 1 into"), "{}", imported.stderr);
    assert_eq!((&own(&stage)["a"]["command"], &own(&stage)["b"]["command"]), (&json!("mine"), &json!("b")));
    let again = stage.run(&["import", "cursor", "--yes"]).expect_code(0);
    assert!(again.stderr.contains("nothing to import"), "{}", again.stderr);
}

#[test]
fn what_is_replaced_can_be_had_back() {
    for words in [&["--server", "a"][..], &["--replace"]] {
        let stage = stage();
        let before = std::fs::read(stage.home().join(".agents/mcp.json")).unwrap();
        let replaced = stage.run(&[&["import", "cursor", "--yes"], words].concat()).expect_code(0);
        assert_eq!(own(&stage)["a"]["command"], "theirs");
        assert!(!replaced.stderr.contains("t0p") && !replaced.stdout.contains("t0p"), "{replaced:?}");
        let kept = stage.home().join(".agents/mcp.json.bak");
        assert!(replaced.stderr.contains(kept.to_str().unwrap()), "{}", replaced.stderr);
        assert_eq!(std::fs::read(&kept).unwrap(), before);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;

            assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
        }
        // The next one keeps both.
        write_home(&stage, ".cursor/mcp.json", &configuration(&json!({"a": {"command": "newer"}})));
        stage.run(&["import", "cursor", "--yes", "--replace"]).expect_code(0);
        assert_eq!(own(&stage)["a"]["command"], "newer");
        assert_eq!(std::fs::read(&kept).unwrap(), before);
        assert!(std::fs::read_to_string(stage.home().join(".agents/mcp.json.bak.2")).unwrap().contains("theirs"));
    }
}

#[test]
fn an_entry_of_the_user_s_that_cannot_be_read_is_not_overwritten() {
    let stage = stage();
    let mine = configuration(&json!({"b": {"command": 7}}));
    write_home(&stage, ".agents/mcp.json", &mine);
    let refused = stage.run(&["import", "cursor", "--yes"]).expect_code(2);
    assert!(refused.stderr.contains("`b` stands in"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(stage.home().join(".agents/mcp.json")).unwrap(), mine);
}

#[test]
fn what_is_left_out_is_listed() {
    let vscode = json!({
        "inputs": [
            {"type": "promptString", "id": "token", "description": "The token", "password": true},
            {"type": "pickString", "id": "region", "default": "eu ${x}", "options": ["eu ${x}", "us"]},
        ],
        "servers": {"v": {"command": "v", "env": {"T": "${input:token}", "R": "${input:region}"}, "dev": {"watch": "x"}}},
    });
    let codex = "[mcp_servers.x]\ncommand = 'sh'\nargs = ['-c', 'for i in a b; do echo ${i}; done']\nrequired = true\n\
        supports_parallel_tool_calls = true\nfrobnicate = 1\n";
    let hoocode = json!({"name": "h", "command": "h", "background": false});
    let stage = Stage::new();
    write_home(&stage, "config/Code/User/mcp.json", &vscode.to_string());
    write_home(&stage, ".codex/config.toml", codex);
    write_home(&stage, ".hoocode/mcp-servers/h.json", &hoocode.to_string());
    let imported = stage.run(&["import", "--yes"]).expect_code(0);
    for left_out in [
        "v: not taken over: of the prompt `token`: its question",
        "v: not taken over: of the prompt `region`: its question, that the answer is no secret, the answers to choose from",
        "v: not taken over: keys that have no meaning here: `dev`",
        "x: not taken over: `${i}` in `args[1]` as a variable: to its host it is mere text, and it stays that",
        "x: not taken over: whether a program must not go on without it",
        "x: not taken over: whether calls may run in parallel",
        "x: not taken over: keys that have no meaning here: `frobnicate`",
        "h: not taken over: the whole environment, of which it gets what programs need to run",
    ] {
        assert!(imported.stderr.contains(left_out), "{left_out} is not in\n{}", imported.stderr);
    }
    let own = own(&stage);
    assert_eq!(own["x"]["args"][1], "for i in a b; do echo $${i}; done");
    assert_eq!(own["v"]["env"], json!({"T": "${input:token}", "R": "${input:region:-eu $${x}}"}));
    assert_eq!(own["h"]["background"], false);
}

#[cfg(unix)]
#[test]
fn a_text_that_is_no_variable_to_its_host_reaches_the_program_as_it_is() {
    let stage = Stage::new();
    let seen = stage.home().join("seen");
    let script = format!("for i in a b; do echo ${{i}}; done > '{}'", seen.display());
    write_home(&stage, ".codex/config.toml", &format!("[mcp_servers.x]\ncommand = 'sh'\nargs = ['-c', {script:?}]\n"));
    stage.run(&["import", "--yes"]).expect_code(0);
    stage.run(&["status", "x"]);
    assert_eq!(std::fs::read_to_string(seen).unwrap_or_default(), "a\nb\n");
}

#[test]
fn a_sandboxed_server_is_taken_over_by_name_alone() {
    let stage = Stage::new();
    let servers = json!({"servers": {"v": {"command": "v", "sandboxEnabled": true}}});
    write_home(&stage, "config/Code/User/mcp.json", &servers.to_string());
    let kept = stage.run(&["import", "--yes", "--replace"]).expect_code(0);
    assert!(kept.stderr.contains("v: left where it is"), "{}", kept.stderr);
    let named = stage.run(&["import", "--yes", "--server", "v"]).expect_code(0);
    assert!(named.stderr.contains("not taken over: the sandbox"), "{}", named.stderr);
    assert_eq!(own(&stage)["v"]["command"], "v");
}
