use serde_json::value::RawValue;

use super::filter;

#[test]
fn only_what_the_server_announces_is_listened_for() {
    let check = |capabilities: &str, expected: Option<&str>| {
        let capabilities = RawValue::from_string(capabilities.to_owned()).expect("valid JSON");
        assert_eq!(filter(Some(&capabilities)).as_ref().map(|raw| raw.get()), expected, "{capabilities}");
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
