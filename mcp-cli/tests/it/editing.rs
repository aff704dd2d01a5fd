//! `add` and `remove` change one entry and nothing else.

use serde_json::json;

use crate::stage::Stage;

#[test]
fn a_server_is_added_listed_and_removed() {
    let stage = Stage::new();
    stage.run(&["add", "time", "--env", "TZ=UTC", "--", "uvx", "mcp-server-time"]).expect_code(0);
    stage
        .run(&["add", "docs", "https://example.com/mcp", "--header", "Authorization: Bearer ${DOCS_TOKEN}"])
        .expect_code(0);

    let written = std::fs::read_to_string(stage.home().join(".agents/mcp.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(
        written["mcpServers"],
        json!({
            "time": {"type": "stdio", "command": "uvx", "args": ["mcp-server-time"], "env": {"TZ": "UTC"}},
            "docs": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${DOCS_TOKEN}"}},
        })
    );

    let listed = stage.run(&["list", "--json"]).expect_code(0).json();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|server| server["server"].as_str().unwrap()).collect();
    assert_eq!(names, ["docs", "time"]);

    stage.run(&["remove", "time"]).expect_code(0);
    stage.run(&["remove", "time"]).expect_code(2);
    let listed = stage.run(&["list", "--json"]).expect_code(0).json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
}

