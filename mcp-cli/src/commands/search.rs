//! `mcpctl search`: tools by what they do, and why each one matched.

use mcp_client::search::{Ambiguous, Answer, Hit, LegReport, LegState, Match, Unknown};
use serde_json::{Value, json};

use crate::arguments::Search;
use crate::commands::tools::first_line;
use crate::connecting;
use crate::context::{Context, exit_for_absence};
use crate::exit::{Exit, Failure};
use crate::hint::Hint;
use crate::terminal::{Line, Tone};
use crate::unapproved;

pub(crate) async fn run(context: &Context<'_>, arguments: &Search) -> Result<Exit, Failure> {
    let client = context.client()?;
    connecting::start(&client).await;
    context.report_absent(&client);
    unapproved::report(context.terminal, &client);
    let answer = client.search_by_meaning(&arguments.query.join(" "), arguments.limit).await;
    if arguments.json {
        let hits: Vec<Value> = answer.hits.iter().map(json_hit).collect();
        context.terminal.json(&hits);
    } else {
        let tools = client.tools();
        for hit in &answer.hits {
            let score = format!("  {:.2}  {}", hit.score, why(&hit.matched));
            context.terminal.data(Line::new().with(Tone::Strong, &hit.id).with(Tone::Dim, score));
            if let Some(description) = tools.tool(&hit.id).and_then(|tool| tool.tool.description.as_deref()) {
                context.terminal.data(Line::from("    ").plain(first_line(description)));
            }
        }
        match answer.hits.len() {
            0 => context.terminal.talk("No tool matches."),
            shown if answer.total > shown => {
                context.terminal.talk(format!("{shown} of {} hits; --limit shows more", answer.total));
            }
            _ => {}
        }
    }
    report(context, &answer);
    let exit = exit_for_absence(&client);
    client.stop().await;
    Ok(exit)
}

/// Says which ways of searching answered and why others did not, and what the query names that is not one tool.
fn report(context: &Context<'_>, answer: &Answer) {
    let legs: Vec<String> = answer.legs.iter().map(leg).collect();
    context.terminal.talk(Line::new().with(Tone::Dim, legs.join("; ")));
    for Ambiguous { name, candidates } in &answer.ambiguous {
        context.terminal.talk(format!("{name} is the name of several tools: {}", candidates.join(", ")));
    }
    for Unknown { name, nearest } in &answer.unknown {
        context.terminal.talk(format!("no tool is called {name}"));
        if !nearest.is_empty() {
            context.terminal.hint(Hint::advice(format!("nearest: {}", nearest.join(", "))));
        }
    }
}

fn leg(report: &LegReport) -> String {
    match &report.state {
        LegState::Answered { matched } => format!("{}: {matched}", report.leg.label()),
        LegState::Off { reason } => format!("{} is off: {reason}", report.leg.label()),
    }
}

/// A hit as a program reads it.
pub(crate) fn json_hit(hit: &Hit) -> Value {
    let matched: Vec<Value> =
        hit.matched.iter().map(|Match { field, terms }| json!({"field": field.label(), "terms": terms})).collect();
    json!({"id": hit.id, "score": hit.score, "leg": hit.leg.label(), "matched": matched})
}

/// `name: create, issue; description: open`.
pub(crate) fn why(matched: &[Match]) -> String {
    let fields: Vec<String> =
        matched.iter().map(|Match { field, terms }| format!("{}: {}", field.label(), terms.join(", "))).collect();
    fields.join("; ")
}
