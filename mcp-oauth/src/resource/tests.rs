use proptest::prelude::*;
use url::Url;

use super::Resource;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[test]
fn canonical_forms() {
    for (given, expected) in [
        ("https://mcp.example.com", "https://mcp.example.com"),
        ("https://mcp.example.com/", "https://mcp.example.com"),
        ("https://mcp.example.com/mcp", "https://mcp.example.com/mcp"),
        ("https://mcp.example.com/mcp/", "https://mcp.example.com/mcp/"),
        ("https://mcp.example.com:8443", "https://mcp.example.com:8443"),
        ("HTTPS://MCP.example.COM:443/A?token=canary#x", "https://mcp.example.com/A"),
        ("https://user:canary@mcp.example.com/mcp", "https://mcp.example.com/mcp"),
        ("http://127.0.0.1:4020/mcp", "http://127.0.0.1:4020/mcp"),
        ("data:text/plain,x", "data:text/plain,x"),
    ] {
        assert_eq!(Resource::canonical(&url(given)).as_str(), expected, "{given}");
    }
}

#[test]
fn a_resource_covers_its_own_part_of_its_origin() {
    for (resource, server, expected) in [
        ("https://h/mcp", "https://h/mcp", true),
        ("https://h/mcp", "https://h/mcp?x=1", true),
        ("https://h/mcp/", "https://h/mcp", true),
        ("https://h", "https://h/mcp", true),
        ("https://h/", "https://h/mcp/v1", true),
        ("https://h/mcp", "https://h/mcp/v1", true),
        ("https://h/mcp", "https://h/mcp2", false),
        ("https://h/mcp", "https://h/", false),
        ("http://h/mcp", "https://h/mcp", false),
        ("https://h:8443/mcp", "https://h/mcp", false),
        ("https://evil.example.com/mcp", "https://h/mcp", false),
        ("data:x", "data:x", false),
        ("not a url", "https://h/mcp", false),
    ] {
        assert_eq!(Resource::published(resource).covers(&url(server)), expected, "{resource} {server}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_canonical_form_covers_its_url_and_is_stable(path in "(/[a-z]{0,3}){0,4}", query in "[a-z=]{0,5}") {
        let server = url(&format!("https://Host.example{path}?{query}"));
        let resource = Resource::canonical(&server);
        prop_assert!(resource.covers(&server));
        prop_assert_eq!(Resource::canonical(&url(resource.as_str())), resource);
    }
}

#[test]
fn what_is_shown_has_no_path() {
    for (text, shown) in [
        ("https://h:8443/s3cr3t/mcp", "https://h:8443"),
        ("https://me:s3cr3t@h", "https://h"),
        ("urn:s3cr3t", "urn:…"),
        ("/s3cr3t", "…"),
    ] {
        let resource = Resource::published(text);
        assert_eq!(resource.to_string(), shown);
        assert!(!format!("{resource:?}").contains("s3cr3t"));
        assert_eq!(resource.as_str(), text);
    }
}
