//! The steps of the demo, in the order of the pipeline.

use mcp_client::provider::{Offer, tool_array};
use mcp_client::registry::Registered;
use mcp_client::{Call, Client, Error, ServerState};
use serde_json::{Value, json};

use super::Stage;
use super::scene::Scene;
use crate::commands::{json_hit, status_lines, status_rows, why};
use crate::exit::{Exit, Failure};
use crate::hint::{Hint, mcpctl};
use crate::signature::signature;
use crate::terminal::{Line, Terminal, Tone};

const PROFILE: &str = "openai";
const CONVERTED: &str = "mcp__catalogue__create_invoice";
const QUESTION: &str = "share a document with a team";

pub(super) fn configuration(stage: &Stage<'_>, scene: &Scene) {
    let client = scene.stranger();
    let rows: Vec<Value> =
        client.servers().map(|server| json!({"server": server.name(), "line": server.origin().line})).collect();
    let names: Vec<&str> = client.servers().map(mcp_client::config::Resolved::name).collect();
    stage.say("A project's .mcp.json names five servers. Listing them starts none.");
    let line = Line::from(format!("{}  (.mcp.json)", names.join("  ")));
    stage.show("config", mcpctl(["list"]), json!({"path": scene.file(), "servers": rows}), [line]);
}

pub(super) async fn trust(stage: &Stage<'_>, scene: &Scene) {
    let client = scene.stranger();
    client.start().await;
    let statuses = client.glance();
    let started: Vec<&str> = statuses
        .iter()
        .filter(|status| status.state == ServerState::Connected)
        .map(|status| status.server.as_str())
        .collect();
    let waiting = statuses.iter().filter(|status| status.state == ServerState::NeedsApproval).count();
    stage.say("Whoever wrote the project could run anything here: nothing starts until a person approves it.");
    let line = Line::from(format!("{waiting} servers need approval, {} started", started.len()));
    let facts = json!({"needs_approval": waiting, "started": started});
    stage.show("trust", mcpctl(["trust"]), facts, [line]);
    client.stop().await;
}

pub(super) async fn connect(stage: &Stage<'_>, client: &Client) {
    let statuses = client.status().await;
    stage.say("Naming the file approves it. All five start at once; the one that dies says why and harms nobody.");
    let lines = status_lines(stage.terminal, &statuses);
    stage.show(
        "connect",
        mcpctl(["status", "--config", ".mcp.json"]),
        json!({"servers": status_rows(stage.terminal, &statuses)}),
        lines,
    );
}

pub(super) fn tools(stage: &Stage<'_>, client: &Client) {
    let snapshot = client.tools();
    let rejected: Vec<Value> = client
        .glance()
        .into_iter()
        .flat_map(|status| {
            let server = status.server;
            status
                .rejected
                .into_iter()
                .map(move |tool| json!({"server": server, "tool": tool.tool, "reason": tool.reason}))
        })
        .collect();
    let read_only = snapshot.tools().filter(|tool| tool.effect == mcp_client::registry::Effect::ReadOnly).count();
    let facts = json!({"count": snapshot.len(), "read_only": read_only, "rejected": rejected});
    let mut lines: Vec<Line> = snapshot
        .tools()
        .filter(|tool| &*tool.server == "library")
        .map(|tool| call_line(stage.terminal, client, tool))
        .collect();
    lines.push(Line::from(format!("… {} tools in all, {read_only} of them read-only", snapshot.len())));
    stage.say("Every tool gets an id that is unique and safe for every provider, and a call to paste.");
    stage.show("tools", mcpctl(["tools"]), facts, lines);
}

fn call_line(terminal: &Terminal, client: &Client, tool: &Registered) -> Line {
    let signature = signature(tool, &client.parameters(tool.id.as_str()));
    let optional = if signature.optional.is_empty() {
        String::new()
    } else {
        format!("  optional: {}", signature.optional.join(" "))
    };
    Line::from(terminal.shown(signature.command).to_string()).with(Tone::Dim, optional)
}

