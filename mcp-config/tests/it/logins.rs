//! What our own files say about logging in: read strictly, shown, approved, and handed on.

use mcp_config::{LoginException, LoginFlow, LoginProof, ResourceHint};

use crate::support::World;

fn project(oauth: &str) -> World {
    World::new().project(
        ".mcp.json",
        format!(r#"{{"mcpServers": {{"x": {{"url": "https://x.example/mcp", "oauth": {oauth}}}}}}}"#),
    )
}

#[test]
fn everything_a_login_can_be_told_is_read_and_handed_on() {
    let mut world = project(
        r#"{
        "flow": "enterprise-managed", "clientId": "me", "clientSecret": "s/1", "clientAuthentication": "client_secret_post",
        "scopes": "read", "issuer": "https://as.example", "issuerAliases": ["https://as.example/{tenant}"],
        "resource": false, "proof": "always", "legacyEndpoints": true,
        "exceptions": ["unstated-code-challenges", "private-addresses"],
        "identityProvider": {"tokenEndpoint": "https://idp.example/token", "clientId": "there",
            "clientSecret": "s/2", "idToken": "${ID_TOKEN}"}
    }"#,
    )
    .vars([("ID_TOKEN", "id/3")]);
    assert_eq!(world.problems(), Vec::<String>::new());
    world.approve("x");
    let merged = world.merged();
    let trusted = merged.server("x").unwrap().trusted().unwrap();
    let activated = trusted.activate(&world.environment).unwrap();
    let oauth = &activated.oauth;
    assert_eq!(oauth.flow, LoginFlow::EnterpriseManaged);
    assert_eq!(oauth.client_authentication.unwrap().word(), "client_secret_post");
    assert_eq!(oauth.issuer.as_deref(), Some("https://as.example"));
    assert_eq!(oauth.issuer_aliases, ["https://as.example/{tenant}"]);
    assert_eq!(oauth.resource, Some(ResourceHint::Omitted));
    assert_eq!(oauth.proof, Some(LoginProof::Always));
    assert!(oauth.legacy_endpoints);
    assert_eq!(oauth.exceptions, [LoginException::UnstatedCodeChallenges, LoginException::PrivateAddresses]);
    let provider = oauth.identity_provider.as_ref().unwrap();
    assert_eq!((&*provider.token_endpoint, &*provider.client_id), ("https://idp.example/token", "there"));
    let secrets = &activated.login_secrets;
    let secret = |secret: &Option<mcp_config::Secret>| secret.as_ref().map(|secret| secret.expose().to_owned());
    assert_eq!(secret(&secrets.client_secret).as_deref(), Some("s/1"));
    assert_eq!(secret(&secrets.provider_secret).as_deref(), Some("s/2"));
    assert_eq!(secret(&secrets.id_token).as_deref(), Some("id/3"));
    for hidden in ["s/1", "s/2", "id/3"] {
        assert!(activated.secrets.iter().any(|secret| secret.expose() == hidden), "{hidden}");
        assert!(!format!("{activated:?}").contains(hidden), "{hidden}");
    }

    let key = project(
        r#"{"flow": "client-credentials", "clientId": "me", "clientKey": "${file:key.pem}", "resource": "https://r"}"#,
    );
    assert_eq!(key.problems(), Vec::<String>::new());
    let workload = project(r#"{"flow": "workload-identity", "assertion": "${TOKEN}", "proof": "when-offered"}"#);
    assert_eq!(workload.problems(), Vec::<String>::new());
}

#[test]
fn what_is_misspelt_is_a_problem_with_its_place_and_no_weaker_login() {
    for (oauth, expected) in [
        (
            r#"{"flow": "client_credentials"}"#,
            "oauth/flow: expected one of authorization-code, device, client-credentials, workload-identity, enterprise-managed, found `client_credentials`",
        ),
        (r#"{"issuer": 7}"#, "oauth/issuer: expected a URL that begins with https://, found a number"),
        (r#"{"issuer": "as.example"}"#, "oauth/issuer: expected a URL that begins with https://, found `as.example`"),
        (r#"{"issuerAliases": "https://a"}"#, "oauth/issuerAliases: expected an array of strings, found a string"),
        (
            r#"{"issuerAliases": ["https://a", 1]}"#,
            "oauth/issuerAliases/1: expected a URL that begins with https://, found a number",
        ),
        (
            r#"{"exceptions": ["private-addresses", "pkce"]}"#,
            "oauth/exceptions/1: expected one of unstated-code-challenges, private-addresses, found `pkce`",
        ),
        (r#"{"proof": true}"#, "oauth/proof: expected one of when-offered, always, found a boolean"),
        (r#"{"resource": true}"#, "oauth/resource: expected the resource's identifier, or false to leave it out"),
        (r#"{"legacyEndpoints": "yes"}"#, "oauth/legacyEndpoints: expected true or false, found a string"),
        (
            r#"{"clientAuthentication": "basic"}"#,
            "oauth/clientAuthentication: expected one of none, client_secret_basic, client_secret_post, private_key_jwt, found `basic`",
        ),
        (
            r#"{"flow": "client-credentials", "clientId": "a"}"#,
            "oauth/flow: expected `clientId` with `clientSecret` or `clientKey`",
        ),
        (r#"{"flow": "workload-identity"}"#, "oauth/flow: expected `assertion` with the flow workload-identity"),
        (r#"{"assertion": "a"}"#, "oauth/flow: expected `assertion` with the flow workload-identity"),
        (
            r#"{"flow": "enterprise-managed", "clientId": "a"}"#,
            "oauth/flow: expected `identityProvider` and `clientId`",
        ),
        (r#"{"clientKey": "a"}"#, "oauth/clientKey: expected `clientId`"),
        (
            r#"{"flow": "enterprise-managed", "clientId": "a", "identityProvider": {"clientId": "b", "idToken": "c"}}"#,
            "oauth/identityProvider: expected `tokenEndpoint` and `clientId`",
        ),
        (
            r#"{"flow": "enterprise-managed", "clientId": "a",
            "identityProvider": {"tokenEndpoint": "https://t", "clientId": "b", "idToken": "c", "refreshToken": "d"}}"#,
            "oauth/identityProvider: expected one of `idToken` and `refreshToken`",
        ),
    ] {
        let world = project(oauth);
        let problems = world.problems();
        let [problem] = &problems[..] else { panic!("{oauth}: {problems:#?}") };
        let (place, message) = expected.split_once(": ").unwrap();
        assert!(problem.contains(&format!("/mcpServers/x/{place}")) && problem.contains(message), "{oauth}: {problem}");
        assert!(world.merged().server("x").is_none(), "{oauth}");
    }
    let world = project(r#"{"isuer": "https://as.example"}"#);
    assert!(world.problems()[0].contains("did you mean `issuer`?"), "{:?}", world.problems());
}

#[test]
fn other_hosts_files_have_none_of_our_words() {
    let world = World::new().project(
        ".vscode/mcp.json",
        r#"{"servers": {"x": {"type": "http", "url": "https://x.example", "oauth": {"clientId": "a",
            "exceptions": ["private-addresses"], "issuerAliases": ["https://other.example"], "legacyEndpoints": true}}}}"#,
    );
    let shown = world.plan("x").facts().to_string();
    assert!(shown.contains("\"client\" \"a\"") && !shown.contains("gives up"), "{shown}");
}

#[test]
fn what_a_project_lets_its_server_off_is_shown_and_asked_about() {
    let oauth = |own: &str| format!(r#"{{"clientId": "a"{own}}}"#);
    for (own, shown) in [
        (r#", "exceptions": ["unstated-code-challenges"]"#, r#"gives up  "unstated-code-challenges""#),
        (r#", "exceptions": ["private-addresses"]"#, r#"gives up  "private-addresses""#),
        (r#", "issuerAliases": ["https://evil.example"]"#, r#"gives up  "issuer alias" "https://evil.example""#),
        (r#", "legacyEndpoints": true"#, r#"gives up  "legacy endpoints""#),
        (r#", "issuer": "https://evil.example""#, r#"login     "issuer" "https://evil.example""#),
        (r#", "resource": false"#, r#"login     "resource" "left out""#),
        (r#", "proof": "always""#, r#"login     "tokens bound to a key" "always""#),
        (r#", "clientAuthentication": "none""#, r#"login     "client proves itself by" "none""#),
        (r#", "flow": "device""#, r#"login     "flow" "device""#),
        (r#", "flow": "workload-identity", "assertion": "${WORD}""#, r#"sends     "$WORD" "https://x.example/mcp""#),
        (r#", "issuer": "https://as.example", "clientSecret": "${WORD}""#, r#"sends     "$WORD" "https://as.example""#),
        (
            r#", "flow": "enterprise-managed", "identityProvider":
            {"tokenEndpoint": "https://idp.example/t", "clientId": "b", "refreshToken": "${WORD}"}"#,
            r#"sends     "$WORD" "https://idp.example/t""#,
        ),
    ] {
        let mut world = project(&oauth(""));
        world.approve("x");
        assert!(world.merged().server("x").unwrap().trust().is_trusted());
        let world = world.project(
            ".mcp.json",
            format!(r#"{{"mcpServers": {{"x": {{"url": "https://x.example/mcp", "oauth": {}}}}}}}"#, oauth(own)),
        );
        assert!(!world.merged().server("x").unwrap().trust().is_trusted(), "{own}");
        let facts = world.plan("x").facts().to_string();
        assert!(facts.contains(shown), "{own}: {shown} is missing:\n{facts}");
    }
}

#[test]
fn no_secret_of_a_login_is_shown_and_each_is_approved() {
    for (first, second) in [
        (r#"{"clientId": "a", "clientSecret": "hunter/2"}"#, r#"{"clientId": "a", "clientSecret": "hunter/3"}"#),
        (r#"{"clientId": "a", "clientKey": "hunter/2"}"#, r#"{"clientId": "a", "clientKey": "hunter/3"}"#),
        (
            r#"{"flow": "workload-identity", "assertion": "hunter/2"}"#,
            r#"{"flow": "workload-identity", "assertion": "hunter/3"}"#,
        ),
    ] {
        let mut world = project(first);
        let shown = world.plan("x").facts().to_string();
        assert!(!shown.contains("hunter"), "{shown}");
        world.approve("x");
        let world = world.project(
            ".mcp.json",
            format!(r#"{{"mcpServers": {{"x": {{"url": "https://x.example/mcp", "oauth": {second}}}}}}}"#),
        );
        assert!(!world.merged().server("x").unwrap().trust().is_trusted(), "{second}");
    }
}
