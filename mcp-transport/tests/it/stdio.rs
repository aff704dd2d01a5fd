//! Child processes: handshakes, faults, and that nothing is left of them.

use std::time::{Duration, Instant};

use mcp_testkit::process_exists;
use mcp_transport::{Era, connect};
use serde_json::json;

use crate::support::{connect_to, options, peer, raw};

#[tokio::test]
async fn a_well_behaved_server_lists_and_calls() {
    let connection = connect_to("well-behaved").await.expect("a connection");
    assert_eq!((connection.protocol_version(), connection.era()), ("2025-11-25", Era::Legacy));
    assert_eq!(connection.server_info().map(|server| server.name.as_str()), Some("scripted"));
    assert_eq!(connection.instructions(), Some("be kind"));
    let tools = connection.list_tools().await.expect("a list");
    let [tool] = &tools.items[..] else { panic!("{tools:?}") };
    assert_eq!(
        tool.input_schema.get(),
        r#"{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"string"}}}"#,
        "key order survives"
    );
    let result = connection.call_tool("echo", Some(&raw(&json!({"zeta": "x"})))).await.expect("a result");
    assert_eq!(result.get(), r#"{"content":[{"type":"text","text":"hello"}]}"#);
    assert!(connection.health().await.is_ok());
    connection.shutdown().await;
    assert!(connection.is_closed());
}

#[tokio::test]
async fn every_era_connects_by_default() {
    for (row, version) in [
        ("well-behaved", "2025-11-25"),
        ("modern-only", "2026-07-28"),
        ("silent-on-probe", "2025-11-25"),
        ("exits-on-probe", "2025-11-25"),
    ] {
        let started = Instant::now();
        let connection = connect_to(row).await.unwrap_or_else(|error| panic!("{row}: {error}"));
        assert_eq!(connection.protocol_version(), version, "{row}");
        assert_eq!(connection.list_tools().await.expect(row).items.len(), 1, "{row}");
        if row == "silent-on-probe" {
            assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
        }
        connection.shutdown().await;
    }
}

#[tokio::test]
async fn a_bad_tool_does_not_hide_the_good_one() {
    let connection = connect_to("tool-without-schema").await.expect("a connection");
    let tools = connection.list_tools().await.expect("a list");
    assert_eq!(tools.items.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert_eq!(tools.rejected.iter().map(|tool| tool.name.as_deref()).collect::<Vec<_>>(), [Some("bad")]);
}

#[tokio::test]
async fn a_server_that_dies_at_once_says_why() {
    let error = connect_to("dies-at-once").await.expect_err("it is dead");
    let exit = error.exit().unwrap_or_else(|| panic!("{error:?}"));
    assert_eq!((exit.status, exit.stderr_tail.as_str()), (Some(3), "boom\n"));
    assert_eq!(error.to_string(), "server process ended: exit status 3; stderr ends with: boom");
}

#[tokio::test]
async fn a_missing_command_is_unreachable() {
    let missing = mcp_transport::StdioOptions::new("no-such-command-anywhere");
    let error = connect(mcp_transport::Endpoint::Stdio(missing), options()).await.expect_err("it is missing");
    assert!(error.is_unreachable(), "{error:?}");
}

/// The id that the `grandchild` row reports.
async fn grandchild_of(connection: &mcp_transport::Connection) -> u32 {
    loop {
        let tail = connection.stderr_tail();
        if let Some(id) = tail.lines().find_map(|line| line.strip_prefix("grandchild ")) {
            return id.parse().expect("a process id");
        }
        // The runner's own timeout ends a test whose grandchild never comes.
        connection.health().await.expect("a living server");
    }
}

#[tokio::test]
async fn shutdown_leaves_nothing_of_the_group() {
    let connection = connect_to("grandchild").await.expect("a connection");
    let (leader, grandchild) = (connection.process_id().expect("a process"), grandchild_of(&connection).await);
    assert!(process_exists(leader) && process_exists(grandchild));
    connection.shutdown().await;
    assert!(!process_exists(leader), "the leader is gone");
    wait_for_end(grandchild);
}

#[test]
fn a_drop_outside_the_runtime_leaves_nothing_either() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let connection = runtime.block_on(connect_to("grandchild")).expect("a connection");
    let grandchild = runtime.block_on(grandchild_of(&connection));
    let leader = connection.process_id().expect("a process");
    drop(runtime);
    drop(connection);
    wait_for_end(leader);
    wait_for_end(grandchild);
}

/// A killed process takes a moment to vanish; one that lives takes for ever.
fn wait_for_end(id: u32) {
    let started = Instant::now();
    while process_exists(id) {
        assert!(started.elapsed() < Duration::from_secs(5), "process {id} is still there");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn peers_are_started_as_told() {
    let connection =
        connect(mcp_transport::Endpoint::Stdio(peer("well-behaved")), options()).await.expect("a connection");
    assert_eq!(connection.transport(), "stdio");
    assert!(connection.stderr_tail().contains("got initialize"), "{}", connection.stderr_tail());
}