pub(super) fn schema(stage: &Stage<'_>, client: &Client) -> Result<(), Failure> {
    let snapshot = client.tools();
    let tool = snapshot.tool(CONVERTED).ok_or_else(|| missing(CONVERTED))?;
    let original: Value = serde_json::from_str(tool.tool.input_schema.get()).unwrap_or(Value::Null);
    let converted = client.convert(PROFILE)?;
    let converted =
        converted.into_iter().find(|converted| converted.offer.id == CONVERTED).ok_or_else(|| missing(CONVERTED))?;
    let schema = converted.offer.schema.clone();
    let lines = [
        Line::new().with(Tone::Dim, "as its server wrote it:  ").plain(brief(&original["properties"]["fields"])),
        Line::new().with(Tone::Dim, "where                    ").plain(brief(&original["$defs"]["fields"])),
        Line::new()
            .with(Tone::Dim, format!("as {PROFILE} takes it:      "))
            .plain(brief(&schema["properties"]["fields"])),
    ];
    let facts = json!({
        "tool": CONVERTED,
        "profile": PROFILE,
        "original": original,
        "converted": schema,
        "lossless": converted.report.is_lossless(),
        "request": tool_array(PROFILE, vec![Offer { ..converted.offer }]),
    });
    stage.say("Providers refuse much of JSON Schema: references are resolved and mixins merged, losing no meaning.");
    stage.show("schema", mcpctl(["tools", "--for", PROFILE, "--json"]), facts, lines);
    Ok(())
}

/// JSON on one line, cut where a screen ends; the record has it whole.
fn brief(value: &Value) -> String {
    const WIDTH: usize = 150;
    let text = value.to_string();
    if text.chars().count() <= WIDTH {
        return text;
    }
    text.chars().take(WIDTH).chain(['…']).collect()
}

pub(super) fn search(stage: &Stage<'_>, client: &Client) {
    let answer = client.search(QUESTION, 3);
    let hits: Vec<Value> = answer.hits.iter().map(json_hit).collect();
    let lines = answer.hits.iter().map(|hit| Line::from(&hit.id).with(Tone::Dim, format!("  {}", why(&hit.matched))));
    stage.say("125 schemas would fill a prompt. Search finds the few that a task needs, and says why.");
    stage.show("search", mcpctl(["search", QUESTION]), json!({"query": QUESTION, "hits": hits}), lines);
}

pub(super) async fn call(stage: &Stage<'_>, client: &Client, nonce: &str) -> Result<(), Failure> {
    let arguments = json!({ "message": nonce });
    let answer = client.call("mcp__library__echo", arguments.clone()).await?;
    stage.say("A call goes to the child process and back.");
    let facts = json!({"tool": answer.tool, "arguments": arguments, "content": answer.text()});
    let command = mcpctl(["call", "library", "echo"]).operand(format!("message={nonce}"));
    stage.show("call", command, facts, [Line::from(answer.text())]);
    Ok(())
}

pub(super) async fn permission(stage: &Stage<'_>, client: &Client) -> Result<(), Failure> {
    let call = Call::new("mcp__ledger__add_entry", json!({"account": "tea", "cents": 250}));
    let (allowed, because, remedies) = match client.call_with(call.clone()).await {
        Ok(_) => (true, String::new(), Vec::new()),
        Err(Error::Denied { because, remedies, .. }) => (false, because, remedies),
        Err(error) => return Err(error.into()),
    };
    let untouched = client.call("mcp__ledger__balance", json!({"account": "tea"})).await?.text();
    let consented = client.call_with(call.with_consent()).await?.text();
    let lines = [
        Line::from("a model's call, nobody to ask:  ").with(Tone::Warning, "denied: ").plain(&because),
        Line::from("the ledger after that:          ").plain(&untouched),
        Line::from("the call as typed here:         ").plain(&consented),
    ];
    let facts = json!({
        "tool": "mcp__ledger__add_entry",
        "allowed": allowed,
        "because": because,
        "remedy": Hint::of(&remedies).map(|hint| stage.terminal.shown(hint).to_string()),
        "after_denial": untouched,
        "after_consent": consented,
    });
    stage.say("What changes something needs a person's yes. Typing the call is one; a model has to ask.");
    stage.show("permission", mcpctl(["call", "ledger", "add_entry", "account=tea", "cents=250"]), facts, lines);
    Ok(())
}

pub(super) fn end(stage: &Stage<'_>) {
    stage.say("Every child process has ended. Now with servers of your own:");
    let command = mcpctl(["add", "time", "--", "uvx", "mcp-server-time"]);
    stage.show("end", command, json!({}), []);
}

fn missing(tool: &str) -> Failure {
    Failure::new(Exit::Unreachable, format!("the demo's server does not offer `{tool}`"))
}
