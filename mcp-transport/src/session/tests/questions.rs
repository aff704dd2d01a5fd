//! What a server asks: one question at a time, labelled, in order, and never in the way of answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{Fixture, answer, legacy, modern, raw};
use crate::{
    BoxFuture, ConnectOptions, Elicitation, ElicitationAnswer, Features, Handler, LogLevel, LogRecord, Progress, Root,
    Timeouts,
};

/// Notes everything, and answers a question when it is given a permit.
#[derive(Default)]
struct Notes {
    heard: Mutex<Vec<String>>,
    permits: Option<Semaphore>,
}

impl Notes {
    fn note(&self, text: String) {
        self.heard.lock().expect("unpoisoned").push(text);
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().expect("unpoisoned").clone()
    }
}

impl Handler for Notes {
    fn features(&self) -> Features {
        Features { elicitation_form: true, roots: true, ..Features::default() }
    }

    fn elicit<'a>(&'a self, server: &'a str, question: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async move {
            let Elicitation::Form { message, .. } = question else { return ElicitationAnswer::Cancel };
            self.note(format!("{server} asks {message}"));
            assert_ne!(message, "panic", "the handler fails");
            if let Some(permits) = &self.permits {
                permits.acquire().await.expect("open").forget();
            }
            self.note(format!("answered {message}"));
            ElicitationAnswer::Accept(Some(raw(&json!({"name": message}))))
        })
    }

    fn roots<'a>(&'a self, _server: &'a str) -> BoxFuture<'a, Vec<Root>> {
        Box::pin(async { vec![Root::new("file:///work").with_name("work")] })
    }

    fn log(&self, server: &str, record: LogRecord) {
        self.note(format!("{server} logs {} {}", record.level, record.data));
    }

    fn progress(&self, server: &str, progress: Progress) {
        self.note(format!("{server} is at {}", progress.progress));
    }
}

fn options(notes: &Arc<Notes>) -> ConnectOptions {
    ConnectOptions::default().with_label("files").with_handler(notes.clone())
}

fn question(id: u64, message: &str) -> Value {
    let params = json!({"message": message, "requestedSchema": {"type": "object"}});
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params})
}

