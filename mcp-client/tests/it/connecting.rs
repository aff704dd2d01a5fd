//! Starting, status, and what one bad server does to the others.

use std::sync::{Arc, Mutex};

use mcp_client::registry::{Event, PinPolicy};
use mcp_client::{CauseKind, Error, ServerState};
use mcp_testkit::HttpAnswer;
use serde_json::json;
use tokio::sync::Notify;

use crate::stage::{Stage, answer, reads};

#[tokio::test]
async fn servers_that_cannot_be_used_say_why_and_harm_nobody() {
    let stage = Stage::new()
        .with_server("good", json!([reads("look", &json!({"type": "object"}))]))
        .await
        .with_entry("absent", json!({"type": "http", "url": "http://127.0.0.1:1/mcp"}))
        .with_entry("unset", json!({"type": "http", "url": "http://127.0.0.1:1/${NO_SUCH_VARIABLE}"}))
        .with_entry("off", json!({"command": "anything", "enabled": false}));
    let client = stage.client().await;
    let states: Vec<(String, ServerState, Option<CauseKind>)> = client
        .status()
        .await
        .into_iter()
        .map(|status| (status.server, status.state, status.cause.map(|cause| cause.kind)))
        .collect();
    assert_eq!(
        states,
        [
            ("absent".to_owned(), ServerState::Failed, Some(CauseKind::Unreachable)),
            ("good".to_owned(), ServerState::Connected, None),
            ("off".to_owned(), ServerState::Disabled, None),
            ("unset".to_owned(), ServerState::Failed, Some(CauseKind::Misconfigured)),
        ]
    );
    client.call("look", json!({})).await.unwrap();
}

#[tokio::test]
async fn starting_twice_connects_once() {
    let stage = Stage::new().with_server("good", json!([reads("look", &json!({"type": "object"}))])).await;
    let client = stage.builder().build();
    tokio::join!(client.start(), client.start(), async { client.start_server("good").await.unwrap() });
    client.start().await;
    assert_eq!(stage.introductions(), 1);
}

