use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use proptest::prelude::*;

use super::{Ending, EventSize, Events};

#[test]
fn only_the_current_event_counts() {
    for (text, fits) in [
        ("data: 1\n\ndata: 2\n\ndata: 3\n\n", true),
        ("data: 1\r\n\r\ndata: 2\r\n\r\n", true),
        ("data: 1\r\rdata: 2\r\r", true),
        ("data: 1\ndata: 2\n\n", false),
        (": comment without end", false),
    ] {
        assert_eq!(EventSize::default().fits(text.as_bytes(), 12), fits, "{text:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_breaks_off() {
    let mut events = Events::from_stream(stream::pending(), Duration::from_mins(1));
    assert!(matches!(events.next().await, Err(Ending::Broken(reason)) if reason.contains("60s")));
}

/// Comments, one each second, and an event once `comments` of them have come.
fn comments_then_event(comments: usize) -> impl futures_util::Stream<Item = Result<Bytes, super::Fault>> {
    let clock = tokio::time::interval(Duration::from_secs(1));
    stream::unfold((0, clock), move |(sent, mut clock)| async move {
        clock.tick().await;
        let text = if sent < comments { ": still here\n\n" } else { "data: at last\n\n" };
        Some((Ok(Bytes::from(text)), (sent + 1, clock)))
    })
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_a_sign_of_life() {
    let mut events = Events::from_stream(comments_then_event(60), Duration::from_millis(1_500));
    let event = events.next().await.expect("the event behind a minute of comments");
    assert_eq!(event.data.as_deref(), Some("at last"));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_over_once_even_its_comments_end() {
    let bytes = stream::iter([Ok(Bytes::from(": hi\n\n"))]).chain(stream::pending());
    let mut events = Events::from_stream(bytes, Duration::from_secs(2));
    let started = tokio::time::Instant::now();
    assert!(matches!(events.next().await, Err(Ending::Broken(reason)) if reason.contains("no byte for 2s")));
    assert_eq!(started.elapsed(), Duration::from_secs(2));
    assert!(matches!(events.next().await, Err(Ending::Ended)), "and stays over");
}

#[tokio::test]
async fn events_survive_any_cut() {
    let text = "id: 1\nretry: 20\nevent: message\ndata: {\"a\":\ndata: 1}\n\n";
    for cut in 0..text.len() {
        let (head, tail) = text.split_at(cut);
        let chunks = [head, tail].map(|part| Ok(Bytes::copy_from_slice(part.as_bytes())));
        let mut events = Events::from_stream(stream::iter(chunks), Duration::from_secs(1));
        let event = events.next().await.expect("one event");
        assert_eq!(
            (event.id.as_deref(), event.retry, event.data.as_deref()),
            (Some("1"), Some(20), Some("{\"a\":\n1}"))
        );
        assert!(matches!(events.next().await, Err(Ending::Ended)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counting_does_not_depend_on_chunks(text in "[a\r\n]{0,40}", cut in 0_usize..40, limit in 1_usize..10) {
        let (head, tail) = text.split_at(cut.min(text.len()));
        let mut size = EventSize::default();
        let in_parts = size.fits(head.as_bytes(), limit) && size.fits(tail.as_bytes(), limit);
        prop_assert_eq!(in_parts, EventSize::default().fits(text.as_bytes(), limit));
    }
}
