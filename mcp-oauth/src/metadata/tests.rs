use proptest::prelude::*;
use serde_json::json;
use url::Url;

use super::{AuthorizationServer, MetadataSource, ProtectedResource, same_issuer};
use crate::client::ClientAuthentication;
use crate::guard::Reach;
use crate::settings::Settings;

fn server(document: &serde_json::Value) -> AuthorizationServer {
    AuthorizationServer::parse(document.to_string().as_bytes()).unwrap()
}

#[test]
fn a_document_that_describes_nothing_is_none() {
    for document in ["", "<html>", "[]", "null", "{}", r#"{"issuer":1}"#] {
        assert_eq!(AuthorizationServer::parse(document.as_bytes()), None, "{document}");
    }
    for document in ["<html>", "{}", r#"{"authorization_servers":[]}"#, r#"{"authorization_servers":"x"}"#] {
        assert_eq!(ProtectedResource::parse(document.as_bytes()), None, "{document}");
    }
}

#[test]
fn members_of_a_wrong_type_are_absent() {
    let found = server(&json!({
        "issuer": "https://as", "token_endpoint": 7, "scopes_supported": "x", "code_challenge_methods_supported": {},
        "token_endpoint_auth_methods_supported": ["tls_client_auth", "none", 3],
    }));
    assert_eq!((found.token_endpoint.as_ref(), found.protects_codes()), (None, None));
    assert_eq!(found.token_endpoint_auth_methods, Some(vec![ClientAuthentication::None]));
}

#[test]
fn bug_21_issuers_differ_by_the_slash_of_a_bare_origin_at_most() {
    for (left, right, expected) in [
        ("https://as", "https://as", true),
        ("https://as/", "https://as", true),
        ("https://as", "https://as/", true),
        ("https://as/t", "https://as/t/", false),
        ("https://as/t", "https://as/T", false),
        ("https://AS", "https://as", false),
        ("https://as:443", "https://as", false),
        ("https://as", "https://evil", false),
        ("", "", true),
    ] {
        assert_eq!(same_issuer(left, right), expected, "{left} {right}");
    }
}

#[test]
fn every_endpoint_is_checked() {
    for endpoint in [
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "revocation_endpoint",
        "device_authorization_endpoint",
    ] {
        let good = server(&json!({"issuer": "https://as.example", endpoint: "https://as.example/e"}));
        good.check("https://as.example", Reach::Public, &Settings::default()).unwrap();
        let bad = server(&json!({"issuer": "https://as.example", endpoint: "http://as.example/e"}));
        assert!(
            bad.check("https://as.example", Reach::Public, &Settings::default()).unwrap_err().is_unsafe(),
            "{endpoint}"
        );
    }
    let other = server(&json!({"issuer": "https://evil.example"}));
    assert!(other.check("https://as.example", Reach::Public, &Settings::default()).unwrap_err().is_unsafe());
}

#[test]
fn legacy_defaults_are_at_the_origin() {
    let found = AuthorizationServer::legacy_defaults(&Url::parse("https://h:8443/a/mcp?x").unwrap());
    assert_eq!(found.source, MetadataSource::LegacyDefaults);
    assert_eq!(found.token_endpoint.unwrap().as_str(), "https://h:8443/token");
    assert_eq!(found.issuer, "https://h:8443");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_document_is_read(text in r#"[{}\[\]":, a-z0-9]{0,80}"#, bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        // Whatever comes out, an authorization server has an issuer and a resource names at least one.
        for document in [text.as_bytes(), &bytes] {
            prop_assert!(AuthorizationServer::parse(document).is_none_or(|found| !found.issuer.is_empty()));
            prop_assert!(ProtectedResource::parse(document).is_none_or(|found| !found.authorization_servers.is_empty()));
        }
    }
}

#[test]
fn what_is_stored_reads_back() {
    let found = server(&json!({
        "issuer": "https://as/", "token_endpoint": "https://as/token", "scopes_supported": ["a", "b"],
        "code_challenge_methods_supported": ["plain", "S256"], "dpop_signing_alg_values_supported": ["ES256"],
        "authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": true,
    }));
    assert_eq!(found.protects_codes(), Some(true));
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<AuthorizationServer>(&text).unwrap(), found);
}
