//! `mcpctl status`: connects, and says how each server is or why it is not.

use mcp_client::{Client, Drifted, ServerState, ServerStatus, chain};
use serde_json::{Value, json};

use crate::arguments::Status;
use crate::asking;
use crate::commands::cost;
use crate::connecting;
use crate::context::{Context, exit_for};
use crate::exit::{Exit, Failure};
use crate::terminal::{Line, Terminal, Tone, aligned};
use crate::unapproved;

/// So many differences from what was approved are listed for a server; `mcpctl approve` shows them all.
const MOST_DIFFERENCES: usize = 20;

pub(crate) async fn run(context: &Context<'_>, arguments: &Status) -> Result<Exit, Failure> {
    let client = context.client()?;
    let statuses = if let Some(server) = &arguments.server {
        // What went wrong is in the status, which says more than the error.
        asking::complete(context, &client, server).await?;
        client.start_server(server).await.ok();
        vec![client.server_status(server).await?]
    } else {
        connecting::start(&client).await;
        client.status().await
    };
    context.report_rules(&client);
    if arguments.json {
        context.terminal.json(&rows(context.terminal, &statuses));
    } else {
        context.terminal.data_lines(lines(context.terminal, &statuses));
        report_decision(context, &client);
    }
    unapproved::report(context.terminal, &client);
    client.stop().await;
    Ok(exit(&statuses))
}

/// Says whether a model would be sent the schemas of what is connected.
fn report_decision(context: &Context<'_>, client: &Client) {
    match cost::decision(client) {
        Ok(decision) if decision.tools == 0 => {}
        Ok(decision) => context.terminal.data(Line::new().with(Tone::Dim, decision.to_string())),
        Err(error) => context.terminal.talk(Line::new().with(Tone::Warning, chain(&error))),
    }
}

/// Ok when every server that is switched on answers; else the code of the first that does not.
fn exit(statuses: &[ServerStatus]) -> Exit {
    let absent = statuses.iter().filter(|status| status.state != ServerState::Disabled);
    absent.filter_map(|status| status.cause.as_ref()).map(exit_for).next().unwrap_or(Exit::Ok)
}

/// The statuses as a program reads them, with what mends each as commands of ours.
pub(crate) fn rows(terminal: &Terminal, statuses: &[ServerStatus]) -> Vec<Value> {
    let row = |status: &ServerStatus| {
        let mut row = json!(status);
        row["fix"] = json!(status.fix.as_ref().map(|fix| terminal.shown(fix).json()));
        row
    };
    statuses.iter().map(row).collect()
}

/// The table, and below it what is wrong and what would mend it.
pub(crate) fn lines(terminal: &Terminal, statuses: &[ServerStatus]) -> Vec<Line> {
    let mut lines = aligned(&statuses.iter().map(row).collect::<Vec<_>>());
    for status in statuses {
        if let Some(cause) = &status.cause {
            lines.push(Line::new().with(Tone::Bad, format!("{}: ", status.server)).plain(&cause.message));
            if let Some(fix) = &status.fix {
                lines.push(Line::from("    ").with(Tone::Dim, "fix: ").plain(terminal.shown(fix).to_string()));
            }
        }
        if let Some(trouble) = &status.pin_trouble {
            lines.push(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(trouble));
        }
        for drifted in status.drift.iter().take(MOST_DIFFERENCES) {
            let what = format!("{} {}", drifted.what, happened(drifted));
            lines.push(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(what));
        }
        if let Some(more @ 1..) = status.drift.len().checked_sub(MOST_DIFFERENCES) {
            let what = format!("{more} more are not as they were approved");
            lines.push(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(what));
        }
        for left_out in &status.left_out {
            lines.push(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(left_out));
        }
        if let Some(noise) = &status.noise {
            let what = format!("{} of its lines and messages meant nothing; the first: {}", noise.count, noise.first);
            lines.push(Line::new().with(Tone::Dim, format!("{}: ", status.server)).plain(what));
        }
        for rejected in &status.rejected {
            let tool = rejected.tool.as_deref().unwrap_or("a tool without a name");
            let what = format!("{tool} left out: {}", rejected.reason);
            lines.push(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(what));
        }
    }
    lines
}

/// What happened to it since its server was approved, and what follows.
fn happened(drifted: &Drifted) -> String {
    let change = match drifted.change {
        "added" => "is new since the server was approved",
        "removed" => "is gone since the server was approved",
        "reworded" => "is described otherwise than it was approved",
        "became-read-only" => "now calls itself read-only",
        _ => "changed since it was approved",
    };
    let follows = match drifted.standing {
        "held" => "; held back",
        "reworded" => "; told as it was approved",
        "ask" => "; calls of it ask",
        _ => "",
    };
    format!("{change}{follows}")
}

fn row(status: &ServerStatus) -> Vec<Line> {
    let (tone, state) = match status.state {
        ServerState::Connected => (Tone::Good, "connected"),
        ServerState::Failed => (Tone::Bad, "failed"),
        ServerState::NeedsLogin => (Tone::Warning, "needs login"),
        ServerState::NeedsApproval => (Tone::Warning, "needs approval"),
        ServerState::Refused => (Tone::Warning, "refused"),
        ServerState::Disabled => (Tone::Dim, "disabled"),
        _ => (Tone::Dim, "idle"),
    };
    vec![
        Line::new().with(Tone::Strong, &status.server),
        Line::new().with(tone, state),
        Line::from(status.transport.unwrap_or("-")),
        Line::from(status.protocol_version.as_deref().unwrap_or("-")),
        Line::from(status.tools.map_or_else(|| "-".to_owned(), |tools| format!("{tools} tools"))),
        Line::from(
            status.round_trip.map_or_else(|| "-".to_owned(), |time| format!("{:.1} ms", time.as_secs_f64() * 1e3)),
        ),
    ]
}