#[test]
fn a_server_is_added_with_its_way_to_log_in() {
    let stage = Stage::new();
    let add = |name: &str, members: &[&str]| {
        let mut arguments = vec!["add", name, "https://example.com/mcp"];
        arguments.extend(members.iter().flat_map(|member| ["--oauth", member]));
        stage.run(&arguments)
    };
    add("device", &["clientId=12345", "flow=device", "scopes=read write", "callbackPort=8123"]).expect_code(0);
    let lists = ["exceptions=private-addresses", "exceptions=unstated-code-challenges", "resource=false"];
    add("lenient", &lists).expect_code(0);
    let provider = ["tokenEndpoint=https://idp.example/token", "clientId=there", "idToken=${keyring:id}"];
    let provider: Vec<String> = provider.iter().map(|member| format!("identityProvider.{member}")).collect();
    let mut managed = vec!["flow=enterprise-managed", "clientId=here", "legacyEndpoints=true"];
    managed.extend(provider.iter().map(String::as_str));
    add("managed", &managed).expect_code(0);

    let written = std::fs::read_to_string(stage.home().join(".agents/mcp.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    let servers = &written["mcpServers"];
    assert_eq!(
        [&servers["device"]["oauth"], &servers["lenient"]["oauth"], &servers["managed"]["oauth"]],
        [
            &json!({"clientId": "12345", "flow": "device", "scopes": "read write", "callbackPort": 8123}),
            &json!({"exceptions": ["private-addresses", "unstated-code-challenges"], "resource": false}),
            &json!({
                "flow": "enterprise-managed", "clientId": "here", "legacyEndpoints": true,
                "identityProvider": {
                    "tokenEndpoint": "https://idp.example/token", "clientId": "there", "idToken": "${keyring:id}",
                },
            }),
        ]
    );

    for (members, expected) in [
        (&["clientid=x"][..], "unknown key `clientid` has no effect here; did you mean `clientId`?"),
        (&["flow=magic"], "expected one of authorization-code, device"),
        (&["flow=client-credentials", "clientId=x"], "expected `clientId` with `clientSecret` or `clientKey`"),
        (&["callbackPort=high"], "expected a port number"),
        (&["issuer=example.com"], "expected a URL that begins with https://"),
        (&["clientId"], "--oauth expects KEY=VALUE"),
    ] {
        let run = add("wrong", members).expect_code(2);
        assert!(run.stderr.contains(expected), "{members:?}: {}", run.stderr);
    }
    let run = stage.run(&["add", "local", "--oauth", "clientId=x", "--", "program"]).expect_code(2);
    assert!(run.stderr.contains("--oauth are for a URL"), "{}", run.stderr);
    let listed = stage.run(&["list", "--json"]).expect_code(0).json();
    assert_eq!(listed.as_array().unwrap().len(), 3, "nothing wrong is written");
}

#[test]
fn a_server_one_adds_to_the_project_is_one_s_own() {
    let stage = Stage::new();
    stage
        .run(&["add", "mine", "--scope", "project", "--", env!("CARGO_BIN_EXE_mcpctl"), "demo-server", "library"])
        .expect_code(0);
    stage.run(&["call", "mine", "echo", "message=hi"]).expect_code(0);
}

#[test]
fn comments_and_strangers_stay() {
    let stage = Stage::new();
    let before = "{\n  // ours\n  \"mcpServers\": {\n    \"old\": { \"command\": \"old\", \"x-unknown\": 1 }, // keep\n  },\n  \"other\": true\n}\n";
    stage.write(".mcp.json", before);
    stage.run(&["add", "new", "--scope", "project", "--", "new-server"]).expect_code(0);
    let after = std::fs::read_to_string(stage.project().join(".mcp.json")).unwrap();
    for kept in ["// ours", "// keep", "\"x-unknown\": 1", "\"other\": true", "new-server"] {
        assert!(after.contains(kept), "{kept} is not in\n{after}");
    }
    stage.run(&["remove", "new", "--scope", "project"]).expect_code(0);
    let restored = std::fs::read_to_string(stage.project().join(".mcp.json")).unwrap();
    assert!(restored.contains("// keep") && !restored.contains("new-server"), "{restored}");
}

#[test]
fn a_file_that_does_not_parse_is_not_written() {
    let stage = Stage::new();
    stage.write(".mcp.json", "{\"mcpServers\": {");
    stage.run(&["add", "new", "--scope", "project", "--", "new-server"]).expect_code(2);
    assert_eq!(std::fs::read_to_string(stage.project().join(".mcp.json")).unwrap(), "{\"mcpServers\": {");
}

#[test]
fn an_existing_name_is_not_overwritten() {
    let stage = Stage::new();
    stage.run(&["add", "time", "--", "one"]).expect_code(0);
    let again = stage.run(&["add", "time", "--", "two"]).expect_code(2);
    assert!(again.stderr.contains("mcpctl remove time"), "{}", again.stderr);
}

#[cfg(unix)]
#[test]
fn a_project_s_link_that_leads_out_of_it_is_not_followed() {
    use std::os::unix::fs::symlink;

    let stage = Stage::new();
    std::fs::create_dir(stage.project().join(".git")).unwrap();
    let outside = stage.home().join(".claude.json");
    let before = r#"{"mcpServers": {"mine": {"command": "mine"}}}"#;
    std::fs::write(&outside, before).unwrap();
    std::fs::create_dir(stage.home().join("elsewhere")).unwrap();
    symlink(&outside, stage.project().join(".mcp.json")).unwrap();
    symlink(stage.home().join("elsewhere"), stage.project().join(".vscode")).unwrap();
    symlink(stage.home().join("elsewhere/not-there"), stage.project().join(".codex")).unwrap();
    symlink(stage.home().join("elsewhere"), stage.project().join(".agents")).unwrap();
    for command in [
        &["add", "new", "--scope", "project", "--", "new-server"][..],
        &["add", "new", "--scope", "vscode", "--", "new-server"],
        &["add", "new", "--scope", "codex", "--", "new-server"],
        &["remove", "mine", "--scope", "project"],
        &["disable", "mine", "--scope", "project"],
        &["remove", "mine"],
        &["deny", "mcp__mine", "--scope", "project"],
    ] {
        let refused = stage.run(command).expect_code(2);
        assert!(refused.stderr.contains("outside the project"), "{command:?}: {}", refused.stderr);
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), before);
    assert_eq!(std::fs::read_dir(stage.home().join("elsewhere")).unwrap().count(), 0);

    // Switching it off is for the user's settings to say.
    stage.run(&["disable", "mine"]).expect_code(0);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn links_inside_the_project_and_of_the_user_s_own_files_are_followed() {
    use std::os::unix::fs::symlink;

    let stage = Stage::new();
    std::fs::create_dir(stage.project().join(".git")).unwrap();
    let shared = stage.write("config/servers.json", "{}");
    symlink("config/servers.json", stage.project().join(".mcp.json")).unwrap();
    let dotfiles = stage.home().join("dotfiles");
    std::fs::create_dir(&dotfiles).unwrap();
    std::fs::write(dotfiles.join("mcp.json"), "{}").unwrap();
    symlink(&dotfiles, stage.home().join(".agents")).unwrap();
    stage.run(&["add", "theirs", "--scope", "project", "--", "x"]).expect_code(0);
    stage.run(&["add", "mine", "--", "x"]).expect_code(0);
    assert!(std::fs::read_to_string(shared).unwrap().contains("theirs"));
    assert!(std::fs::read_to_string(dotfiles.join("mcp.json")).unwrap().contains("mine"));
    assert!(std::fs::symlink_metadata(stage.project().join(".mcp.json")).unwrap().is_symlink());
}

#[test]
fn a_broken_file_does_not_keep_another_from_being_edited() {
    let stage = Stage::new();
    stage.write(".vscode/mcp.json", "{\"servers\": {");
    stage.run(&["add", "a", "--scope", "project", "--", "x"]).expect_code(0);
    stage.run(&["remove", "a"]).expect_code(0);
    let refused = stage.run(&["remove", "b"]).expect_code(2);
    assert!(refused.stderr.contains(".vscode/mcp.json"), "the server may be in there: {}", refused.stderr);
}
