//! `mcpctl tools`: every tool as a call to paste, or a provider's tool array.

use mcp_client::Client;
use mcp_client::provider::tool_array;
use mcp_client::registry::Registered;
use serde_json::{Value, json};

use crate::arguments::Tools;
use crate::commands::cost;
use crate::connecting;
use crate::context::{Context, exit_for_absence};
use crate::exit::{Exit, Failure};
use crate::signature::signature;
use crate::terminal::{Line, Tone};
use crate::unapproved;

/// A description is a paragraph; its first words say enough in a list.
const DESCRIPTION_WIDTH: usize = 100;

pub(crate) async fn run(context: &Context<'_>, arguments: &Tools) -> Result<Exit, Failure> {
    let client = context.client()?;
    if let Some(profile) = &arguments.profile {
        // Nothing is started for a provider that does not exist.
        client.convert(profile)?;
    }
    match &arguments.server {
        Some(server) => connecting::start_server(context, &client, server).await?,
        None => connecting::start(&client).await,
    }
    context.report_absent(&client);
    context.report_left_out(&client);
    context.report_suspicious_names(&client);
    unapproved::report(context.terminal, &client);
    match (&arguments.profile, arguments.json) {
        (profile, json) if arguments.cost => cost::print(context, &client, profile.as_deref(), json)?,
        (Some(profile), _) => print_array(context, &client, profile)?,
        (None, true) => print_json(context, &client),
        (None, false) => print_calls(context, &client),
    }
    let exit = exit_for_absence(&client);
    client.stop().await;
    Ok(exit)
}

fn print_array(context: &Context<'_>, client: &Client, profile: &str) -> Result<(), Failure> {
    let converted = client.convert(profile)?;
    let lossy = converted.iter().filter(|converted| !converted.report.is_lossless()).count();
    if lossy > 0 {
        context.terminal.talk(format!(
            "{lossy} of {} schemas say something `{profile}` cannot; it stands in their descriptions",
            converted.len()
        ));
    }
    context.terminal.json(&tool_array(profile, converted.into_iter().map(|converted| converted.offer).collect()));
    Ok(())
}

fn print_json(context: &Context<'_>, client: &Client) {
    let snapshot = client.tools();
    let rows: Vec<Value> = snapshot.tools().map(row).collect();
    context.terminal.json(&rows);
}

fn row(tool: &Registered) -> Value {
    json!({
        "id": tool.id.as_str(),
        "server": &*tool.server,
        "effect": tool.effect.as_str(),
        // The server's own definition, verbatim.
        "tool": serde_json::from_str::<Value>(tool.tool.raw.get()).unwrap_or(Value::Null),
    })
}

fn print_calls(context: &Context<'_>, client: &Client) {
    let terminal = context.terminal;
    for tool in client.tools().tools() {
        let signature = signature(tool, &client.parameters(tool.id.as_str()));
        terminal.data(Line::new().with(Tone::Strong, terminal.shown(signature.command).to_string()));
        let mut about = Line::from("    ").with(Tone::Dim, tool.effect.as_str());
        if let Some(description) = &tool.tool.description {
            about = about.with(Tone::Dim, ": ").plain(first_line(description));
        }
        terminal.data(about);
        if !signature.optional.is_empty() {
            terminal.data(Line::from("    ").with(Tone::Dim, format!("optional: {}", signature.optional.join(" "))));
        }
    }
}

/// The first line of a description, cut where a list would wrap.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(DESCRIPTION_WIDTH).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}
