use expect_test::{Expect, expect};
use serde_json::value::RawValue;

use super::{outcome, with_answers};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("valid JSON")
}

fn check(result: &str, expected: &Expect) {
    expected.assert_eq(&format!("{:?}", outcome(&raw(result))));
}

#[test]
fn results_say_what_they_are() {
    check("{}", &expect!["Ok(Complete)"]);
    check(r#"{"resultType":"complete"}"#, &expect!["Ok(Complete)"]);
    check(r#"{"structuredContent":{"resultType":"task"}}"#, &expect!["Ok(Complete)"]);
    check(r#"{"resultType":"task","taskId":"1"}"#, &expect!["Ok(Task)"]);
    check(
        r#"{"resultType":"input_required","requestState":"s"}"#,
        &expect![[r#"Ok(InputRequired { requests: None, state: Some(RawValue("s")) })"#]],
    );
    check(
        r#"{"resultType":"input_required"}"#,
        &expect![[r#"Err("`input_required` without `inputRequests` and `requestState`")"#]],
    );
    check(r#"{"resultType":"surprise"}"#, &expect![[r#"Err("unknown `resultType` `surprise`")"#]]);
}

#[test]
fn state_is_echoed_exactly_and_only_when_there_is_one() {
    let params = raw(r#"{"name":"t","arguments":{"z":1}}"#);
    let retry = with_answers(Some(&params), Some(raw(r#"{"k":{}}"#)), Some(&raw(r#""\u0061\/ b""#))).expect("JSON");
    assert_eq!(
        retry.get(),
        r#"{"name":"t","arguments":{"z":1},"inputResponses":{"k":{}},"requestState":"\u0061\/ b"}"#
    );
    let retry = with_answers(Some(&params), Some(raw("{}")), None).expect("JSON");
    assert_eq!(retry.get(), r#"{"name":"t","arguments":{"z":1},"inputResponses":{}}"#);
}
