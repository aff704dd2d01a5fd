//! Meets one row of the fault table with this crate, and says in a few words what came of it.

use std::path::Path;
use std::time::Duration;

use mcp_testkit::{Drive, HttpPeer, Row, Server};
use mcp_transport::{
    ConnectOptions, Connection, Endpoint, Error, HttpOptions, Limits, Listing, StdioOptions, Timeouts, Tool, connect,
};
use serde_json::value::RawValue;

/// How long a fault is waited for that only the end of patience ends.
pub(crate) const SHORT: Duration = Duration::from_secs(1);

/// What a client that cannot hang makes of `row`. `peer` is the binary that plays rows.
pub(crate) async fn ours(row: &Row, peer: &Path) -> String {
    let (endpoint, _server) = endpoint(row, peer).await;
    let connection = match connect(endpoint, options(row)).await {
        Ok(connection) => connection,
        Err(error) => return format!("connect: {}", word(&error)),
    };
    let outcome = drive(&connection, row.drive).await;
    connection.shutdown().await;
    outcome
}

/// An argument that tells the processes of this run from those of others.
pub(crate) fn tag() -> String {
    format!("run-{}", std::process::id())
}

/// The server of `row`, which lives as long as the second part.
pub(crate) async fn endpoint(row: &Row, peer: &Path) -> (Endpoint, Option<HttpPeer>) {
    let (respond, auto) = match row.server {
        Server::Http(respond) => (respond, false),
        Server::HttpAuto(respond) => (respond, true),
        _ => return (Endpoint::Stdio(StdioOptions::new(peer).with_args([row.name, &tag()])), None),
    };
    let server = HttpPeer::start(respond).await.expect("a free port");
    let options = HttpOptions::new(server.url("/mcp"));
    (if auto { Endpoint::HttpAuto(options) } else { Endpoint::Http(options) }, Some(server))
}

/// Short times where only they end the fault; times that a loaded machine does not reach elsewhere.
fn options(row: &Row) -> ConnectOptions {
    let long = Duration::from_secs(30);
    let patience = if row.silent { SHORT } else { long };
    let timeouts = Timeouts::default()
        .with_connect(if row.drive == Drive::Connect { patience } else { long })
        .with_list(patience)
        .with_call(patience)
        .with_call_total(patience * 2)
        .with_shutdown(Duration::from_millis(200));
    ConnectOptions::default().with_timeouts(timeouts).with_limits(Limits::default().with_pages(50))
}

async fn drive(connection: &Connection, drive: Drive) -> String {
    match drive {
        Drive::Connect => format!("connected, {} over {}", connection.protocol_version(), connection.transport()),
        Drive::List => listed(&connection.list_tools().await),
        Drive::Call => called(&connection.call_tool("echo", None).await),
        Drive::CallTwice => {
            let first = connection.call_tool("echo", None).await;
            let second = connection.call_tool("echo", None).await;
            format!("{}, then {}", called(&first), called(&second))
        }
        Drive::CallBoth => {
            let (first, second) =
                tokio::join!(connection.call_tool("first", None), connection.call_tool("second", None));
            let text =
                |result: Result<Box<RawValue>, Error>| result.map_or_else(|error| word(&error), |r| r.get().to_owned());
            let right = text(first).contains("first") && text(second).contains("second");
            if right { "each got its own".to_owned() } else { "mixed up".to_owned() }
        }
        _ => "unknown drive".to_owned(),
    }
}

fn called(result: &Result<Box<RawValue>, Error>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(error) => word(error),
    }
}

fn listed(result: &Result<Listing<Tool>, Error>) -> String {
    match result {
        Ok(listing) => {
            let counts = format!("{} tools, {} rejected", listing.items.len(), listing.rejected.len());
            listing.incomplete.as_ref().map_or(counts.clone(), |reason| format!("{counts}, incomplete: {reason}"))
        }
        Err(error) => word(error),
    }
}

/// An error in a few words that do not depend on ports, paths or times.
fn word(error: &Error) -> String {
    match error {
        Error::Exited(exit) => match exit.status {
            Some(status) => format!("exited with {status}, stderr kept: {}", exit.stderr_tail.contains("boom")),
            None => "killed".to_owned(),
        },
        Error::Closed { reason } => format!("closed: {reason}"),
        Error::Timeout { .. } | Error::Silent { .. } => "timeout".to_owned(),
        Error::Rpc { error, .. } => format!("refused ({})", error.code),
        Error::Protocol { reason, .. } => {
            format!("protocol: {}", reason.split([';', '(', ':']).next().unwrap_or_default().trim())
        }
        Error::TooLarge { .. } => "too large".to_owned(),
        Error::NoCommonVersion { .. } => "no common version".to_owned(),
        Error::AuthRequired { status, .. } => format!("login ({status})"),
        Error::Http { status, .. } => format!("HTTP {status}"),
        Error::Redirect { .. } => "redirect refused".to_owned(),
        Error::Unreachable { .. } => "unreachable".to_owned(),
        Error::Interrupted { .. } => "interrupted".to_owned(),
        other => other.to_string(),
    }
}