#[tokio::test(start_paused = true)]
async fn questions_wait_for_each_other_and_calls_do_not_wait_for_them() {
    let notes = Arc::new(Notes { permits: Some(Semaphore::new(0)), ..Notes::default() });
    let peer = Fixture::start(options(&notes), |message| {
        legacy(message).unwrap_or_else(|| vec![answer(message, &json!({"content": []}))])
    });
    let peer = peer.await;
    peer.receive(&question(1, "first"));
    peer.receive(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 7}}));
    peer.receive(&question(2, "second"));
    peer.settle().await;
    assert_eq!(notes.heard(), ["files asks first"], "the rest waits");
    peer.connection.call_tool("t", None).await.expect("a call is answered in between");
    peer.receive(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}));
    peer.settle().await;
    assert_eq!(peer.answers(), [json!({"jsonrpc": "2.0", "id": "p", "result": {}})], "a ping does not wait");

    notes.permits.as_ref().expect("permits").add_permits(2);
    peer.settle().await;
    let expected = ["files asks first", "answered first", "files logs info 7", "files asks second", "answered second"];
    assert_eq!(notes.heard(), expected);
    let accepted =
        |id: u64, name| json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"name": name}}});
    assert_eq!(peer.answers()[1..], [accepted(1, "first"), accepted(2, "second")]);
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_the_person_its_server_asks() {
    let notes = Arc::new(Notes { permits: Some(Semaphore::new(0)), ..Notes::default() });
    let mut call = None;
    let peer = Fixture::start(options(&notes), move |message| {
        if message["method"] == "tools/call" {
            call = Some(message.clone());
            return vec![question(1, "sure?")];
        }
        match (message["method"].is_null(), &call) {
            (true, Some(call)) => vec![answer(call, &json!({"content": []}))],
            _ => legacy(message).unwrap_or_default(),
        }
    });
    let peer = peer.await;
    let thinking = async {
        let mut clock = tokio::time::interval(Duration::from_mins(5));
        clock.tick().await;
        clock.tick().await;
        notes.permits.as_ref().expect("permits").add_permits(1);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        result = peer.connection.call_tool("t", None) => drop(result.expect("five times the call timeout is no problem")),
        () = thinking => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_ends_with_its_call() {
    let notes = Arc::new(Notes { permits: Some(Semaphore::new(0)), ..Notes::default() });
    let timeouts = Timeouts::default().with_call(Duration::from_secs(1)).with_call_total(Duration::from_secs(2));
    let peer = Fixture::start(options(&notes).with_timeouts(timeouts), |message| {
        let ask = json!({"method": "elicitation/create", "params": {"message": "sure?", "requestedSchema": {}}});
        let wanted = json!({"resultType": "input_required", "inputRequests": {"a": ask}});
        modern(message, &json!({})).unwrap_or_else(|| vec![answer(message, &wanted)])
    });
    let peer = peer.await;
    let started = tokio::time::Instant::now();
    let error = peer.connection.call_tool("t", None).await.expect_err("nobody answers");
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!((started.elapsed().as_secs(), notes.heard()), (2, vec!["files asks sure?".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn what_was_not_offered_is_refused_and_a_panic_is_no_end() {
    let notes = Arc::new(Notes::default());
    let peer = Fixture::start(options(&notes), |message| legacy(message).unwrap_or_default()).await;
    peer.receive(&json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}}));
    peer.receive(&question(2, "panic"));
    peer.receive(
        &json!({"jsonrpc": "2.0", "id": 3, "method": "elicitation/create", "params": {"mode": "url", "url": "u"}}),
    );
    peer.receive(&json!({"jsonrpc": "2.0", "id": 4, "method": "roots/list"}));
    peer.settle().await;
    let answers = peer.answers();
    let codes: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(codes, [&json!(-32601), &json!(-32603), &json!(-32602), &Value::Null]);
    assert_eq!(answers[3]["result"], json!({"roots": [{"uri": "file:///work", "name": "work"}]}));
}

#[tokio::test(start_paused = true)]
async fn a_question_may_be_taken_back_before_and_while_it_is_asked() {
    let notes = Arc::new(Notes { permits: Some(Semaphore::new(0)), ..Notes::default() });
    let peer = Fixture::start(options(&notes), |message| legacy(message).unwrap_or_default()).await;
    let cancelled =
        |id: u64| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    for id in [1, 2, 3] {
        peer.receive(&question(id, &id.to_string()));
    }
    peer.settle().await;
    peer.receive(&cancelled(2));
    peer.receive(&cancelled(1));
    peer.settle().await;
    notes.permits.as_ref().expect("permits").add_permits(1);
    peer.settle().await;
    assert_eq!(notes.heard(), ["files asks 1", "files asks 3", "answered 3"]);
    assert_eq!(peer.answers().iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [3]);
}

#[tokio::test(start_paused = true)]
async fn progress_arrives_in_order() {
    let notes = Arc::new(Notes::default());
    let peer = Fixture::start(options(&notes), |message| legacy(message).unwrap_or_default()).await;
    for step in 0..20 {
        let params = json!({"progressToken": 99, "progress": step});
        peer.receive(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
    }
    peer.settle().await;
    let expected: Vec<String> = (0..20).map(|step| format!("files is at {step}")).collect();
    assert_eq!(notes.heard(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_log_level_is_asked_for_in_the_way_of_the_era() {
    let options = || ConnectOptions::default().with_log_level(LogLevel::Warning);
    let peer = Fixture::start(options(), |message| match message["method"].as_str() {
        Some("initialize") => {
            vec![answer(message, &json!({"protocolVersion": "2025-11-25", "capabilities": {"logging": {}}}))]
        }
        Some("logging/setLevel") => vec![answer(message, &json!({}))],
        _ => legacy(message).unwrap_or_default(),
    });
    assert_eq!(peer.await.seen("logging/setLevel").remove(0)["params"], json!({"level": "warning"}));

    let peer = Fixture::start(options(), |message| modern(message, &json!({})).unwrap_or_default()).await;
    let meta = &peer.seen("server/discover").remove(0)["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "warning");
}

/// Answers a call with questions until it has seen `rounds` answers.
fn asks(message: &Value, rounds: usize, round: &mut usize) -> Vec<Value> {
    if let Some(handshake) = modern(message, &json!({})) {
        return handshake;
    }
    if *round == rounds {
        return vec![answer(message, &json!({"resultType": "complete", "content": []}))];
    }
    *round += 1;
    let requests = json!({"who": {"method": "elicitation/create", "params": question(0, "name?")["params"]}});
    let result =
        json!({"resultType": "input_required", "inputRequests": requests, "requestState": format!("s{round}")});
    vec![answer(message, &result)]
}

#[tokio::test(start_paused = true)]
async fn a_modern_call_is_repeated_with_the_answers() {
    let (notes, mut round) = (Arc::new(Notes::default()), 0);
    let peer = Fixture::start(options(&notes), move |message| asks(message, 2, &mut round)).await;
    let result = peer.connection.call_tool("t", Some(&raw(&json!({"a": 1})))).await.expect("a result");
    assert_eq!(result.get(), r#"{"resultType":"complete","content":[]}"#);
    let calls = peer.seen("tools/call");
    let states: Vec<&Value> = calls.iter().map(|call| &call["params"]["requestState"]).collect();
    assert_eq!(states, [&Value::Null, &json!("s1"), &json!("s2")]);
    assert!(calls.iter().all(|call| call["params"]["arguments"] == json!({"a": 1})));
    let answered = json!({"who": {"action": "accept", "content": {"name": "name?"}}});
    assert_eq!(calls[2]["params"]["inputResponses"], answered);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_stops_asking_is_given_up() {
    let (notes, mut round) = (Arc::new(Notes::default()), 0);
    let peer = Fixture::start(options(&notes), move |message| asks(message, usize::MAX, &mut round)).await;
    let error = peer.connection.call_tool("t", None).await.expect_err("it asks for ever").to_string();
    assert!(error.contains("still wants input after 10 rounds"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_question_nobody_can_answer_fails_the_call_with_its_reason() {
    let mut round = 0;
    let peer = Fixture::start(ConnectOptions::default(), move |message| asks(message, 1, &mut round)).await;
    let error = peer.connection.call_tool("t", None).await.expect_err("no handler").to_string();
    assert!(error.contains("input request `who`: `elicitation/create` is not supported"), "{error}");
}
