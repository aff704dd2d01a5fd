use super::wildcard;

#[test]
fn a_star_is_any_run_of_characters() {
    let cases = [
        ("*", "", true),
        ("", "", true),
        ("", "a", false),
        ("a", "a", true),
        ("a*", "a", true),
        ("a*a", "a", false),
        ("a*a", "aa", true),
        ("get_*", "get_issue", true),
        ("*_issue", "get_issue", true),
        ("*_*_*", "a_b", false),
        ("a*b*c", "a-c-b-c", true),
        ("a**c", "ac", true),
        ("https://*.example/*", "https://x.example/mcp", true),
        ("https://*.example/*", "https://example/mcp", false),
    ];
    for (pattern, text, expected) in cases {
        assert_eq!(wildcard(pattern, text), expected, "{pattern} {text}");
    }
}
