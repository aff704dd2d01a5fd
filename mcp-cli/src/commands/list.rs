//! `mcpctl list`: what is configured where. Connects to nothing.

use mcp_client::Remedy;
use mcp_client::config::{Origin, Preview, Resolved, Trust};
use serde::Serialize;

use crate::arguments::Listing;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::terminal::{Line, Tone, aligned};

/// One configured server, as a program reads it.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    server: &'a str,
    enabled: bool,
    trust: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    origin: &'a Origin,
    shadows: &'a [Origin],
    #[serde(skip_serializing_if = "Option::is_none")]
    shadowed_by: Option<&'a Origin>,
    definition: Preview,
}

pub(crate) fn run(context: &Context<'_>, arguments: &Listing) -> Result<Exit, Failure> {
    let configuration = context.configuration()?;
    let mut servers: Vec<(&Resolved, Option<&Origin>)> =
        configuration.merged.servers.iter().map(|server| (server, None)).collect();
    if arguments.all {
        servers.extend(configuration.merged.shadowed.iter().map(|shadowed| (&shadowed.server, Some(&shadowed.by))));
    }
    // The sort is stable: of one name, what is in force comes before what it shadows.
    servers.sort_by(|(a, _), (b, _)| a.name().cmp(b.name()));
    if arguments.json {
        let rows: Vec<Row<'_>> =
            servers.into_iter().map(|(server, by)| Row { shadowed_by: by, ..row(server) }).collect();
        context.terminal.json(&rows);
        return Ok(Exit::Ok);
    }
    if servers.is_empty() {
        context.terminal.talk("No MCP server is configured.");
        context.terminal.hint(&Remedy::Add);
    }
    context.terminal.data_lines(aligned(&servers.iter().map(|(server, by)| cells(server, *by)).collect::<Vec<_>>()));
    for (server, _) in &servers {
        if let Trust::Denied { reason } = server.trust() {
            let why = format!("`{}` is denied: {reason}", server.name());
            context.terminal.talk(Line::new().with(Tone::Warning, why));
        }
    }
    if arguments.all {
        for looked in &configuration.found.places {
            let place = format!("{}  {}  {:?}", looked.source, looked.path.display(), looked.state);
            context.terminal.talk(Line::new().with(Tone::Dim, place));
        }
    }
    Ok(Exit::Ok)
}

fn cells(server: &Resolved, shadowed_by: Option<&Origin>) -> Vec<Line> {
    let (tone, state) = match shadowed_by {
        Some(_) => (Tone::Dim, "shadowed".to_owned()),
        None => state(server),
    };
    vec![
        Line::new().with(Tone::Strong, server.name()),
        Line::new().with(tone, state),
        Line::from(server.origin().source.to_string()),
        Line::from(server.preview().to_string()),
        Line::new().with(Tone::Dim, server.origin().to_string()),
    ]
}

/// The server as a program reads it.
pub(crate) fn row(server: &Resolved) -> Row<'_> {
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
        shadowed_by: None,
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

/// How a server stands, in a word.
pub(crate) fn state(server: &Resolved) -> (Tone, String) {
    match server.trust() {
        Trust::Trusted { .. } if !server.enabled() => (Tone::Dim, "disabled".to_owned()),
        Trust::Trusted { .. } => (Tone::Good, server.trust().to_string()),
        _ => (Tone::Warning, server.trust().to_string()),
    }
}
