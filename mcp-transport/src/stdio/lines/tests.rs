use proptest::prelude::*;
use tokio::io::BufReader;

use super::{Line, read_line};

/// Reads everything from `input` through a buffer of `chunk` bytes.
fn lines(input: &[u8], chunk: usize, limit: usize) -> Vec<(Line, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut reader = BufReader::with_capacity(chunk, input);
        let (mut buffer, mut seen) = (Vec::new(), Vec::new());
        loop {
            let line = read_line(&mut reader, &mut buffer, limit).await.expect("memory does not fail");
            let last = matches!(line, Line::End | Line::Endless { .. });
            seen.push((line, String::from_utf8_lossy(&buffer).into_owned()));
            if last {
                return seen;
            }
        }
    })
}

#[test]
fn an_oversized_line_is_skipped_and_names_the_request_it_answers() {
    let input = br#"{"a":1}
{"id":7,"result":{"text":"0123456789"}}
{"b":2}"#;
    let seen = lines(input, 8, 20);
    let skipped = Line::Skipped { answers: Some(7) };
    assert_eq!(
        seen,
        [
            (Line::Complete, r#"{"a":1}"#.to_owned()),
            (skipped, String::new()),
            (Line::Complete, r#"{"b":2}"#.to_owned()),
            (Line::End, String::new())
        ]
    );
}

#[test]
fn an_oversized_question_answers_nothing() {
    let seen = lines(b"{\"id\":7,\"method\":\"sampling/createMessage\"}\n", 8, 10);
    assert_eq!(seen.first().map(|(line, _)| line), Some(&Line::Skipped { answers: None }));
}

#[test]
fn a_line_without_end_is_given_up() {
    let endless = format!(r#"{{"id":3,"result":"{}"#, "x".repeat(1000));
    assert_eq!(
        lines(endless.as_bytes(), 64, 100).last().map(|(line, _)| line),
        Some(&Line::Endless { answers: Some(3) })
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn short_lines_come_back_whole(texts in prop::collection::vec("[a-z]{0,30}", 1..10), chunk in 1_usize..40) {
        let input = texts.join("\n") + "\n";
        let seen: Vec<String> = lines(input.as_bytes(), chunk, 30)
            .into_iter()
            .filter(|(line, _)| *line == Line::Complete)
            .map(|(_, text)| text)
            .collect();
        prop_assert_eq!(seen, texts);
    }
}
