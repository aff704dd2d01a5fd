use std::sync::{Arc, Mutex};

use super::{Tail, drain};

#[tokio::test]
async fn the_tail_is_bounded_and_the_sink_hears_every_line() {
    let tail = Tail::new(10);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let sink: super::LineSink = Arc::new(move |line: &str| sink.lock().expect("unpoisoned").push(line.to_owned()));
    drain(&b"first line\r\nsecond\nno end \xff"[..], tail.clone(), Some(sink)).await;
    assert_eq!(tail.text(), "no end \u{fffd}", "whole lines of the last ten bytes");
    assert_eq!(*heard.lock().expect("unpoisoned"), ["first line", "second", "no end \u{fffd}"]);
}

#[tokio::test]
async fn one_chunk_larger_than_the_tail_keeps_its_end() {
    for (text, expected) in [("abcdefgh", ""), ("ab cd efgh", "efgh"), ("a\nb c\nd", "b c\nd"), ("abc\nd", "abc\nd")] {
        let tail = Tail::new(6);
        drain(text.as_bytes(), tail.clone(), None).await;
        assert_eq!(tail.text(), expected, "{text:?}: half a word may be half a credential");
    }
}
