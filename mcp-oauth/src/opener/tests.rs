use url::Url;

use super::check_openable;

#[test]
fn only_pages_are_opened() {
    for (url, expected) in [
        ("https://as.example/authorize?x=%22%26calc", true),
        ("http://127.0.0.1:4010/auth", true),
        ("http://localhost:4010/auth", true),
        ("http://as.example/authorize", false),
        ("file:///etc/passwd", false),
        ("javascript:alert(1)", false),
        ("ms-calculator:", false),
        ("ftp://as.example/", false),
    ] {
        assert_eq!(check_openable(&Url::parse(url).unwrap()).is_ok(), expected, "{url}");
    }
}
