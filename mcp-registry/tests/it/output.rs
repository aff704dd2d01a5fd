use mcp_registry::{MediaKind, Output, OutputLimits, truncate};
use proptest::prelude::*;
use serde_json::{Value, json};

fn output(result: &Value) -> Output {
    Output::from_call_result(&serde_json::value::to_raw_value(result).expect("a literal serialises"))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Checks what the model sees of rows of (name, result, expected).
fn check(rows: &[(&str, Value, &str)]) {
    for (name, result, expected) in rows {
        assert_eq!(output(result).for_model(), *expected, "{name}");
    }
}

#[test]
fn the_model_sees_the_content_where_it_carries_the_data() {
    let users = json!({"users": ["Ada Lovelace", "Alan Turing"], "total": 2});
    let beside = format!("Note: cached.\n{users}");
    check(&[
        ("text alone", json!({"content": [text("hello")]}), "hello"),
        (
            "the same JSON",
            json!({"content": [text("{\"a\": 1.5,\n \"b\": []}")], "structuredContent": {"b": [], "a": 1.5}}),
            "{\"a\": 1.5,\n \"b\": []}",
        ),
        (
            "the same JSON beside a remark",
            json!({"content": [text("Note: cached."), text(&users.to_string())], "structuredContent": users}),
            &beside,
        ),
        (
            "the same as prose",
            json!({"content": [text("2 users: Ada Lovelace, Alan Turing")], "structuredContent": users}),
            "2 users: Ada Lovelace, Alan Turing",
        ),
        (
            "a wrapped value",
            json!({"content": [text("a"), text("b")], "structuredContent": {"result": ["a", "b"]}}),
            "a\nb",
        ),
        ("nothing structured", json!({"content": [text("done")], "structuredContent": {}}), "done"),
        (
            "long text and a remark",
            json!({"content": [text("The whole story of Ada Lovelace, at length.")],
                "structuredContent": {"who": "Ada Lovelace", "lang": "en"}}),
            "The whole story of Ada Lovelace, at length.\n{\"lang\":\"en\"}",
        ),
    ]);
}

#[test]
fn the_model_sees_the_structured_content_where_the_text_is_empty_or_a_summary() {
    let users = json!({"users": ["Ada Lovelace", "Alan Turing"], "total": 2});
    let (alone, after_summary) = (users.to_string(), format!("Found them.\n{users}"));
    check(&[
        ("no content", json!({"content": [], "structuredContent": {"a": 1}}), r#"{"a":1}"#),
        ("blank content", json!({"content": [text(" \n")], "structuredContent": [1, 2]}), "[1,2]"),
        ("content missing", json!({"structuredContent": "x"}), r#""x""#),
        ("a summary", json!({"content": [text("Found them.")], "structuredContent": users}), &after_summary),
        (
            "a summary that repeats",
            json!({"content": [text("Ada Lovelace and so on")], "structuredContent": users}),
            &alone,
        ),
        ("a number within another", json!({"content": [text("10")], "structuredContent": {"n": 1}}), "10\n{\"n\":1}"),
        (
            "an empty list",
            json!({"content": [text("Done.")], "structuredContent": {"rows": []}}),
            "Done.\n{\"rows\":[]}",
        ),
    ]);
}

#[test]
fn an_errors_own_message_is_never_masked() {
    check(&[
        (
            "a message and a value",
            json!({"content": [text("no such table: users")], "structuredContent": {"code": 1146, "table": "users"},
                "isError": true}),
            "no such table: users\n{\"code\":1146}",
        ),
        (
            "a message that repeats the value",
            json!({"content": [text("error 1146")], "structuredContent": {"code": 1146}, "isError": true}),
            "error 1146",
        ),
        ("a value alone", json!({"structuredContent": {"code": 1}, "isError": true}), r#"{"code":1}"#),
    ]);
}

#[test]
fn media_stay_out_of_the_text() {
    let output = output(&json!({"content": [
        text("A chart:"),
        {"type": "image", "data": "QUFBQQ==", "mimeType": "image/png"},
        {"type": "audio", "data": "QUFB", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": "QUFB", "mimeType": "application/zip"}},
        {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "inside"}},
        {"type": "resource_link", "uri": "file:///b", "name": "b"},
    ]}));
    expect_test::expect![[r"
        A chart:
        [image 1: image/png, 6 bytes]
        [audio 2: audio/wav, 3 bytes]
        [resource 3: file:///a.bin application/zip, 3 bytes]
        [resource file:///a.txt]
        inside
        [resource link: b, file:///b]"]]
    .assert_eq(&output.for_model());
    let kinds: Vec<_> = output.media.iter().map(|media| (media.kind, media.base64.as_str())).collect();
    assert_eq!(kinds, [(MediaKind::Image, "QUFBQQ=="), (MediaKind::Audio, "QUFB"), (MediaKind::Resource, "QUFB")]);
    assert!(!format!("{output:?}").contains("QUFB"), "bytes do not belong into a log");
}

#[test]
fn what_cannot_be_read_leaves_a_line_and_a_problem() {
    let output =
        output(&json!({"content": [text("a"), {"type": "video"}, {"type": "image"}, 7, text("b")], "isError": "yes"}));
    let gap = "[a part of the result could not be read]";
    assert_eq!(output.text, format!("a\n{gap}\n{gap}\n{gap}\nb"));
    assert!(output.is_error);
    let places: Vec<_> = output.problems.iter().map(|problem| problem.place.as_str()).collect();
    assert_eq!(places, ["isError", "content/1", "content/2", "content/3"]);
}

#[test]
fn an_answer_that_is_no_result_is_an_error() {
    for result in [json!("text"), json!(null), json!([1]), json!(7)] {
        let output = output(&result);
        assert!(output.is_error, "{result}");
        assert!(
            output.for_model().starts_with("the server's answer is no tool result: expected an object"),
            "{result}"
        );
    }
    let output = output(&json!({"content": "text"}));
    assert_eq!((output.is_error, output.problems.len()), (false, 1));
}

#[test]
fn comparing_text_with_structured_content_takes_bounded_time() {
    let numbers: Vec<u32> = (0..200_000).collect();
    let many = output(&json!({"content": [text(&"x ".repeat(500_000))], "structuredContent": {"numbers": numbers}}));
    assert!(many.for_model().len() > 1_000_000);
    let deep = format!(
        r#"{{"content":[{{"type":"text","text":"x"}}],"structuredContent":{}1{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let deep = Output::from_call_result(&serde_json::value::RawValue::from_string(deep).expect("valid JSON"));
    assert!(deep.for_model().starts_with("x\n[["));
}

#[test]
fn long_text_loses_its_middle() {
    let limits = OutputLimits::default().with_chars(30, 10);
    for (text, expected) in [
        ("short".to_owned(), "short".to_owned()),
        ("é".repeat(30), "é".repeat(30)),
        (
            "é".repeat(31),
            format!("{}\n... [1 characters left out: they are not kept] ...\n{}", "é".repeat(20), "é".repeat(10)),
        ),
        (
            format!("{}\nabc{}xyz\n{}", "h".repeat(17), "m".repeat(50), "t".repeat(9)),
            format!("{}\n... [57 characters left out: they are not kept] ...\n{}", "h".repeat(17), "t".repeat(9)),
        ),
    ] {
        assert_eq!(truncate(&text, &limits, None), expected);
    }
    let text = "x".repeat(100);
    assert!(truncate(&text, &limits, Some("out-7")).contains(r#"the tool `output`, id "out-7""#));
    let tail_only = OutputLimits::default().with_chars(10, 50);
    assert_eq!(
        truncate(&text, &tail_only, None),
        format!("... [90 characters left out: they are not kept] ...\n{}", "x".repeat(10))
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![".{0,8}", "text|image|audio|resource|resource_link"].prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let name = "content|structuredContent|isError|type|text|data|resource|blob|uri|mimeType|[a-z]";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..5).prop_map(Value::from_iter),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_result_panics(result in any_json(), content in any_json(), structured in any_json()) {
        output(&result).for_model();
        output(&json!({"content": content, "structuredContent": structured})).for_model();
    }

    #[test]
    fn text_is_never_cut_within_a_character_and_never_grows_beyond_the_limits(
        text in ".{0,80}", most in 0_usize..60, tail in 0_usize..60,
    ) {
        let limits = OutputLimits::default().with_chars(most, tail);
        let seen = truncate(&text, &limits, None);
        let Some((head, rest)) = seen.split_once("... [") else {
            prop_assert_eq!(&*seen, text.as_str());
            return Ok(());
        };
        let tail = rest.split_once("] ...\n").map(|(_, tail)| tail).expect("the marker ends");
        prop_assert!(text.starts_with(head.trim_end_matches('\n')) && text.ends_with(tail));
        prop_assert!(head.chars().count() + tail.chars().count() <= most + 1);
    }
}
