//! Bare `mcpctl`: where one stands, and the next command. Starts nothing.

use std::collections::BTreeSet;

use mcp_client::Remedy;
use mcp_client::config::Trust;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::{Hint, mcpctl};
use crate::terminal::{Line, Tone};

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let client = context.client()?;
    let terminal = context.terminal;
    let servers: Vec<_> = client.servers().collect();
    if servers.is_empty() {
        terminal.data("No MCP server is configured.");
        terminal.data("");
        next(context, mcpctl(["demo"]), "see what this does, on built-in servers");
        next(context, &Remedy::Add, "add a server that runs here");
        next(context, mcpctl(["add", "NAME", "URL"]), "add a server elsewhere");
        return Ok(Exit::Ok);
    }
    let files: BTreeSet<_> = servers.iter().map(|server| &server.origin().path).collect();
    let count = |wanted: fn(&Trust) -> bool| servers.iter().filter(|server| wanted(server.trust())).count();
    let ready = servers.iter().filter(|server| server.enabled() && server.trust().is_trusted()).count();
    terminal.data(format!(
        "{} in {}, {ready} ready to start",
        plural(servers.len(), "server"),
        plural(files.len(), "file")
    ));
    let waiting = client.configuration().waiting().count();
    if waiting > 0 {
        terminal.data(Line::new().with(Tone::Warning, format!("{waiting} to approve before they may start")));
    }
    let imported = count(|trust| matches!(trust, Trust::Imported));
    if imported > 0 {
        terminal.data(format!("{imported} of other hosts, listed only"));
    }
    let disabled = servers.iter().filter(|server| !server.enabled()).count();
    if disabled > 0 {
        terminal.data(format!("{disabled} switched off"));
    }
    terminal.data("");
    if waiting > 0 {
        next(context, mcpctl(["trust"]), "see what they would run");
    }
    if ready > 0 {
        next(context, mcpctl(["status"]), "connect, and see how each one is");
        next(context, mcpctl(["search", "WORDS"]), "find a tool");
    }
    next(context, mcpctl(["list"]), "see what is configured where");
    Ok(Exit::Ok)
}

fn next(context: &Context<'_>, command: impl Into<Hint>, what: &str) {
    let command = context.terminal.shown(command).to_string();
    context.terminal.data(Line::from("  ").with(Tone::Strong, format!("{command:<28}")).with(Tone::Dim, what));
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
