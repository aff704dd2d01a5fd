use serde_json::value::RawValue;

use super::{Elicitation, ElicitationAnswer, Features};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("valid JSON")
}

#[test]
fn features_become_client_capabilities() {
    assert_eq!(Features::default().to_json(false), "{}");
    let all = Features { elicitation_form: true, elicitation_url: true, sampling: true, roots: true };
    assert_eq!(
        all.to_json(true),
        r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#
    );
}

#[test]
fn a_question_without_mode_is_a_form() {
    let question = Elicitation::parse(&raw(r#"{"message":"name?","requestedSchema":{"z":1,"a":2}}"#));
    let Ok(Elicitation::Form { message, schema }) = question else { panic!("{question:?}") };
    assert_eq!((message.as_str(), schema.get()), ("name?", r#"{"z":1,"a":2}"#));
}

#[test]
fn questions_that_cannot_be_asked_are_refused() {
    for params in ["{}", r#"{"mode":"url"}"#, r#"{"mode":"telepathy","requestedSchema":{}}"#, "[]"] {
        let error = Elicitation::parse(&raw(params)).expect_err(params);
        assert_eq!(error.code, -32602, "{params}");
    }
}

#[test]
fn answers_are_elicitation_results() {
    assert_eq!(
        ElicitationAnswer::Accept(Some(raw(r#"{"a":1}"#))).to_json(),
        r#"{"action":"accept","content":{"a":1}}"#
    );
    assert_eq!(ElicitationAnswer::Cancel.to_json(), r#"{"action":"cancel"}"#);
}
