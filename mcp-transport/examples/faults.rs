//! Runs every row of the fault table against rmcp and against this crate, and prints what each made of it.
//!
//! `cargo run -p mcp-transport --example faults`, after `cargo build -p mcp-transport --examples`. Exits with 1 if a
//! process is left behind by this crate.
//!
//! rmcp is met twice: plain, as its documentation starts, without any timeout, where a row on which it has no answer after six
//! seconds says `HANGS`; and with one, as its careful user writes it: `tokio::time::timeout` around the handshake and around
//! each request, of a second where this crate has a second and of six elsewhere.

// The example shares the driver with the test of the same table, which uses all of it.
#[path = "../tests/it/drive.rs"]
mod drive;

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use mcp_testkit::{Drive, Row, children_named, rows};
use mcp_transport::Endpoint;
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt as _};

/// How long rmcp may take before it counts as hanging. This crate, whose own patience is part of the table, has twice that.
const PATIENCE: Duration = Duration::from_secs(6);

/// How wide a column is.
const WIDTH: usize = 44;

/// Rows at a time: most of them wait.
const AT_ONCE: usize = 12;

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let peer = peer();
    let plain = runtime.block_on(column(&peer, |row, peer| async move {
        let driven = tokio::time::timeout(PATIENCE, rmcp(&row, &peer, None)).await;
        driven.unwrap_or_else(|_| "HANGS".to_owned())
    }));
    let timed = runtime.block_on(column(&peer, |row, peer| async move {
        let limit = if row.silent { drive::SHORT } else { PATIENCE };
        rmcp(&row, &peer, Some(limit)).await
    }));
    let ours = runtime.block_on(column(&peer, |row, peer| async move {
        let driven = tokio::time::timeout(PATIENCE * 2, drive::ours(&row, &peer)).await;
        driven.unwrap_or_else(|_| "HANGS".to_owned())
    }));
    println!("rmcp without a timeout, rmcp with one around each request, and mcp-transport as it is:");
    println!("{:<36}| {:<WIDTH$}| {:<WIDTH$}| mcp-transport", "fault", "rmcp", "rmcp with a timeout");
    for (((row, plain), timed), ours) in rows().iter().zip(&plain).zip(&timed).zip(&ours) {
        println!("{:<36}| {:<WIDTH$}| {:<WIDTH$}| {ours}", row.name, shorten(plain), shorten(timed));
    }
    let left = children_named(&drive::tag());
    let hanging = |column: &[String]| column.iter().filter(|outcome| *outcome == "HANGS").count();
    println!(
        "{} rows; rmcp hangs in {}, with a timeout in {}, mcp-transport in {}, which leaves {} processes behind",
        ours.len(),
        hanging(&plain),
        hanging(&timed),
        hanging(&ours),
        left.len()
    );
    if left.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The binary that plays rows, built beside this one.
fn peer() -> PathBuf {
    let own = std::env::current_exe().expect("a path of our own");
    own.with_file_name(format!("hostile_peer{}", std::env::consts::EXE_SUFFIX))
}

/// One column of the table, in the order of the rows.
async fn column<F: Future<Output = String> + Send + 'static>(
    peer: &Path,
    meet: impl Fn(Row, PathBuf) -> F,
) -> Vec<String> {
    let met = rows().into_iter().enumerate().map(|(position, row)| {
        let met = tokio::spawn(meet(row, peer.to_owned()));
        async move { (position, met.await.unwrap_or_else(|error| format!("PANICS: {error}"))) }
    });
    let mut outcomes: Vec<(usize, String)> = stream::iter(met).buffer_unordered(AT_ONCE).collect().await;
    outcomes.sort_unstable();
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() < WIDTH { line.to_owned() } else { line.chars().take(WIDTH - 2).chain(['…']).collect() }
}

/// rmcp as its documentation starts: `().serve(transport)`, no options; with a timeout of its user's, if there is one.
async fn rmcp(row: &Row, peer: &Path, limit: Option<Duration>) -> String {
    let (endpoint, _server) = drive::endpoint(row, peer).await;
    match endpoint {
        Endpoint::Stdio(_) => {
            let mut command = tokio::process::Command::new(peer);
            command.arg(row.name).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
            #[cfg(unix)]
            command.process_group(0);
            let mut child = command.spawn().expect("the peer starts");
            let _group = Group(child.id());
            let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
                return "no pipes".to_owned();
            };
            let connecting = Box::pin(within(limit, ().serve((stdout, stdin))));
            Box::pin(driven(connecting.await, row.drive, limit)).await
        }
        Endpoint::Http(options) | Endpoint::HttpAuto(options) => {
            let config = StreamableHttpClientTransportConfig::with_uri(options.url);
            let transport = StreamableHttpClientTransport::with_client(http_client(), config);
            let connecting = Box::pin(within(limit, ().serve(transport)));
            Box::pin(driven(connecting.await, row.drive, limit)).await
        }
        _ => "no such transport".to_owned(),
    }
}

/// Kills what a peer leaves behind: rmcp does not, and the next run should not find it.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.0.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw) {
            // A group that is gone already is what we want.
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap_or_default();
        }
    }
}

fn http_client() -> reqwest::Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let tls = builder.expect("ring knows TLS 1.2 and 1.3").with_root_certificates(rustls::RootCertStore::empty());
    let client = reqwest::Client::builder().tls_backend_preconfigured(tls.with_no_client_auth()).no_proxy();
    client.build().expect("a client")
}

/// What came of something that may take so long.
async fn within<T, E: std::fmt::Display>(
    limit: Option<Duration>,
    doing: impl Future<Output = Result<T, E>>,
) -> Result<T, String> {
    let result = match limit {
        Some(limit) => tokio::time::timeout(limit, doing).await.map_err(|_elapsed| "timeout".to_owned())?,
        None => doing.await,
    };
    result.map_err(|error| error.to_string())
}

async fn driven(
    client: Result<RunningService<RoleClient, ()>, String>,
    drive: Drive,
    limit: Option<Duration>,
) -> String {
    let client = match client {
        Ok(client) => client,
        Err(error) => return format!("connect: {error}"),
    };
    let call = async |name: &'static str| {
        let called = within(limit, client.call_tool(CallToolRequestParams::new(name))).await;
        called.map_or_else(|error| error, |_| "ok".to_owned())
    };
    match drive {
        Drive::Connect => "connected".to_owned(),
        Drive::List => match within(limit, client.list_all_tools()).await {
            Ok(tools) => format!("{} tools", tools.len()),
            Err(error) => error,
        },
        Drive::Call => call("echo").await,
        Drive::CallTwice => format!("{}, then {}", call("echo").await, call("echo").await),
        Drive::CallBoth => {
            let (first, second) = tokio::join!(call("first"), call("second"));
            format!("{first} and {second}")
        }
        _ => "unknown drive".to_owned(),
    }
}
