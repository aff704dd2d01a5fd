use http::Response;
use serde_json::json;

use super::{Registration, read_registration, registration_document};
use crate::client::{Client, ClientAuthentication};
use crate::error::Error;
use crate::metadata::AuthorizationServer;
use crate::scopes::Scopes;

const REDIRECT: &str = "http://127.0.0.1:1/callback";

fn server(methods: &[&str]) -> AuthorizationServer {
    let document = json!({"issuer": "https://as", "token_endpoint_auth_methods_supported": methods});
    AuthorizationServer::parse(document.to_string().as_bytes()).unwrap()
}

fn read(status: u16, body: &serde_json::Value, methods: &[&str]) -> Result<Client, Error> {
    let answer = Response::builder().status(status).body(body.to_string().into_bytes()).unwrap();
    read_registration(&"https://as/register".parse().unwrap(), &answer, &server(methods), REDIRECT)
}

#[test]
fn the_document_is_that_of_a_native_client() {
    let scopes = Scopes::parse("a b");
    let registration = Registration { client_name: "n", redirect_uri: REDIRECT, scopes: &scopes, device: false };
    let document = registration_document(&registration, ClientAuthentication::None);
    assert_eq!(
        document,
        json!({
            "client_name": "n", "redirect_uris": [REDIRECT], "response_types": ["code"],
            "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none",
            "application_type": "native", "scope": "a b",
        })
    );
}

#[test]
fn bug_6_the_answer_says_how_the_client_proves_itself() {
    let (basic, post, none) =
        (ClientAuthentication::ClientSecretBasic, ClientAuthentication::ClientSecretPost, ClientAuthentication::None);
    for (said, secret, offered, expected) in [
        (Some("client_secret_post"), Some("s"), &["client_secret_basic"][..], post),
        (Some("client_secret_basic"), Some("s"), &["client_secret_post"], basic),
        (Some("none"), Some("s"), &["client_secret_basic"], none),
        (None, Some("s"), &["client_secret_post"], post),
        (None, Some("s"), &["client_secret_basic", "client_secret_post"], basic),
        (None, Some("s"), &["none"], none),
        (Some("tls_client_auth"), Some("s"), &["client_secret_basic"], basic),
        (Some("client_secret_basic"), None, &["client_secret_basic"], none),
    ] {
        let body = json!({"client_id": "c", "client_secret": secret, "token_endpoint_auth_method": said});
        assert_eq!(read(201, &body, offered).unwrap().authentication, expected, "{said:?} {offered:?}");
    }
}

#[test]
fn the_end_of_a_secret_is_kept() {
    for (end, expected) in [(json!(0), None), (json!(null), None), (json!(77), Some(77))] {
        let body = json!({"client_id": "c", "client_secret": "s", "client_secret_expires_at": end});
        let client = read(201, &body, &[]).unwrap();
        assert_eq!(client.secret_expires_at.map(crate::timestamp::Timestamp::seconds), expected);
    }
}

#[test]
fn an_answer_without_a_client_is_an_error() {
    let refused = json!({"error": "invalid_redirect_uri", "error_description": null});
    assert!(matches!(read(400, &refused, &[]), Err(Error::Refused { code, .. }) if code == "invalid_redirect_uri"));
    assert!(matches!(read(200, &json!({}), &[]), Err(Error::UnexpectedAnswer { .. })));
    assert!(matches!(read(403, &json!("no"), &[]), Err(Error::UnexpectedAnswer { status: 403, .. })));
}
