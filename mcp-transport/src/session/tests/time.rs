//! Timeouts, progress and cancellation.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Fixture, answer, legacy, modern};
use crate::{CallScope, ConnectOptions, Error, Timeouts};

fn options() -> ConnectOptions {
    let timeouts = Timeouts::default().with_call(Duration::from_secs(10)).with_call_total(Duration::from_secs(35));
    ConnectOptions::default().with_timeouts(timeouts)
}

async fn silent() -> Fixture {
    Fixture::start(options(), |message| legacy(message).unwrap_or_default()).await
}

fn progress(call: &Value) -> Value {
    let token = &call["params"]["_meta"]["progressToken"];
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
}

#[tokio::test(start_paused = true)]
async fn a_silent_call_ends_at_its_timeout_and_is_cancelled() {
    let peer = silent().await;
    let started = Instant::now();
    let error = peer.connection.call_tool("t", None).await.expect_err("nobody answers");
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(started.elapsed().as_secs(), 10);
    peer.settle().await;
    let call = peer.seen("tools/call").remove(0);
    let cancelled = peer.seen("notifications/cancelled");
    assert_eq!(cancelled.iter().map(|note| &note["params"]["requestId"]).collect::<Vec<_>>(), [&call["id"]]);
}

#[tokio::test(start_paused = true)]
async fn progress_renews_the_timeout_up_to_the_total() {
    let peer = silent().await;
    let started = Instant::now();
    let reporting = async {
        let mut clock = tokio::time::interval_at(started + Duration::from_secs(9), Duration::from_secs(9));
        loop {
            clock.tick().await;
            peer.receive(&progress(&peer.seen("tools/call").remove(0)));
        }
    };
    let error = tokio::select! {
        result = peer.connection.call_tool("t", None) => result.expect_err("nobody answers"),
        () = reporting => Error::closed("unreachable"),
    };
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(started.elapsed().as_secs(), 35);
}

#[tokio::test(start_paused = true)]
async fn a_call_s_own_limit_shortens_and_lengthens_that_of_its_connection() {
    let peer = silent().await;
    for limit in [1, 90] {
        let started = Instant::now();
        let scope = CallScope::default().within(Duration::from_secs(limit));
        let error = peer.connection.call_tool_in(scope, "t", None).await.expect_err("nobody answers");
        assert!(error.is_timeout(), "{error:?}");
        assert_eq!(started.elapsed().as_secs(), limit);
    }
}

#[tokio::test(start_paused = true)]
async fn rounds_share_the_total_of_their_call() {
    let timeouts = Timeouts::default().with_call(Duration::from_millis(900)).with_call_total(Duration::from_secs(1));
    let peer = Fixture::start(ConnectOptions::default().with_timeouts(timeouts), |message| {
        let again = json!({"resultType": "input_required", "requestState": "s"});
        modern(message, &json!({})).unwrap_or_else(|| vec![answer(message, &again)])
    });
    let peer = peer.await;
    let started = Instant::now();
    let error = peer.connection.call_tool("t", None).await.expect_err("it never ends");
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(started.elapsed().as_millis(), 1_000);
    assert!(peer.seen("tools/call").len() > 1, "there were rounds");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_cancelled_and_its_late_answer_is_noise() {
    let peer = silent().await;
    let abandoned = tokio::time::timeout(Duration::from_secs(1), peer.connection.call_tool("t", None)).await;
    assert!(abandoned.is_err());
    peer.settle().await;
    let call = peer.seen("tools/call").remove(0);
    assert_eq!(peer.seen("notifications/cancelled").len(), 1);
    let noise = peer.connection.noise();
    peer.receive(&answer(&call, &json!({"content": []})));
    assert_eq!(peer.connection.noise(), noise + 1);
}

#[tokio::test(start_paused = true)]
async fn an_answered_call_is_not_cancelled() {
    let peer = Fixture::start(options(), |message| {
        legacy(message).unwrap_or_else(|| vec![answer(message, &json!({"content": []}))])
    });
    let peer = peer.await;
    peer.connection.call_tool("t", None).await.expect("a result");
    peer.settle().await;
    assert_eq!(peer.seen("notifications/cancelled"), Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn a_listing_has_one_timeout_for_all_its_pages() {
    let options = ConnectOptions::default().with_timeouts(Timeouts::default().with_list(Duration::from_secs(5)));
    let peer = Fixture::start(options, |message| {
        legacy(message).unwrap_or_else(|| {
            let first = message["params"]["cursor"].is_null();
            let page = json!({"tools": [{"name": "t", "inputSchema": {}}], "nextCursor": "2"});
            if first { vec![answer(message, &page)] } else { Vec::new() }
        })
    });
    let peer = peer.await;
    let started = Instant::now();
    let listing = peer.connection.list_tools().await.expect("the first page");
    assert_eq!((listing.items.len(), started.elapsed().as_secs()), (1, 5));
    peer.settle().await;
    assert_eq!(peer.seen("notifications/cancelled").len(), 1, "the second page is not waited for any more");
    assert!(listing.incomplete.is_some_and(|reason| reason.contains("page 2")), "the rest is missing and it says so");
}

#[tokio::test(start_paused = true)]
async fn the_probe_costs_a_silent_server_its_timeout_once() {
    let started = Instant::now();
    let peer = Fixture::start(ConnectOptions::default(), |message| {
        if message["method"] == "server/discover" { Vec::new() } else { legacy(message).unwrap_or_default() }
    });
    let peer = peer.await;
    assert_eq!(peer.connection.protocol_version(), "2025-11-25");
    let probe = ConnectOptions::default().timeouts.probe;
    assert!(started.elapsed() >= probe && started.elapsed() < probe * 2, "{:?}", started.elapsed());
    assert_eq!(peer.seen("notifications/cancelled"), Vec::<Value>::new(), "a handshake is never cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_refused_and_offered_is_tried_once_more() {
    let mut refusals = 1;
    let peer = Fixture::start(ConnectOptions::default(), move |message| {
        if refusals == 0 {
            return modern(message, &json!({})).unwrap_or_default();
        }
        refusals -= 1;
        let error = json!({"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}});
        vec![json!({"jsonrpc": "2.0", "id": message["id"], "error": error})]
    });
    let peer = peer.await;
    assert_eq!(peer.connection.protocol_version(), "2026-07-28");
    assert_eq!((peer.seen("server/discover").len(), peer.seen("initialize").len()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn modern_requests_carry_their_version_and_our_capabilities() {
    let peer = Fixture::start(ConnectOptions::default(), |message| {
        modern(message, &json!({})).unwrap_or_else(|| vec![answer(message, &json!({"content": []}))])
    });
    let peer = peer.await;
    peer.connection.call_tool("t", None).await.expect("a result");
    let call = peer.seen("tools/call").remove(0);
    let meta = &call["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-transport");
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})
    );
    assert!(peer.seen("initialize").is_empty());
}