#[tokio::test]
async fn what_is_stopped_is_gone_and_can_start_again() {
    let stage = Stage::new().with_server("good", json!([reads("look", &json!({"type": "object"}))])).await;
    let client = stage.client().await;
    client.stop().await;
    assert!(client.tools().is_empty() && client.search("look", 5).hits.is_empty());
    client.start().await;
    client.call("good.look", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_broken_tool_is_named_and_its_neighbours_stay() {
    let tools = json!([reads("fine", &json!({"type": "object"})), {"name": "broken"}, 7]);
    let stage = Stage::new().with_server("mixed", tools).await;
    let client = stage.client().await;
    let status = client.server_status("mixed").await.unwrap();
    assert_eq!((status.tools, status.rejected.len()), (Some(1), 2), "{status:?}");
    assert_eq!(status.rejected[0].tool.as_deref(), Some("broken"));
}

#[tokio::test]
async fn an_unknown_server_is_an_error_that_names_the_known() {
    let stage = Stage::new().with_server("good", json!([])).await;
    let error = stage.builder().build().start_server("god").await.unwrap_err();
    let Error::UnknownServer { known, .. } = &error else { panic!("{error:?}") };
    assert_eq!(known, &["good"]);
    assert!(error.is_usage());
}

#[tokio::test]
async fn a_tool_that_the_configuration_denies_is_not_registered() {
    let object = || json!({"type": "object"});
    let stage = Stage::new().with_server("all", json!([reads("a", &object()), reads("b", &object())])).await;
    let stage = stage.with_changed_entry("all", |entry| entry["disabledTools"] = json!(["b"]));
    let client = stage.client().await;
    let ids: Vec<String> = client.tools().tools().map(|tool| tool.id.as_str().to_owned()).collect();
    assert_eq!(ids, ["mcp__all__a"]);
}

#[tokio::test]
async fn tools_that_change_while_connected_are_listed_anew() {
    let object = json!({"type": "object"});
    let tools = Arc::new(Mutex::new(json!([reads("before", &object)])));
    let changed = Arc::new(Notify::new());
    let (shown, signal) = (tools.clone(), changed.clone());
    let stage = Stage::new()
        .with_answers("live", move |request| match (request.method.as_str(), request.rpc_method().as_str()) {
            // The stream on which a server of 2025-11-25 speaks unasked.
            ("GET", _) => {
                let event = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                HttpAnswer::events("").until(signal.clone()).body(format!("data: {event}\n\n")).hang()
            }
            (_, "initialize") => answer(request, &json!([])).header("mcp-session-id", "s1"),
            _ => answer(request, &shown.lock().unwrap()),
        })
        .await;
    let client = stage.builder().pin_policy(PinPolicy::Note).build();
    client.start().await;
    let mut events = client.events();
    client.call("before", json!({})).await.unwrap();

    *tools.lock().unwrap() = json!([reads("after", &object)]);
    changed.notify_one();
    loop {
        if let Event::ToolsChanged { added, removed, .. } = events.recv().await.unwrap() {
            assert_eq!((added[0].as_str(), removed[0].as_str()), ("mcp__live__after", "mcp__live__before"));
            break;
        }
    }
    client.call("after", json!({})).await.unwrap();
}

/// I15: those who want a silent server at the same time wait for it once, and together.
#[tokio::test]
async fn i15_a_failed_start_is_shared_by_those_who_waited() {
    let stage = Stage::new().with_answers("mute", |_| HttpAnswer::new(0)).await;
    let stage = stage.with_changed_entry("mute", |entry| entry["startupTimeout"] = json!(1_000));
    let client = stage.builder().build();
    let started = std::time::Instant::now();
    for outcome in futures_util::future::join_all((0..5).map(|_| client.start_server("mute"))).await {
        assert!(outcome.unwrap_err().is_timeout());
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(stage.introductions(), 1);
    client.start_server("mute").await.unwrap_err();
    assert_eq!(stage.introductions(), 2, "who asks later makes an attempt of its own");
}

/// I7: an embedder hears what is left out, when it is and when it is no longer.
#[tokio::test]
async fn i7_what_is_left_out_is_an_event() {
    let tools = Arc::new(Mutex::new(json!([reads("a", &json!({"type": "object"})), {"name": "broken"}])));
    let listed = Arc::clone(&tools);
    let stage = Stage::new()
        .with_answers("one", move |request| {
            if request.rpc_method() != "tools/list" {
                return answer(request, &json!([]));
            }
            let tools = listed.lock().unwrap().clone();
            let cursor = if tools.as_array().unwrap().len() > 1 { json!(7) } else { json!("end") };
            let result = if request.json()["params"]["cursor"].is_string() {
                json!({"tools": []})
            } else {
                json!({"tools": tools, "nextCursor": cursor})
            };
            HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": result}))
        })
        .await;
    let client = stage.builder().build();
    let mut events = client.events();
    let mut left_out = move || {
        let heard = std::iter::from_fn(|| events.try_recv().ok());
        heard
            .filter_map(|event| if let Event::LeftOut { server, told } = event { Some((server, told)) } else { None })
            .collect::<Vec<_>>()
    };
    client.start().await;
    let heard = left_out();
    let [(server, told)] = &heard[..] else { panic!("{heard:?}") };
    assert_eq!(server, "one");
    assert!(told[0].contains("the cursor must be a string") && told[1].contains("`broken` cannot be used"), "{told:?}");
    client.refresh("one").await.unwrap();
    assert_eq!(left_out(), [], "nothing else than before");
    *tools.lock().unwrap() = json!([reads("a", &json!({"type": "object"}))]);
    client.refresh("one").await.unwrap();
    assert_eq!(left_out(), [("one".to_owned(), Vec::new())]);
}
