use std::sync::Arc;

use tokio::sync::mpsc;

use super::{Inbox, Queued};

/// An inbox that takes 1,000 bytes of questions, what it posts, and what it hands to the handler.
fn inbox() -> (Arc<Inbox>, mpsc::Receiver<String>, mpsc::Receiver<Queued>) {
    let (outbox, posted) = mpsc::channel(8);
    let (queue, queued) = mpsc::channel(8);
    (Inbox::new(outbox, queue, 1_000), posted, queued)
}

/// I9: an answer to nobody fails nobody.
#[test]
fn a_stray_answer_is_noise_while_a_request_waits() {
    let (inbox, _posted, _queued) = inbox();
    let mut ticket = inbox.register(7, "tools/call").expect("an open inbox");
    let strays: [&[u8]; 8] = [
        br#"{"id":"x","result":{}}"#,
        br#"{"id":-1,"result":{}}"#,
        br#"{"id":1.5,"error":{"code":1,"message":""}}"#,
        br#"{"id":null,"result":{}}"#,
        br#"{"id":{},"result":{}}"#,
        br#"{"id":8,"result":{}}"#,
        b"{\"id\":9,\"result\":{\"a\":\"\xff\"}}",
        b"{\"method\":\"notifications/message\",\"params\":\"\xff\"}",
    ];
    for stray in strays {
        inbox.receive(stray);
    }
    assert_eq!(inbox.noise(), 8);
    assert!(ticket.answer_now().is_none() && inbox.is_pending(7));
    inbox.receive(br#"{"id":7,"result":{"ok":true}}"#);
    assert_eq!(ticket.answer_now().expect("an answer").expect("a result").get(), r#"{"ok":true}"#);
}

/// I14: ids are kept and echoed, so they count.
#[test]
fn ids_of_questions_and_cancellations_are_bounded_in_bytes() {
    let (inbox, mut posted, mut queued) = inbox();
    let long = "x".repeat(2_000);
    inbox.receive(format!(r#"{{"id":"{long}","method":"ping"}}"#).as_bytes());
    inbox.receive(format!(r#"{{"id":"{long}","method":"roots/list"}}"#).as_bytes());
    let cancelled = format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":"{long}"}}}}"#);
    inbox.receive(cancelled.as_bytes());
    assert_eq!(inbox.noise(), 3);
    assert!(posted.try_recv().is_err() && queued.try_recv().is_err());

    let id = "y".repeat(600);
    for _ in 0..2 {
        inbox.receive(format!(r#"{{"id":"{id}","method":"roots/list"}}"#).as_bytes());
    }
    assert!(queued.try_recv().is_ok() && queued.try_recv().is_err(), "two ids are more than 1,000 bytes");
    assert!(posted.try_recv().expect("a refusal").contains("too many questions"));
}
