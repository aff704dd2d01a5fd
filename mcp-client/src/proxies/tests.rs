use mcp_config::Environment;
use url::Url;

use super::Proxies;

fn way(variables: &[(&str, &str)], url: &str) -> String {
    let environment = Environment::new("/").with_vars(variables.iter().copied());
    let proxies = Proxies::of(&environment);
    proxies.lead_to(&Url::parse(url).unwrap()).map_or_else(|| "direct".to_owned(), ToString::to_string)
}

#[test]
fn the_variables_of_the_environment_choose_the_way() {
    let proxy = ("HTTPS_PROXY", "http://proxy:3128");
    let url = "https://mcp.example.com/mcp";
    for (variables, url, expected) in [
        (vec![], url, "direct"),
        (vec![proxy], url, "http://proxy:3128/"),
        (vec![proxy], "http://mcp.example.com/", "direct"),
        (vec![("https_proxy", "http://lower:1"), proxy], url, "http://lower:1/"),
        (vec![("HTTPS_PROXY", "")], url, "direct"),
        (vec![("HTTPS_PROXY", "proxy:3128")], url, "http://proxy:3128/"),
        (vec![("ALL_PROXY", "socks5://proxy:1")], url, "socks5://proxy:1"),
        (vec![("HTTP_PROXY", "http://proxy")], "http://mcp.example.com/", "http://proxy/"),
        (vec![("HTTP_PROXY", "http://evil"), ("REQUEST_METHOD", "GET")], "http://mcp.example.com/", "direct"),
        (vec![proxy], "https://127.0.0.1/mcp", "direct"),
        (vec![proxy], "https://[::1]/mcp", "direct"),
        (vec![proxy], "https://localhost/mcp", "direct"),
        (vec![proxy, ("NO_PROXY", "*")], url, "direct"),
        (vec![proxy, ("NO_PROXY", "other.com, example.com")], url, "direct"),
        (vec![proxy, ("NO_PROXY", ".example.com")], url, "direct"),
        (vec![proxy, ("NO_PROXY", "*.EXAMPLE.com:443")], url, "direct"),
        (vec![proxy, ("NO_PROXY", "ample.com")], url, "http://proxy:3128/"),
        (vec![proxy, ("NO_PROXY", "10.0.0.0/8")], "https://10.1.2.3/", "direct"),
        (vec![proxy, ("NO_PROXY", "10.0.0.0/8")], "https://11.1.2.3/", "http://proxy:3128/"),
        (vec![proxy, ("NO_PROXY", "10.1.2.3")], "https://10.1.2.3/", "direct"),
        (vec![proxy, ("NO_PROXY", "fd00::/8")], "https://[fd12::1]/", "direct"),
        (vec![proxy, ("NO_PROXY", "0.0.0.0/0")], "https://[fd12::1]/", "http://proxy:3128/"),
    ] {
        assert_eq!(way(&variables, url), expected, "{variables:?} {url}");
    }
}
