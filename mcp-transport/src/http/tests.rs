use super::{HttpOptions, Proxy, checked_headers, checked_url, shown, without_secrets};

#[test]
fn what_is_shown_of_a_url_holds_no_secret() {
    let url = "https://user:pass@example.com:8443/mcp?key=secret#part";
    assert_eq!(without_secrets(url), "https://example.com:8443/mcp");
    assert_eq!(without_secrets("secret"), "an invalid URL");
    let options =
        HttpOptions::new(url).with_header("X-Key", "hush").with_proxy(Proxy::Url("http://me:pw@proxy".to_owned()));
    let text = format!("{options:?}");
    for secret in ["pass", "secret", "hush", "pw"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn headers_stay_off_plain_http_beyond_this_machine() {
    let check = |url: &str, accepted: bool| {
        let options = HttpOptions::new(url).with_header("X-Key", "k");
        assert_eq!(checked_url(&options).is_ok(), accepted, "{url}");
        assert!(checked_url(&options.with_insecure_allowed()).is_ok(), "{url}");
        assert!(checked_url(&HttpOptions::new(url)).is_ok(), "{url} without headers");
    };
    check("https://example.com/mcp", true);
    check("http://localhost:1/mcp", true);
    check("http://127.0.0.1/mcp", true);
    check("http://[::1]/mcp", true);
    check("http://api.localhost/mcp", true);
    check("http://localhost./mcp", true);
    check("http://example.com/mcp", false);
    check("http://localhost.example.com/mcp", false);
    check("http://10.0.0.1/mcp", false);
}

#[test]
fn only_http_urls_are_accepted() {
    for url in ["ws://localhost", "file:///etc/passwd", "localhost", ""] {
        assert!(checked_url(&HttpOptions::new(url)).is_err(), "{url}");
    }
}

#[test]
fn headers_of_the_protocol_and_broken_ones_are_refused_without_showing_values() {
    for name in ["Accept", "Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Param-X", "Host", "bad name", "Last-Event-ID"]
    {
        let error = checked_headers(&HttpOptions::new("").with_header(name, "hush")).expect_err(name).to_string();
        assert!(error.contains(name) && !error.contains("hush"), "{error}");
    }
    let error =
        checked_headers(&HttpOptions::new("").with_header("X-Key", "hush\n")).expect_err("a line break").to_string();
    assert!(error.contains("X-Key") && !error.contains("hush"), "{error}");
    let headers = checked_headers(&HttpOptions::new("").with_header("X-Key", "hush")).expect("a good header");
    assert!(!format!("{headers:?}").contains("hush"), "values are marked sensitive");
}

#[test]
fn shown_keeps_what_tells_servers_apart() {
    let url = url::Url::parse("http://localhost:8080/a/b?c").expect("a URL");
    assert_eq!(shown(&url), "http://localhost:8080/a/b");
}
