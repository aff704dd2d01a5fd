//! What tools take of a model's context: `mcpctl tools --cost`, and the decision below `mcpctl status`.

use std::cmp::Reverse;

use mcp_client::search::{DeferralDecision, DeferralReason, ToolCost, tokens_by_server};
use mcp_client::{Client, Error, Withholding};
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Failure;
use crate::terminal::{Line, Tone, aligned};

/// The dialect that keeps a definition as its server wrote it, for a cost that no provider was named for.
const AS_WRITTEN: &str = "json-schema-2020-12";

pub(crate) fn print(context: &Context<'_>, client: &Client, profile: Option<&str>, json: bool) -> Result<(), Failure> {
    let mut costs = client.tool_costs(profile.unwrap_or(AS_WRITTEN), &Withholding::default())?;
    // The sort is stable: what costs the same stays in the order of the ids.
    costs.sort_by_key(|cost| Reverse(cost.tokens));
    if json {
        context.terminal.json(&record(&costs, decision(client)?));
        return Ok(());
    }
    let mut rows: Vec<Vec<Line>> = costs.iter().map(|cost| cells(cost.tokens, &cost.id, always(cost))).collect();
    if !costs.is_empty() {
        rows.push(Vec::new());
        rows.extend(tokens_by_server(&costs).iter().map(|(server, tokens)| {
            let tools = costs.iter().filter(|cost| cost.server == *server).count();
            cells(*tokens, server, &format!("{tools} tools"))
        }));
        let all = costs.iter().map(|cost| cost.tokens).fold(0, u64::saturating_add);
        rows.push(cells(all, "all", &format!("{} tools", costs.len())));
    }
    context.terminal.data_lines(aligned(&rows));
    context.terminal.talk("tokens are estimated, at four characters each");
    Ok(())
}

fn cells(tokens: u64, name: &str, about: &str) -> Vec<Line> {
    vec![Line::from(format!("{tokens:>7}")), Line::new().with(Tone::Strong, name), Line::new().with(Tone::Dim, about)]
}

fn always(cost: &ToolCost) -> &'static str {
    if cost.always_load { "never withheld" } else { "" }
}

fn row(cost: &ToolCost) -> Value {
    let ToolCost { id, server, tokens, always_load } = cost;
    json!({"id": id, "server": server, "tokens": tokens, "always_load": always_load})
}

fn record(costs: &[ToolCost], decision: DeferralDecision) -> Value {
    let servers: Vec<Value> = tokens_by_server(costs)
        .into_iter()
        .map(|(server, tokens)| json!({"server": server, "tokens": tokens}))
        .collect();
    json!({
        "tools": costs.iter().map(row).collect::<Vec<Value>>(),
        "servers": servers,
        "decision": {
            "withheld": decision.defer,
            "reason": reason(decision.reason),
            "tools": decision.tools,
            "tokens": decision.tokens,
            "context_tokens": decision.context_tokens,
        },
    })
}

fn reason(reason: DeferralReason) -> &'static str {
    match reason {
        DeferralReason::SubAgent => "sub-agent",
        DeferralReason::Setting => "setting",
        DeferralReason::FewTools => "few-tools",
        DeferralReason::SmallShare => "small-share",
        DeferralReason::WorthIt => "worth-it",
    }
}

/// Whether schemas would be withheld from a model, and why.
///
/// The dialect of a provider changes the numbers little; where none is named, definitions count as their servers wrote them.
pub(crate) fn decision(client: &Client) -> Result<DeferralDecision, Error> {
    client.deferral(AS_WRITTEN, &Withholding::default())
}
