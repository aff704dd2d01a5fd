//! What a server asks for is what a login asks for: from its challenge, and for what turned out to be missing.

use serde_json::json;

use super::scene::Scene;

const WRITE: [&str; 3] = ["call", "docs", "draft"];

#[test]
fn i19_a_login_asks_the_server_first_and_honours_its_challenge() {
    // Neither the scope nor the place of the metadata can be known from anywhere else.
    let behaviour = json!({"scope": "mcp:write", "metadata": "/somewhere/else"});
    let Some(mut scene) = Scene::with(&behaviour, &json!({})) else { return };
    scene.log_in(&[], "docs", "alice");
    assert_eq!(scene.run(&["call", "docs", "whoami"]).expect_code(0).stdout, "alice mcp:write\n");
    // With a good token the server has nothing to ask for: what it asked for is remembered.
    scene.log_in(&[], "docs", "alice");
    assert_eq!(scene.run(&["call", "docs", "whoami"]).expect_code(0).stdout, "alice mcp:write\n");
    scene.expect_no_leak();
}

#[test]
fn i19_a_person_may_ask_for_more() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in_with(&["--scope", "mcp:write"], "docs", "alice");
    assert_eq!(scene.run(&["call", "docs", "whoami"]).expect_code(0).stdout, "alice mcp:write mcp:read\n");
}

#[test]
fn i20_a_missing_scope_is_asked_for_by_the_next_process() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in(&[], "docs", "alice");
    let refused = scene.run(&WRITE).expect_code(4);
    assert!(refused.stderr.contains(" login docs") && refused.stderr.contains("mcp:write"), "{}", refused.stderr);

    let rows = scene.run(&["auth", "status", "--json"]).expect_code(0).json();
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "docs").unwrap();
    assert_eq!((&row["needs_login"], &row["login"]["missing"]), (&json!(true), &json!("mcp:write")), "{rows:#}");
    let next: Vec<&str> = row["next"].as_array().unwrap().iter().filter_map(serde_json::Value::as_str).collect();
    assert!(matches!(next[..], ["mcpctl", "--config", _, "login", "docs"]), "{rows:#}");
    assert!(row["login"]["scopes"].to_string().contains("mcp:read"), "{rows:#}");
    let table = scene.run(&["auth", "status"]).expect_code(0);
    assert!(table.stdout.contains("lacks mcp:write"), "{}", table.stdout);
    assert!(table.stderr.contains(" login docs"), "{}", table.stderr);
    // A renewal cannot widen it, and does not forget it.
    scene.authority.advance(120);
    scene.run(&WRITE).expect_code(4);

    scene.log_in(&[], "docs", "alice");
    let written = scene.run(&WRITE).expect_code(0).stdout;
    assert!(written.contains("mcp:read") && written.contains("mcp:write"), "{written}");
    let rows = scene.run(&["auth", "status", "--json"]).expect_code(0).json();
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "docs").unwrap();
    assert_eq!((&row["needs_login"], &row["login"]["missing"]), (&json!(false), &json!("")), "{rows:#}");
    assert!(row.get("next").is_none(), "{rows:#}");
    scene.expect_no_leak();
}

#[cfg(unix)]
#[test]
fn i20_with_a_person_at_the_terminal_a_call_widens_its_login_itself() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in(&[], "docs", "alice");
    let run = scene.run_with_person(&WRITE, "alice").expect_code(0);
    assert!(run.stdout.contains("mcp:write"), "{run:?}");
    assert_eq!(scene.authority.grants(), ["authorization_code", "authorization_code"]);
    scene.expect_no_leak();
}

#[test]
fn i20_what_is_missing_is_asked_for_beside_the_scopes_of_the_definition() {
    let Some(mut scene) = Scene::with(&json!({}), &json!({"scopes": "mcp:read"})) else { return };
    scene.log_in(&[], "docs", "alice");
    scene.run(&WRITE).expect_code(4);
    scene.log_in(&[], "docs", "alice");
    assert_eq!(scene.run(&WRITE).expect_code(0).stdout, "alice mcp:read mcp:write\n");
}
