use std::sync::Arc;

use ::http::header::AUTHORIZATION;
use ::http::{HeaderMap, HeaderValue};

use serde_json::value::RawValue;

use super::{RECENT, Sent, hidden};
use crate::{Endpoint, Error, Exit, HttpOptions, RpcError};

fn knowing(values: &[&str]) -> Sent {
    Sent::default().with(values.iter().map(|value| (*value).to_owned()))
}

#[test]
fn every_form_of_a_value_is_found() {
    let sent = knowing(&["s3cr3t/p+th=\"1\" ü", "tok3n-tok3n"]);
    for (text, clean) in [
        ("nothing here", "nothing here"),
        ("got `tok3n-tok3n`", "got `[redacted]`"),
        ("tok3n-tok3n,tok3n-tok3n", "[redacted],[redacted]"),
        ("s3cr3t/p+th=\"1\" ü", "[redacted]"),
        ("/s3cr3t%2Fp%2Bth%3D%221%22%20%C3%BC/x", "/[redacted]/x"),
        ("/s3cr3t%2fp%2bth%3d%221%22%20%c3%bc/x", "/[redacted]/x"),
        ("?q=s3cr3t%2Fp%2Bth%3D%221%22+%C3%BC", "?q=[redacted]"),
        (r#"{"was":"s3cr3t/p+th=\"1\" ü"}"#, r#"{"was":"[redacted]"}"#),
        ("dG9rM24tdG9rM24=", "[redacted]M24="),
    ] {
        assert_eq!(sent.scrub(text), clean, "{text}");
    }
}

#[test]
fn what_requests_carry_is_known() {
    let options = HttpOptions::new("https://user:passw0rd@x.example/mcp?key=qu3ry-key&n=1")
        .with_header("Authorization", "Basic dXNlcjpwYXNzcGhyYXNl")
        .with_header("X-Key", "h3ader-key");
    let sent = Sent::default().to(&Endpoint::Http(options));
    let text = "passw0rd qu3ry-key h3ader-key passphrase dXNlcjpwYXNzcGhyYXNl user:passphrase x.example Basic";
    let clean = "[redacted] [redacted] [redacted] [redacted] [redacted] [redacted] x.example Basic";
    assert_eq!(sent.scrub(text), clean);
}

#[test]
fn credentials_that_came_later_are_known_and_old_ones_forgotten() {
    let sent = Sent::default().to(&Endpoint::Http(HttpOptions::new("https://x.example")));
    let bearer = |number: usize| {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer tok3n-{number:03}")).unwrap())])
    };
    sent.note(&bearer(0));
    assert_eq!(sent.scrub("bad tok3n-000"), "bad [redacted]");
    (1..=RECENT).for_each(|number| sent.note(&bearer(number)));
    assert_eq!(sent.scrub("tok3n-000 tok3n-016"), "tok3n-000 [redacted]", "a bounded number of them");
    let mut other = HeaderMap::new();
    other.insert("x-plain", HeaderValue::from_static("plain-value"));
    sent.note(&other);
    assert_eq!(sent.scrub("plain-value"), "plain-value");
}

#[test]
fn short_values_are_left_alone() {
    assert_eq!(knowing(&["true", "8080", "1234567"]).scrub("true 8080 1234567"), "true 8080 1234567");
    assert_eq!(knowing(&["12345678"]).scrub("12345678"), "[redacted]");
}

#[test]
fn a_large_text_is_read_once() {
    let values: Vec<String> = (0..2_000).map(|number| format!("value-number-{number:05}")).collect();
    let sent = Sent::default().with(values);
    let text = "value-number-01234 and value-number-99999;".repeat(50_000);
    let clean = sent.scrub(&text);
    assert!(!clean.contains("01234") && clean.contains("99999"));
}

#[test]
fn no_error_repeats_a_value() {
    let sent = knowing(&["s3cr3t-value"]);
    let text = || "x s3cr3t-value y".to_owned();
    let cause = || crate::SharedCause::from("cause");
    let mut refused = RpcError::new(1, text());
    refused.data = Some(text());
    let exit = Exit { status: Some(1), signal: None, stderr_tail: text() };
    let errors = [
        Error::InvalidOption { option: "url", reason: text() },
        Error::CommandNotFound { command: text() },
        Error::Spawn { command: text(), source: std::io::Error::other("no").into() },
        Error::Exited(Arc::new(exit)),
        Error::Closed { reason: text().into() },
        Error::Silent { after: std::time::Duration::ZERO, stdout: Some(text()), stderr_tail: text() },
        Error::Rpc { method: "m".to_owned(), error: refused },
        Error::Protocol { method: "m".to_owned(), reason: text() },
        Error::NoCommonVersion { supported: vec![text()] },
        Error::Unreachable { url: text(), source: cause() },
        Error::Interrupted { url: text(), source: cause() },
        Error::Http { url: text(), status: 500, detail: text(), retry_after: None },
        Error::AuthRequired { url: text(), status: 401, challenge: Some(text()) },
        Error::Authorize { url: text(), source: cause() },
        Error::Redirect { url: text(), target: text(), reason: "no" },
    ];
    for error in errors {
        let shown = format!("{error:?}");
        assert!(shown.contains("s3cr3t-value"), "{shown}");
        let error = error.scrubbed(&sent);
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("s3cr3t-value") && shown.contains("x [redacted] y"), "{shown}");
    }
}

#[test]
fn a_failed_tool_repeats_no_value_and_any_other_result_stays_as_it_came() {
    let sent = knowing(&["t0p-secret-1", r#"{"a":"structured"}"#]);
    let scrubbed = |result: &str| sent.scrub_result(RawValue::from_string(result.to_owned()).unwrap()).get().to_owned();
    for (result, expected) in [
        (
            r#"{"content":[{"text":"sent t0p-secret-1"}],"isError":true}"#,
            r#"{"content":[{"text":"sent [redacted]"}],"isError":true}"#,
        ),
        (r#"{"isError": true, "content":"no"}"#, r#"{"isError": true, "content":"no"}"#),
        (
            r#"{"content":[{"text":"t0p-secret-1"}],"isError":false}"#,
            r#"{"content":[{"text":"t0p-secret-1"}],"isError":false}"#,
        ),
        (
            r#"{"content":[{"text":"t0p-secret-1, no isError"}]}"#,
            r#"{"content":[{"text":"t0p-secret-1, no isError"}]}"#,
        ),
        (r#"{"structuredContent":{"a":"structured"},"isError":true}"#, hidden().get()),
    ] {
        assert_eq!(scrubbed(result), expected, "{result}");
    }
}
