//! Says what of the connected servers nobody has approved, and the one command that shows and approves it.

use mcp_client::{Client, Drifted, Remedy, ServerStatus};

use crate::hint::mcpctl;
use crate::terminal::{Line, Terminal, Tone};

/// How many names a line holds.
const MOST_NAMES: usize = 5;

/// Says, server by server, what is held back, what is told in approved words, and what asks; nothing if all is approved.
pub(crate) fn report(terminal: &Terminal, client: &Client) {
    let statuses = client.glance();
    let lines: Vec<(&ServerStatus, String)> =
        statuses.iter().filter_map(|status| Some((status, summary(status)?))).collect();
    for (status, summary) in &lines {
        terminal.talk(Line::new().with(Tone::Warning, format!("{}: ", status.server)).plain(summary));
    }
    match lines.as_slice() {
        [] => {}
        [(status, _)] => terminal.hint(&Remedy::Approve { server: status.server.as_str().into(), tool: None }),
        _ => terminal.hint(mcpctl(["approve", "--all"])),
    }
}

fn summary(status: &ServerStatus) -> Option<String> {
    // Without any difference the trouble is that nobody knows what was approved, or that it cannot be kept.
    let trouble = status.pin_trouble.clone().filter(|_| status.fix.is_some());
    let kinds = [
        ("held", "held back until approved"),
        ("reworded", "told as it was approved, not as it is now"),
        ("ask", "asks at every call until approved"),
        ("noted", "not as it was approved"),
    ];
    let parts = kinds.iter().filter_map(|(standing, words)| {
        let concerned = status.drift.iter().filter(|drifted| drifted.standing == *standing && is_on_offer(drifted));
        let names: Vec<&str> = concerned.map(|drifted| drifted.what.as_str()).collect();
        (!names.is_empty()).then(|| format!("{words}: {}", listed(&names)))
    });
    let summary = trouble.into_iter().chain(parts).collect::<Vec<_>>().join("; ");
    (!summary.is_empty()).then_some(summary)
}

/// What is gone, and prompts, are for `status` to tell.
fn is_on_offer(drifted: &Drifted) -> bool {
    drifted.change != "removed" && !(drifted.standing == "noted" && drifted.what.starts_with("prompt "))
}

fn listed(names: &[&str]) -> String {
    let shown = names.get(..MOST_NAMES).unwrap_or(names).join(", ");
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
