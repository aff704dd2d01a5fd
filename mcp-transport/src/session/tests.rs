//! Time, questions, tasks and subscriptions against a peer in memory, on a paused clock.

mod changes;
mod questions;
mod tasks;
mod time;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::Session;
use crate::connect::assemble;
use crate::inbox::{Inbox, OUTBOX, QUEUE};
use crate::link::Link;
use crate::{ConnectOptions, Connection};

/// Everything the peer was sent, in order.
type Seen = Arc<Mutex<Vec<Value>>>;

/// A connection to a peer in memory.
struct Fixture {
    connection: Connection,
    inbox: Arc<Inbox>,
    seen: Seen,
    _peer: JoinSet<()>,
}

impl Fixture {
    /// Connects to a peer that answers every message with those messages of `respond`.
    async fn start(options: ConnectOptions, respond: impl FnMut(&Value) -> Vec<Value> + Send + 'static) -> Self {
        let (outbox, posted) = mpsc::channel(OUTBOX);
        let (questions, asked) = mpsc::channel(QUEUE);
        let (sender, sent) = mpsc::unbounded_channel();
        let inbox = Inbox::new(outbox, questions, options.limits.message);
        let seen = Seen::default();
        let mut peer = JoinSet::new();
        peer.spawn(play(inbox.clone(), seen.clone(), (sent, posted), respond));
        let session = Session::new(Link::Memory(sender), inbox.clone(), options);
        let connection = assemble(session, asked, None, tokio::time::Instant::now() + Duration::from_secs(30))
            .await
            .expect("a connection");
        Self { connection, inbox, seen, _peer: peer }
    }

    /// What the peer was sent of a method.
    fn seen(&self, method: &str) -> Vec<Value> {
        let seen = self.seen.lock().expect("unpoisoned");
        seen.iter().filter(|message| message["method"] == method).cloned().collect()
    }

    /// What the client answered to the peer's questions.
    fn answers(&self) -> Vec<Value> {
        let seen = self.seen.lock().expect("unpoisoned");
        seen.iter().filter(|message| message["method"].is_null()).cloned().collect()
    }

    /// A message from the peer on its own.
    fn receive(&self, message: &Value) {
        self.inbox.receive(message.to_string().as_bytes());
    }

    /// Lets everything that can happen now happen.
    async fn settle(&self) {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
}

async fn play(
    inbox: Arc<Inbox>,
    seen: Seen,
    (mut sent, mut posted): (mpsc::UnboundedReceiver<String>, mpsc::Receiver<String>),
    mut respond: impl FnMut(&Value) -> Vec<Value> + Send + 'static,
) {
    loop {
        let message = tokio::select! {
            Some(message) = sent.recv() => message,
            Some(message) = posted.recv() => message,
            else => return,
        };
        let message: Value = serde_json::from_str(&message).expect("messages of ours are JSON");
        // A notification has no answer.
        let is_note = message["id"].is_null() && !message["method"].is_null();
        let answers = if is_note { Vec::new() } else { respond(&message) };
        seen.lock().expect("unpoisoned").push(message);
        for answer in answers {
            inbox.receive(answer.to_string().as_bytes());
        }
    }
}

/// The answer to a request.
fn answer(request: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

/// A peer of 2025-11-25 that does not answer calls; `None` for what it leaves to the test.
fn legacy(message: &Value) -> Option<Vec<Value>> {
    let result = match message["method"].as_str()? {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
        "server/discover" => {
            let error = json!({"code": -32601, "message": "unknown"});
            return Some(vec![json!({"jsonrpc": "2.0", "id": message["id"], "error": error})]);
        }
        _ => return None,
    };
    Some(vec![answer(message, &result)])
}

/// A peer of 2026-07-28 with these capabilities.
fn modern(message: &Value, capabilities: &Value) -> Option<Vec<Value>> {
    let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities});
    (message["method"] == "server/discover").then(|| vec![answer(message, &result)])
}

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("JSON")
}
