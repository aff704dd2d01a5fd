use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Authorization, Redirect, choose_scopes, require_code_protection};
use crate::client::{Client, ClientOrigin};
use crate::error::Error;
use crate::metadata::AuthorizationServer;
use crate::scopes::Scopes;
use crate::secret::Secret;

fn server(members: &str) -> AuthorizationServer {
    let text =
        format!(r#"{{"issuer":"https://as","authorization_endpoint":"https://as/authorize?tenant=1"{members}}}"#);
    AuthorizationServer::parse(text.as_bytes()).unwrap()
}

fn authorization(members: &str) -> Authorization {
    Authorization {
        server: server(members),
        client: Client::public("client", ClientOrigin::Registered),
        redirect_uri: "http://127.0.0.1:4711/callback".to_owned(),
        scopes: Scopes::parse("a b"),
        resource: Some("https://h".to_owned()),
        state: Secret::new("canary-state"),
        verifier: Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
    }
}

fn query(authorization: &Authorization) -> BTreeMap<String, String> {
    authorization.url().unwrap().query_pairs().into_owned().collect()
}

#[test]
fn the_url_has_everything_the_specification_asks_for() {
    let query = query(&authorization(""));
    for (name, expected) in [
        ("tenant", "1"),
        ("response_type", "code"),
        ("client_id", "client"),
        ("redirect_uri", "http://127.0.0.1:4711/callback"),
        ("state", "canary-state"),
        // The example of RFC 7636 appendix B.
        ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ("code_challenge_method", "S256"),
        ("resource", "https://h"),
        ("scope", "a b"),
    ] {
        assert_eq!(query[name], expected, "{name}");
    }
    assert!(!query.contains_key("prompt"));
}

#[test]
fn bug_22_what_is_not_wanted_is_left_out() {
    let bare = Authorization { resource: None, scopes: Scopes::default(), ..authorization("") };
    let query = query(&bare);
    assert!(!query.contains_key("resource") && !query.contains_key("scope"), "{query:?}");
}

#[test]
fn offline_access_asks_for_consent() {
    let offline = Authorization { scopes: Scopes::parse("a offline_access"), ..authorization("") };
    assert_eq!(query(&offline)["prompt"], "consent");
}

/// What becomes of a redirect: the code, or the error in short.
fn judged(authorization: &Authorization, query: &str) -> String {
    match authorization.accept(&Redirect::from_query(query)) {
        Ok(code) => code.expose().to_owned(),
        Err(Error::Redirect { reason }) => reason.to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn redirects_are_judged_by_the_table_of_rfc_9207() {
    let announced = r#","authorization_response_iss_parameter_supported":true"#;
    let other = "its `iss` names another authorization server";
    for (members, query, expected) in [
        ("", "state=canary-state&code=c", "c"),
        ("", "state=canary-state&code=c&iss=https%3A%2F%2Fas", "c"),
        ("", "state=canary-state&code=c&iss=https%3A%2F%2Fas%2F", other),
        ("", "state=canary-state&code=c&iss=https%3A%2F%2FAS", other),
        ("", "state=canary-state&error=access_denied&iss=https%3A%2F%2Fevil", other),
        (announced, "state=canary-state&code=c&iss=https%3A%2F%2Fas", "c"),
        (announced, "state=canary-state&code=c", "its `iss` is missing, which the authorization server sends"),
        ("", "state=other&code=c", "its `state` is not that of this login"),
        ("", "code=c", "its `state` is not that of this login"),
        ("", "state=canary-state", "it brings neither a code nor an error"),
        ("", "state=canary-state&code=", "it brings neither a code nor an error"),
        (
            "",
            "state=canary-state&error=access_denied&error_description=No%0Acanary-state",
            "the authorization server refused the login with `access_denied`: No [redacted]",
        ),
        (
            "",
            "state=canary-state&error=access_denied&code=c",
            "the authorization server refused the login with `access_denied`",
        ),
    ] {
        assert_eq!(judged(&authorization(members), query), expected, "{query}");
    }
}

#[test]
fn bug_27_whatever_of_the_address_was_pasted_is_read() {
    for text in [
        "http://127.0.0.1:4711/callback?state=canary-state&code=c",
        "  http://127.0.0.1:4711/callback?state=canary-state&code=c#_=_\n",
        "state=canary-state&code=c",
        "?state=canary-state&code=c",
    ] {
        let redirect = Redirect::from_pasted(text).unwrap();
        assert_eq!(authorization("").accept(&redirect).unwrap().expose(), "c", "{text}");
    }
    for text in ["", "c", "https://as/authorize", &"x".repeat(40_000)] {
        assert!(matches!(Redirect::from_pasted(text), Err(Error::Redirect { .. })), "{text}");
    }
}

#[test]
fn codes_must_be_protected() {
    for (members, excepted, expected) in [
        (r#","code_challenge_methods_supported":["S256"]"#, false, true),
        (r#","code_challenge_methods_supported":["plain"]"#, false, false),
        (r#","code_challenge_methods_supported":["plain"]"#, true, false),
        ("", false, false),
        ("", true, true),
    ] {
        assert_eq!(require_code_protection(&server(members), excepted).is_ok(), expected, "{members} {excepted}");
    }
    let legacy = AuthorizationServer::legacy_defaults(&"https://h/mcp".parse().unwrap());
    require_code_protection(&legacy, false).unwrap();
}

#[test]
fn scopes_are_chosen_by_the_order_of_the_specification() {
    let offline = r#","scopes_supported":["x","offline_access"]"#;
    for (set, challenged, resource, members, expected) in [
        (Some("s"), Some("c"), Some("r"), offline, "s"),
        (None, Some("c"), Some("r"), "", "c"),
        (None, Some("c"), Some("r"), offline, "c offline_access"),
        (None, None, Some("r1 r2"), "", "r1 r2"),
        (None, Some(""), Some("r"), "", "r"),
        (None, None, None, offline, ""),
    ] {
        let [set, challenged, resource] = [set, challenged, resource].map(|list| list.map(Scopes::parse));
        let chosen = choose_scopes(set.as_ref(), challenged.as_ref(), resource.as_ref(), &server(members));
        assert_eq!(chosen.to_string(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_other_state_is_accepted(query in "[a-z=&%0-9]{0,60}") {
        prop_assert!(authorization("").accept(&Redirect::from_query(&query)).is_err());
    }
}
