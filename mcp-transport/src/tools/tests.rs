use serde_json::value::RawValue;

use super::{Annotations, Rejected, Tool};

fn parse(text: &str) -> Result<Tool, Rejected> {
    Tool::parse(&RawValue::from_string(text.to_owned()).expect("valid JSON"), 4)
}

#[test]
fn schemas_and_unknown_members_are_kept_as_they_came() {
    let text = r#"{"name":"t","x-own":1,"inputSchema":{"zeta":1, "alpha":{"$ref":"x"}},"outputSchema":{"b":1}}"#;
    let tool = parse(text).expect("a tool");
    assert_eq!(tool.input_schema.get(), r#"{"zeta":1, "alpha":{"$ref":"x"}}"#);
    assert_eq!(tool.output_schema.map(|schema| schema.get().to_owned()).as_deref(), Some(r#"{"b":1}"#));
    assert_eq!(tool.raw.get(), text);
}

#[test]
fn a_bad_tool_says_what_is_wrong_with_it() {
    let check = |text: &str, name: Option<&str>, reason: &str| {
        let rejected = parse(text).expect_err(text);
        assert_eq!((rejected.index, rejected.name.as_deref()), (4, name), "{text}");
        assert!(rejected.reason.contains(reason), "{} lacks {reason}", rejected.reason);
    };
    check(r#"{"name":"t"}"#, Some("t"), "`inputSchema` is missing");
    check(r#"{"name":"t","inputSchema":null}"#, Some("t"), "`inputSchema` is missing");
    check(r#"{"name":"t","inputSchema":true}"#, Some("t"), "must be an object, found `true`");
    check(r#"{"name":"t","inputSchema":{},"description":7}"#, Some("t"), "invalid type");
    check(r#"{"name":"","inputSchema":{}}"#, Some(""), "`name` is empty");
    check(r#"{"inputSchema":{}}"#, None, "missing field `name`");
    check("7", None, "invalid type");
}

#[test]
fn hints_of_the_wrong_type_are_absent() {
    let tool = parse(
        r#"{"name":"t","inputSchema":{},"annotations":{"readOnlyHint":true,"destructiveHint":"no","idempotentHint":null}}"#,
    );
    let expected = Annotations { read_only: Some(true), ..Annotations::default() };
    assert_eq!(tool.expect("a tool").annotations, Some(expected));
}
