//! `mcpctl list`: what is configured where. Connects to nothing.

use mcp_client::config::{Origin, Preview, Resolved, Trust};
use serde::Serialize;

use crate::arguments::Listing;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::terminal::{Line, Tone, aligned};

/// One configured server, as a program reads it.
#[derive(Serialize)]
struct Row<'a> {
    server: &'a str,
    enabled: bool,
    trust: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    origin: &'a Origin,
    shadows: &'a [Origin],
    definition: Preview,
}

pub(crate) fn run(context: &Context<'_>, arguments: &Listing) -> Result<Exit, Failure> {
    let client = context.client()?;
    if arguments.json {
        let rows: Vec<Row<'_>> = client.servers().map(row).collect();
        context.terminal.json(&rows);
        return Ok(Exit::Ok);
    }
    let mut rows = Vec::new();
    for server in client.servers() {
        let (tone, state) = state(server);
        rows.push(vec![
            Line::new().with(Tone::Strong, server.name()),
            Line::new().with(tone, state),
            Line::from(server.preview().to_string()),
            Line::new().with(Tone::Dim, server.origin().to_string()),
        ]);
    }
    if rows.is_empty() {
        context.terminal.talk("No MCP server is configured.");
        context.terminal.hint("mcpctl add NAME -- COMMAND");
    }
    context.terminal.data_lines(aligned(&rows));
    Ok(Exit::Ok)
}

fn row(server: &Resolved) -> Row<'_> {
    Row {
        server: server.name(),
        enabled: server.enabled(),
        trust: trust(server.trust()),
        reason: match server.trust() {
            Trust::Denied { reason } => Some(reason),
            _ => None,
        },
        origin: server.origin(),
        shadows: server.shadows(),
        definition: server.preview(),
    }
}

/// The word for a standing in JSON.
fn trust(trust: &Trust) -> &'static str {
    match trust {
        Trust::Trusted { .. } => "trusted",
        Trust::NeedsApproval { .. } => "needs-approval",
        Trust::Imported => "imported",
        _ => "denied",
    }
}

fn state(server: &Resolved) -> (Tone, String) {
    match server.trust() {
        Trust::Trusted { .. } if !server.enabled() => (Tone::Dim, "disabled".to_owned()),
        Trust::Trusted { .. } => (Tone::Good, server.trust().to_string()),
        _ => (Tone::Warning, server.trust().to_string()),
    }
}
