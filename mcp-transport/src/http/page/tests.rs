use super::described;

#[test]
fn a_web_page_is_named_and_not_quoted() {
    for (body, expected) in [
        ("\n<!DOCTYPE html>\n<html><head><title>Sign\n in</title>", Some(" titled `Sign in`")),
        ("<HTML><body>Cannot POST /sse</body>", Some("a web page, where")),
        ("<html><title></title>", Some("a web page, where")),
        ("{\"html\": true}", None),
        ("not found", None),
    ] {
        let said = described(body);
        assert_eq!(said.is_some(), expected.is_some(), "{body}");
        assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{body}");
    }
}
