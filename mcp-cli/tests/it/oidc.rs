//! Logins at an authorization server that nobody here wrote, through its own login and consent pages.

mod authority;
mod providers;
mod scene;
mod step_up;

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use self::scene::Scene;
use crate::stage::{Run, Stage, configuration};

const CALL: [&str; 3] = ["call", "docs", "whoami"];

#[test]
fn a_login_takes_two_commands_and_tells_what_it_is() {
    let Some(mut scene) = Scene::new() else { return };
    let refused = scene.run(&CALL).expect_code(4);
    assert!(refused.stderr.contains(" login docs"), "{}", refused.stderr);
    let nobody = scene.run(&["auth", "status", "--json"]).expect_code(0).json();
    assert_eq!(nobody[0]["login"]["state"], "logged-out", "{nobody:#}");

    scene.log_in(&[], "docs", "alice");
    assert_eq!(scene.run(&CALL).expect_code(0).stdout, "alice mcp:read\n");

    let rows = scene.run(&["auth", "status", "--json"]).expect_code(0).json();
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "docs").unwrap();
    let login = &row["login"];
    assert_eq!(login["state"], "valid", "{rows:#}");
    assert_eq!(login["issuer"], scene.authority.issuer.as_str());
    // A path may hold a secret, so that the origin is shown and no more.
    assert_eq!(login["server"], scene.authority.server.strip_suffix("/mcp").unwrap());
    assert!(login["scopes"].to_string().contains("mcp:read"), "{login:#}");
    assert_eq!((&login["renewable"], &login["store"]), (&json!(true), &json!("file")), "{login:#}");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let left = login["expires_at"].as_u64().unwrap().saturating_sub(now);
    assert!((1..=60).contains(&left), "{left} s are left of a minute");

    let table = scene.run(&["auth", "status"]).expect_code(0);
    assert!(table.stdout.contains("logged in") && table.stdout.contains(&scene.authority.issuer), "{}", table.stdout);
    scene.expect_no_leak();
}

#[test]
fn an_expired_token_is_renewed_and_its_refresh_token_rotates() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in(&[], "docs", "alice");
    for _ in 0..2 {
        // The client's clock stands still: it learns from a 401 that the token has ended.
        scene.authority.advance(120);
        assert_eq!(scene.run(&CALL).expect_code(0).stdout, "alice mcp:read\n");
    }
    scene.run(&CALL).expect_code(0);
    assert_eq!(scene.authority.grants(), ["authorization_code", "refresh_token", "refresh_token"]);
    let issued = scene.authority.secrets().iter().filter(|secret| secret.kind == "refresh_token").count();
    assert_eq!(issued, 3, "each renewal brings a new refresh token");
    scene.expect_no_leak();
}

/// Whatever one that is killed takes with it, the others either call or say what to do, and so does the next.
#[cfg(unix)]
#[test]
fn of_sixteen_renewals_at_once_one_is_killed_and_no_login_is_lost_without_a_word() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in(&[], "docs", "alice");
    for killed in [0, 5, 15] {
        scene.authority.advance(120);
        let mut calls: Vec<_> = (0..16).map(|_| scene.spawn(&CALL)).collect();
        calls.remove(killed).kill().unwrap();
        let mut ended: Vec<Run> = calls.into_iter().map(|call| scene.end(call)).collect();
        ended.push(scene.run(&CALL));
        for run in &ended {
            let is_told = run.code == 4 && run.stderr.contains(" login docs");
            assert!(is_told || (run.code == 0 && run.stdout == "alice mcp:read\n"), "{run:?}");
        }
        if ended.iter().any(|run| run.code == 4) {
            scene.log_in(&[], "docs", "alice");
        }
    }
    let renewals = scene.authority.grants().iter().filter(|grant| *grant == "refresh_token").count();
    assert!((1..=4).contains(&renewals), "{renewals} renewals for three times sixteen calls");
    scene.expect_no_leak();
}

