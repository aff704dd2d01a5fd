//! Nothing of a server outlives its connection, however either ends.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcp_testkit::{children_named, example_binary, process_exists};
use mcp_transport::{Backoff, Dialer, Endpoint, connect};

use crate::support::{connect_to, options, peer};

/// A killed process takes a moment to vanish; one that lives takes for ever.
fn wait_for_end(id: u32) {
    let started = Instant::now();
    while process_exists(id) {
        assert!(started.elapsed() < Duration::from_secs(10), "process {id} is still there");
        std::thread::yield_now();
    }
}

/// The id in the line that the `grandchild` row writes.
fn grandchild_in(text: &str) -> Option<u32> {
    text.lines().find_map(|line| line.strip_prefix("grandchild ")).and_then(|id| id.parse().ok())
}

async fn grandchild_of(connection: &mcp_transport::Connection) -> u32 {
    loop {
        if let Some(id) = grandchild_in(&connection.stderr_tail()) {
            return id;
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
    assert_eq!(children_named(&format!("mcp-watchdog {leader}")), Vec::<u32>::new(), "its watchdog is gone");
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_ended() {
    let connection = connect_to("ignores-end-of-input").await.expect("a connection");
    let leader = connection.process_id().expect("a process");
    connection.shutdown().await;
    assert!(!process_exists(leader));
}

#[tokio::test]
async fn a_dropped_connection_leaves_nothing() {
    let connection = connect_to("grandchild").await.expect("a connection");
    let (leader, grandchild) = (connection.process_id().expect("a process"), grandchild_of(&connection).await);
    drop(connection);
    wait_for_end(leader);
    wait_for_end(grandchild);
}

#[tokio::test]
async fn a_killed_server_takes_its_group_along() {
    let connection = connect_to("grandchild").await.expect("a connection");
    let (leader, grandchild) = (connection.process_id().expect("a process"), grandchild_of(&connection).await);
    kill(leader);
    let error = connection.closed().await;
    assert_eq!(error.exit().and_then(|exit| exit.signal), Some(9), "{error:?}");
    wait_for_end(grandchild);
    // The leader is reaped and its number may be another's: nothing may kill that group any more.
    assert_eq!(children_named(&format!("mcp-watchdog {leader}")), Vec::<u32>::new(), "its watchdog is disarmed");
    drop(connection);
}

#[tokio::test]
async fn an_abandoned_connect_leaves_nothing() {
    let tag = format!("abandoned-{}", std::process::id());
    let connecting = connect(Endpoint::Stdio(peer("silent-handshake").with_args([&tag])), options());
    assert!(tokio::time::timeout(Duration::from_millis(300), connecting).await.is_err());
    let started = Instant::now();
    while !children_named(&tag).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(10), "the server is still there");
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_connection_that_outlives_its_runtime_leaves_nothing() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let connection = runtime.block_on(connect_to("grandchild")).expect("a connection");
    let grandchild = runtime.block_on(grandchild_of(&connection));
    let leader = connection.process_id().expect("a process");
    drop(runtime);
    drop(connection);
    wait_for_end(leader);
    wait_for_end(grandchild);
}

/// A host in another process, and what it said: its server's id and the grandchild's.
fn host(mode: &str) -> (Child, u32, u32) {
    let mut command = Command::new(example_binary("host"));
    command.args(["grandchild", mode]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut host = command.spawn().expect("the host starts");
    let mut lines = BufReader::new(host.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().and_then(Result::ok).unwrap_or_default();
    let server = line().strip_prefix("server ").and_then(|id| id.parse().ok()).expect("a server");
    (host, server, grandchild_in(&line()).expect("a grandchild"))
}

#[test]
fn a_killed_host_leaves_nothing() {
    let (mut host, server, grandchild) = host("wait");
    assert!(process_exists(server) && process_exists(grandchild));
    host.kill().expect("kill -9");
    host.wait().expect("its end");
    wait_for_end(server);
    wait_for_end(grandchild);
}

#[test]
fn a_panicking_host_leaves_nothing() {
    let (mut host, server, grandchild) = host("panic");
    assert!(!host.wait().expect("its end").success());
    wait_for_end(server);
    wait_for_end(grandchild);
}

#[test]
fn a_dropped_runtime_leaves_nothing_even_if_the_connection_is_never_dropped() {
    let (mut host, server, grandchild) = host("drop");
    wait_for_end(server);
    wait_for_end(grandchild);
    drop(host.stdin.take());
    host.wait().expect("its end");
}

fn kill(id: u32) {
    let killed = Command::new("kill").args(["-KILL", &id.to_string()]).status().expect("kill runs");
    assert!(killed.success());
}

#[tokio::test]
async fn a_dialer_replaces_a_dead_connection_and_shares_a_living_one() {
    let backoff = Backoff::new(Duration::from_millis(1), Duration::from_millis(1));
    let dialer = Dialer::new(Endpoint::Stdio(peer("well-behaved")), options(), backoff);
    let (first, same) = tokio::join!(dialer.connection(), dialer.connection());
    let (first, same) = (first.expect("a connection"), same.expect("the same connection"));
    assert_eq!(first.process_id(), same.process_id(), "two callers, one process");

    kill(first.process_id().expect("a process"));
    first.closed().await;
    let second = dialer.connection().await.expect("another connection");
    assert_ne!(first.process_id(), second.process_id());
    drop((first, same));
    second.health().await.expect("the end of the old process did not touch the new one");
    dialer.shutdown().await;
    assert!(second.is_closed());
}

#[tokio::test]
async fn a_dialer_that_fails_fails_anew_each_time() {
    let backoff = Backoff::new(Duration::from_millis(1), Duration::from_millis(2));
    let dialer = Dialer::new(Endpoint::Stdio(peer("dies-at-once")), options(), backoff);
    for _ in 0..3 {
        let error = dialer.connection().await.expect_err("it dies");
        assert_eq!(error.exit().and_then(|exit| exit.status), Some(3));
    }
}
