use super::{CallbackSettings, LoopbackHost};
use url::Url;

#[test]
fn redirect_uris() {
    let default = CallbackSettings::default();
    let named = CallbackSettings { host: LoopbackHost::Name, path: String::new(), ..CallbackSettings::default() };
    let six = CallbackSettings { host: LoopbackHost::V6, path: "/a/".to_owned(), ..CallbackSettings::default() };
    for (settings, expected) in [
        (&default, "http://127.0.0.1:4711/callback"),
        (&named, "http://localhost:4711"),
        (&six, "http://[::1]:4711/a/"),
    ] {
        assert_eq!(settings.redirect_uri(4711), expected);
        assert_eq!(settings.port_of(expected), Some(4711), "{expected}");
    }
    assert_eq!(default.port_of("http://localhost:4711/callback"), None);
    assert_eq!(default.port_of("https://evil.example:4711/callback"), None);
}

#[test]
fn a_public_uri_is_used_verbatim() {
    let uri = Url::parse("https://tunnel.example/cb").unwrap();
    let settings = CallbackSettings { public_uri: Some(uri), ..CallbackSettings::default() };
    assert_eq!(settings.redirect_uri(1), "https://tunnel.example/cb");
}