#[test]
fn a_logout_ends_the_tokens_at_the_authorization_server() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in(&[], "docs", "alice");
    scene.run(&CALL).expect_code(0);
    scene.expect_no_leak();

    // Somebody who holds the token, and no login.
    let secrets = scene.authority.secrets();
    let token = &secrets.iter().rfind(|secret| secret.kind == "access_token").unwrap().value;
    let thief = Stage::new();
    let headers = json!({"Authorization": format!("Bearer {token}")});
    let servers = json!({"docs": {"type": "http", "url": scene.authority.server, "headers": headers}});
    let file = thief.write("servers.json", configuration(&servers));
    let stolen = ["--config", file.to_str().unwrap(), "call", "docs", "whoami"];
    assert_eq!(thief.run(&stolen).expect_code(0).stdout, "alice mcp:read\n");

    let out = scene.run(&["logout", "docs", "--revoke"]).expect_code(0);
    assert!(out.stderr.contains("the authorization server has ended the tokens"), "{}", out.stderr);
    // A header from the configuration never leads to a login, and exit code 4 would promise that one helps.
    let late = thief.run(&stolen).expect_code(2);
    assert!(late.stderr.contains("401") && !late.stderr.contains(token.as_str()), "{}", late.stderr);
    scene.run(&CALL).expect_code(4);
    scene.run(&["logout", "docs"]).expect_code(2);
}

#[test]
fn accounts_are_kept_apart() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in(&[], "docs", "alice");
    let work = ["--account", "work"];
    let refused = scene.run(&[&work[..], &CALL].concat()).expect_code(4);
    assert!(refused.stderr.contains("--account work"), "{}", refused.stderr);
    scene.log_in(&work, "docs", "bob");
    assert_eq!(scene.run(&[&work[..], &CALL].concat()).expect_code(0).stdout, "bob mcp:read\n");
    assert_eq!(scene.run(&CALL).expect_code(0).stdout, "alice mcp:read\n");

    scene.run(&["logout", "docs", "--revoke"]).expect_code(0);
    scene.run(&CALL).expect_code(4);
    assert_eq!(scene.run(&[&work[..], &CALL].concat()).expect_code(0).stdout, "bob mcp:read\n");
    scene.expect_no_leak();
}

#[test]
fn a_client_with_a_document_registers_nowhere() {
    let Some(mut scene) = Scene::new() else { return };
    scene.log_in(&[], "described", "carol");
    assert_eq!(scene.run(&["call", "described", "whoami"]).expect_code(0).stdout, "carol mcp:read\n");
    let rows = scene.run(&["auth", "status", "--json"]).expect_code(0).json();
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "described").unwrap();
    assert_eq!(row["login"]["client_id"], scene.authority.client_document.as_str(), "{rows:#}");
    let registered = scene.authority.secrets().into_iter().find(|secret| secret.kind == "registration_access_token");
    assert!(registered.is_none(), "{registered:?}");
    scene.expect_no_leak();
}

#[test]
fn a_code_is_entered_on_another_device() {
    let Some(mut scene) = Scene::new() else { return };
    let waiting = scene.start(&["login", "docs", "--device"]);
    let (_, page) = scene.authority.browse(&waiting.address(), "dave", &waiting.code(), None);
    assert!(page.contains("Sign-in Success"), "{page}");
    scene.expect_end(waiting);
    assert_eq!(scene.run(&CALL).expect_code(0).stdout, "dave mcp:read\n");
    scene.expect_no_leak();
}

#[test]
fn a_browser_on_this_machine_comes_back_by_itself() {
    let Some(mut scene) = Scene::new() else { return };
    let waiting = scene.start(&["login", "docs"]);
    let (ended, page) = scene.authority.browse(&waiting.address(), "erin", "", None);
    assert!(ended.starts_with("http://127.0.0.1:") && page.contains("logged in"), "{ended}: {page}");
    scene.expect_end(waiting);
    assert_eq!(scene.run(&CALL).expect_code(0).stdout, "erin mcp:read\n");
    scene.expect_no_leak();
}
