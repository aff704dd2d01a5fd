//! What each provider needs to be told: one table, which `LOGINS.md` shows and an authority of the same habits is tried with.

use serde_json::{Value, json};

use super::scene::Scene;

const TABLE: &str = include_str!("../../fixtures/oidc/providers.json");
const PAGE: &str = include_str!("../../../LOGINS.md");

fn providers() -> Vec<Value> {
    serde_json::from_str(TABLE).unwrap()
}

#[test]
fn the_page_shows_the_table() {
    for provider in providers() {
        let oauth = provider["oauth"].to_string();
        let oauth = oauth.replace("known-secret", "${keyring:NAME}").replace("\"known\"", "\"ID\"");
        let oauth = oauth.replace("ISSUER", "https://ISSUER").replace("ORIGIN", "https://HOST");
        let text = |name: &str| provider[name].as_str().unwrap().to_owned();
        let row = format!("| {} | {} | `{oauth}` |", text("name"), text("because"));
        assert!(PAGE.contains(&row), "LOGINS.md lacks this row:\n{row}");
    }
}

#[test]
fn i21_i22_each_provider_is_logged_in_to_as_the_table_says() {
    for provider in providers() {
        let name = &provider["name"];
        let Some(mut scene) = Scene::with(&provider["behaviour"], &provider["oauth"]) else { return };
        eprintln!("{name}");
        scene.log_in(&[], "docs", "alice");
        assert_eq!(scene.run(&["call", "docs", "whoami"]).expect_code(0).stdout, "alice mcp:read\n", "{name}");
        // The renewal keeps to it too.
        scene.authority.advance(120);
        assert_eq!(scene.run(&["call", "docs", "whoami"]).expect_code(0).stdout, "alice mcp:read\n", "{name}");
        assert_eq!(scene.authority.grants(), ["authorization_code", "refresh_token"], "{name}");
        scene.expect_no_leak();
    }
}

#[test]
fn i21_i22_without_what_the_table_says_the_login_is_refused() {
    for provider in providers().iter().filter(|provider| provider["oauth"] != json!({})) {
        let Some(mut scene) = Scene::with(&provider["behaviour"], &json!({})) else { return };
        let refused = scene.run(&["login", "docs", "--no-browser"]);
        assert!(refused.code != 0 && refused.stdout.is_empty(), "{}: {refused:?}", provider["name"]);
    }
}

#[test]
fn i21_i22_each_exception_is_needed_by_itself() {
    let providers = providers();
    for (name, key) in [
        ("Microsoft Entra", "issuerAliases"),
        ("Microsoft Entra", "exceptions"),
        ("Amazon Cognito", "exceptions"),
        ("Keycloak", "issuer"),
        ("Atlassian and the like", "issuerAliases"),
    ] {
        let provider = providers.iter().find(|provider| provider["name"] == name).unwrap();
        let mut oauth = provider["oauth"].clone();
        oauth.as_object_mut().unwrap().remove(key);
        let Some(mut scene) = Scene::with(&provider["behaviour"], &oauth) else { return };
        let refused = scene.run(&["login", "docs", "--no-browser"]);
        assert!(refused.code != 0 && refused.stdout.is_empty(), "{name} without {key}: {refused:?}");
    }
}

#[test]
fn i26_a_client_is_shown_to_its_issuer_only() {
    let oauth = json!({"issuer": "https://as.example", "clientId": "known", "clientSecret": "known-secret"});
    let Some(mut scene) = Scene::with(&json!({"knows_clients": true}), &oauth) else { return };
    let refused = scene.run(&["login", "docs", "--no-browser"]);
    assert!(refused.code != 0 && refused.stderr.contains("https://as.example"), "{refused:?}");
    assert!(!refused.stderr.contains("known-secret"), "{refused:?}");
    // The same in a flow without a person, which would present the secret at once.
    let oauth = json!({"issuer": "https://as.example", "flow": "client-credentials", "clientId": "known",
        "clientSecret": "known-secret"});
    let Some(mut scene) = Scene::with(&json!({"knows_clients": true}), &oauth) else { return };
    let refused = scene.run(&["call", "docs", "whoami"]);
    assert!(refused.code != 0, "{refused:?}");
    assert_eq!(scene.authority.grants(), Vec::<String>::new());
}

#[test]
fn a_definition_may_ask_for_a_code_on_another_device() {
    let Some(mut scene) = Scene::with(&json!({}), &json!({"flow": "device"})) else { return };
    let waiting = scene.start(&["login", "docs"]);
    scene.authority.browse(&waiting.address(), "dave", &waiting.code(), None);
    scene.expect_end(waiting);
    assert_eq!(scene.run(&["call", "docs", "whoami"]).expect_code(0).stdout, "dave mcp:read\n");
}

#[test]
fn a_client_speaks_for_itself_where_its_definition_says_so() {
    let oauth =
        json!({"issuer": "ISSUER", "flow": "client-credentials", "clientId": "known", "clientSecret": "known-secret"});
    let Some(mut scene) = Scene::with(&json!({"knows_clients": true}), &oauth) else { return };
    let called = scene.run(&["call", "docs", "whoami"]).expect_code(0);
    assert_eq!(called.stdout, "known mcp:read\n");
    assert_eq!(scene.authority.grants(), ["client_credentials"]);
}
