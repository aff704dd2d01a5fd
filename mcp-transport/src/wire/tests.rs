use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::value::RawValue;

use super::{Failure, Message, ReplyScanner, decode, preview, request, with_meta};

fn check(bytes: impl AsRef<[u8]>, expected: &Expect) {
    let mut out = String::new();
    describe(decode(bytes.as_ref()), &mut out);
    expected.assert_eq(&out);
}

fn describe(message: Message<'_>, out: &mut String) {
    let written = match message {
        Message::Reply { id, outcome: Ok(result) } => write!(out, "reply {id:?} ok {}", result.get()),
        Message::Reply { id, outcome: Err(Failure::Refused(error)) } => write!(out, "reply {id:?} refused {error}"),
        Message::Reply { id, outcome: Err(Failure::Invalid(why)) } => write!(out, "reply {id:?} invalid: {why}"),
        Message::Request { id, method, params } => write!(out, "request {} {method} {params:?}", id.get()),
        Message::Notification { method, params } => write!(out, "notification {method} {params:?}"),
        Message::Batch(items) => write!(out, "batch of {}", items.len()),
        Message::Malformed { id, reason } => write!(out, "malformed {id:?}: {reason}"),
    };
    written.expect("writing to a string");
}

#[test]
fn replies() {
    check(r#"{"jsonrpc":"2.0","id":1,"result":{"b":1,"a":2}}"#, &expect![[r#"reply Ours(1) ok {"b":1,"a":2}"#]]);
    check(r#"{"id":"7","result":{}}"#, &expect!["reply Ours(7) ok {}"]);
    check(r#"{"id":7.0,"result":{}}"#, &expect!["reply Ours(7) ok {}"]);
    check(r#"{"id":7.5,"result":{}}"#, &expect!["reply Foreign ok {}"]);
    check(r#"{"id":{"a":1},"result":{}}"#, &expect!["reply Foreign ok {}"]);
    check(
        r#"{"id":null,"error":{"code":-32700,"message":"parse"}}"#,
        &expect!["reply Missing refused parse (code -32700)"],
    );
    check(r#"{"id":1,"result":null}"#, &expect!["reply Ours(1) invalid: `result` must be an object, found `null`"]);
    check(r#"{"id":1,"result":{},"error":null}"#, &expect!["reply Ours(1) ok {}"]);
    check(r#"{"id":1}"#, &expect!["reply Ours(1) invalid: neither `result` nor `error` is present"]);
    check(
        r#"{"id":1,"result":{},"error":{"code":1,"message":""}}"#,
        &expect!["reply Ours(1) invalid: both `result` and `error` are present"],
    );
}

#[test]
fn other_messages() {
    check(r#"{"id":1,"method":"ping"}"#, &expect!["request 1 ping None"]);
    check(r#"{"id":null,"method":"x"}"#, &expect!["notification x None"]);
    check("\u{feff}{\"method\":\"x\"}\r", &expect!["notification x None"]);
    check(r#"[{"id":1,"result":{}},{"id":2,"result":{}}]"#, &expect!["batch of 2"]);
    check(r#"{"hello":"world"}"#, &expect!["malformed None: neither a request nor an answer"]);
}

#[test]
fn malformed_answers_still_name_their_request() {
    check(r#"{"id":3,"result":{"a":}}"#, &expect!["malformed Some(3): expected value at line 1 column 23"]);
    check(
        b"{\"id\":3,\"result\":{\"a\":\"\xff\"}}",
        &expect!["malformed Some(3): invalid unicode code point at line 1 column 24"],
    );
    check(r#"{"id":3,"id":4,"result":{}}"#, &expect!["malformed Some(4): duplicate field `id` at line 1 column 12"]);
}

#[test]
fn meta_is_spliced_or_merged() {
    let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("valid");
    let check = |params: Option<&str>, meta: &str, expected: &str| {
        let params = params.map(raw);
        let got = with_meta(params.as_deref(), meta).expect("an object").unwrap_or_default();
        assert_eq!(got, expected);
    };
    check(None, "", "");
    check(None, r#""k":1"#, r#"{"_meta":{"k":1}}"#);
    check(Some("{}"), r#""k":1"#, r#"{"_meta":{"k":1}}"#);
    check(Some("{ \"z\":1,\"a\":2}"), r#""k":1"#, r#"{"_meta":{"k":1}, "z":1,"a":2}"#);
    check(Some(r#"{"z":1,"_meta":{"k":0,"own":2}}"#), r#""k":1"#, r#"{"z":1,"_meta":{"k":1,"own":2}}"#);
    assert!(with_meta(Some(&raw("[1]")), "").is_err());
}

#[test]
fn pretty_parameters_stay_on_one_line() {
    assert_eq!(
        request(1, "m", Some("{\n \"a\":\r\n 1}")),
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{  "a":   1}}"#
    );
}

#[test]
fn previews_end_at_a_word() {
    for (text, limit, expected) in [
        ("aé", 9, "aé"),
        ("aé", 3, "aé"),
        ("a é", 3, "a …"),
        ("bad token abc.def-ghi", 16, "bad token …"),
        ("bad token abc, but", 13, "bad token abc…"),
        ("abcdef", 3, "…"),
    ] {
        assert_eq!(preview(text, limit), expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decoding_never_panics(bytes: Vec<u8>) {
        let _message = decode(&bytes);
    }

    #[test]
    fn scanning_does_not_depend_on_chunks(text in r#"[{}\[\]",:a-z0-9\\ ]{0,60}"#, cut in 0_usize..60) {
        let text = format!(r#"{{"id":5,{text}"#);
        let (head, tail) = text.as_bytes().split_at(cut.min(text.len()));
        let mut scanner = ReplyScanner::default();
        scanner.feed(head);
        scanner.feed(tail);
        prop_assert_eq!(scanner.reply_id(), ReplyScanner::scan(text.as_bytes()));
    }

    #[test]
    fn the_scanner_agrees_with_the_parser(id: u32, text in "\\PC{0,20}") {
        let json = serde_json::json!({"text": text, "nested": {"id": 1, "method": "x"}, "id": id, "result": {"id": 2}});
        prop_assert_eq!(ReplyScanner::scan(json.to_string().as_bytes()), Some(u64::from(id)));
    }
}
