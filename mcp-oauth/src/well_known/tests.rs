use url::Url;

use super::{authorization_server_candidates, protected_resource_candidates};

fn listed(candidates: &[Url]) -> Vec<&str> {
    candidates.iter().map(Url::as_str).collect()
}

#[test]
fn protected_resources() {
    for (server, expected) in [
        ("https://h", vec!["https://h/.well-known/oauth-protected-resource"]),
        ("https://h/#x", vec!["https://h/.well-known/oauth-protected-resource"]),
        (
            "https://h:8443/a/mcp/",
            vec![
                "https://h:8443/.well-known/oauth-protected-resource/a/mcp",
                "https://h:8443/.well-known/oauth-protected-resource",
            ],
        ),
        (
            "https://h/mcp?tenant=1",
            vec![
                "https://h/.well-known/oauth-protected-resource/mcp?tenant=1",
                "https://h/.well-known/oauth-protected-resource",
            ],
        ),
    ] {
        assert_eq!(listed(&protected_resource_candidates(&Url::parse(server).unwrap())), expected, "{server}");
    }
}

#[test]
fn authorization_servers() {
    for (issuer, expected) in [
        (
            "https://h",
            vec!["https://h/.well-known/oauth-authorization-server", "https://h/.well-known/openid-configuration"],
        ),
        (
            "https://h/tenant1/",
            vec![
                "https://h/.well-known/oauth-authorization-server/tenant1",
                "https://h/.well-known/openid-configuration/tenant1",
                "https://h/tenant1/.well-known/openid-configuration",
            ],
        ),
    ] {
        assert_eq!(listed(&authorization_server_candidates(&Url::parse(issuer).unwrap())), expected, "{issuer}");
    }
}
