//! Hearing of changes, in both eras.

use serde_json::{Value, json};

use super::{Fixture, answer, legacy, modern};
use crate::{Change, ConnectOptions};

fn changed(what: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": format!("notifications/{what}/list_changed")})
}

#[tokio::test(start_paused = true)]
async fn legacy_servers_just_say_so() {
    let peer = Fixture::start(ConnectOptions::default(), |message| legacy(message).unwrap_or_default()).await;
    let mut changes = peer.connection.changes();
    for what in ["prompts", "tools", "prompts", "resources"] {
        peer.receive(&changed(what));
    }
    peer.receive(&json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a://b"}}));
    let expected = [Change::Prompts, Change::Tools, Change::Resources, Change::Resource("a://b".to_owned())];
    for change in expected {
        assert_eq!(changes.next().await, Some(change));
    }
}

#[tokio::test(start_paused = true)]
async fn modern_servers_are_listened_to_again_and_again() {
    let capabilities = json!({"tools": {"listChanged": true}});
    let mut listened = 0;
    let peer = Fixture::start(ConnectOptions::default(), move |message| {
        if let Some(handshake) = modern(message, &capabilities) {
            return handshake;
        }
        listened += 1;
        match (message["method"].as_str(), listened) {
            // The first stream ends at once.
            (Some("subscriptions/listen"), 1) => vec![answer(message, &json!({"resultType": "complete"}))],
            (Some("subscriptions/listen"), 2) => vec![changed("tools")],
            _ => Vec::new(),
        }
    });
    let peer = peer.await;
    let mut changes = peer.connection.changes();
    assert_eq!(changes.next().await, Some(Change::Tools));
    let listens = peer.seen("subscriptions/listen");
    assert_eq!(listens.len(), 2);
    assert_eq!(listens[0]["params"]["notifications"], json!({"toolsListChanged": true}));
    assert_ne!(listens[0]["id"], listens[1]["id"], "a new request each time");
}

/// The list may have changed while the stream was broken, and until the server confirms the next one.
#[tokio::test(start_paused = true)]
async fn i3_what_changed_while_nobody_listened_may_have_changed() {
    let capabilities = json!({"tools": {"listChanged": true}, "prompts": {"listChanged": true}});
    let mut listened = 0;
    let acknowledged = json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged"});
    let confirmation = acknowledged.clone();
    let peer = Fixture::start(ConnectOptions::default(), move |message| {
        if let Some(handshake) = modern(message, &capabilities) {
            return handshake;
        }
        let is_listening = message["method"] == "subscriptions/listen";
        listened += usize::from(is_listening);
        match (is_listening, listened) {
            (true, 1) => vec![confirmation.clone(), answer(message, &json!({"resultType": "complete"}))],
            _ => Vec::new(),
        }
    });
    let peer = peer.await;
    let mut changes = peer.connection.changes();
    for expected in [Change::Tools, Change::Prompts] {
        assert_eq!(changes.next().await, Some(expected), "the stream ended");
    }
    peer.settle().await;
    peer.receive(&acknowledged);
    for expected in [Change::Tools, Change::Prompts] {
        assert_eq!(changes.next().await, Some(expected), "and again when it listens");
    }
    peer.receive(&acknowledged);
    peer.receive(&changed("resources"));
    assert_eq!(changes.next().await, Some(Change::Resources), "but not for ever");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_announces_nothing_is_not_listened_to() {
    let peer =
        Fixture::start(ConnectOptions::default(), |message| modern(message, &json!({"tools": {}})).unwrap_or_default());
    let peer = peer.await;
    peer.settle().await;
    assert_eq!(peer.seen("subscriptions/listen"), Vec::<Value>::new());
}
