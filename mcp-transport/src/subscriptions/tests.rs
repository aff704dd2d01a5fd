use serde_json::value::RawValue;

use super::{announced, filter, is_final};

#[test]
fn only_what_the_server_announces_is_listened_for() {
    let check = |capabilities: &str, expected: Option<&str>| {
        let capabilities = RawValue::from_string(capabilities.to_owned()).expect("valid JSON");
        assert_eq!(filter(&announced(Some(&capabilities))).as_ref().map(|raw| raw.get()), expected, "{capabilities}");
    };
    check("{}", None);
    check(r#"{"tools":{}}"#, None);
    check(
        r#"{"tools":{"listChanged":true},"prompts":{"listChanged":false}}"#,
        Some(r#"{"notifications":{"toolsListChanged":true}}"#),
    );
    check(
        r#"{"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{"listChanged":true}}"#,
        Some(r#"{"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":true}}"#),
    );
    check(r#"{"tools":7}"#, None);
}

#[test]
fn later_is_not_never() {
    let last_words = [400, 404, 405, 408, 410, 429, 500, 502, 503].map(is_final);
    assert_eq!(last_words, [true, true, true, false, true, false, false, false, false]);
}
