//! Child processes: handshakes, faults, and that nothing is left of them.

use std::time::{Duration, Instant};

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

#[tokio::test]
async fn peers_are_started_as_told() {
    let connection =
        connect(mcp_transport::Endpoint::Stdio(peer("well-behaved")), options()).await.expect("a connection");
    assert_eq!(connection.transport(), "stdio");
    assert!(connection.stderr_tail().contains("got initialize"), "{}", connection.stderr_tail());
}

#[cfg(unix)]
#[tokio::test]
async fn the_environment_is_what_the_options_say() {
    let options_with = |inherit| {
        mcp_transport::StdioOptions::new("/bin/sh")
            .with_args(["-c", "env >&2; exit 3"])
            .with_host_env([("HOME".into(), "/h".into()), ("SECRET_TOKEN".into(), "s".into())])
            .with_env("OWN", "o")
            .with_inherit(inherit)
    };
    for (inherit, seen, unseen) in [
        (mcp_transport::Inherit::Safe, &["HOME=/h", "OWN=o"][..], &["SECRET_TOKEN"][..]),
        (mcp_transport::Inherit::All, &["HOME=/h", "OWN=o", "SECRET_TOKEN=s"], &[]),
        (mcp_transport::Inherit::None, &["OWN=o"], &["HOME", "SECRET_TOKEN"]),
    ] {
        let error =
            connect(mcp_transport::Endpoint::Stdio(options_with(inherit)), options()).await.expect_err("it exits");
        let tail = error.exit().expect("an exit").stderr_tail.clone();
        assert!(seen.iter().all(|line| tail.lines().any(|seen| seen == *line)), "{inherit:?}: {tail}");
        assert!(unseen.iter().all(|name| !tail.contains(name)), "{inherit:?}: {tail}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_must_exist_and_is_where_the_server_starts() {
    let sh = mcp_transport::StdioOptions::new("/bin/sh").with_args(["-c", "pwd >&2; exit 3"]);
    let error =
        connect(mcp_transport::Endpoint::Stdio(sh.clone().with_cwd("/")), options()).await.expect_err("it exits");
    assert_eq!(error.exit().map(|exit| exit.stderr_tail.as_str()), Some("/\n"));
    let error = connect(mcp_transport::Endpoint::Stdio(sh.with_cwd("/no/such/folder")), options())
        .await
        .expect_err("no folder");
    assert!(matches!(error, mcp_transport::Error::InvalidOption { option: "cwd", .. }), "{error:?}");
}

#[tokio::test]
async fn every_line_of_stderr_reaches_the_log() {
    let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = lines.clone();
    let log: mcp_transport::LineSink =
        std::sync::Arc::new(move |line: &str| heard.lock().expect("unpoisoned").push(line.to_owned()));
    let connection = connect(mcp_transport::Endpoint::Stdio(peer("well-behaved").with_log(log)), options()).await;
    let connection = connection.expect("a connection");
    connection.health().await.expect("a living server");
    connection.shutdown().await;
    let heard = lines.lock().expect("unpoisoned").clone();
    assert_eq!(heard[..3], ["got server/discover", "got initialize", "got notifications/initialized"]);
}
