//! An agent that works with every configured MCP server, itself behind MCP.
//!
//! This is the crate's first slice: the step of an agent's loop in which the model has asked for tools. [`answer`] makes
//! the calls and returns what the model is to see, in the order in which it asked.
//!
//! ```no_run
//! use mcp_agent::{ToolUse, answer};
//! use mcp_client::{Client, process_environment};
//!
//! # async fn example(asked: Vec<ToolUse>) -> Result<(), mcp_client::Error> {
//! let client = Client::builder(process_environment()?).build();
//! client.start().await;
//! for result in answer(&client, "anthropic", asked).await {
//!     println!("{}: {}", result.id, result.text);
//! }
//! # Ok(())
//! # }
//! ```

use futures_util::future::join_all;
use mcp_client::registry::{Effect, Resolution, plan_batches};
use mcp_client::{Call, Client, chain};
use serde_json::Value;

/// A tool that a model wants called.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// The provider's id of this request, which its result must carry.
    pub id: String,
    /// The tool's registered id, as it was offered.
    pub name: String,
    /// The arguments, in the words of the schema it was offered.
    pub arguments: Value,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the request.
    pub id: String,
    /// What the model is to see: the tool's output, or why there is none.
    pub text: String,
    /// Whether the tool failed, or was not called.
    pub is_error: bool,
}

/// Makes the calls a model asked for in one turn, and returns a result for each, in the same order.
///
/// Neighbouring read-only calls run side by side; a call that may change something runs alone, after everything before
/// it. A call that fails, is denied, or does not fit its tool's schema becomes a result that says so, and the rest go on.
///
/// # Cancel safety
///
/// Dropping the future cancels the calls that are running; those already made stay made.
pub async fn answer(client: &Client, profile: &str, asked: Vec<ToolUse>) -> Vec<ToolResult> {
    let effects: Vec<Effect> = asked.iter().map(|tool_use| effect(client, &tool_use.name)).collect();
    let mut results = Vec::with_capacity(asked.len());
    for batch in plan_batches(effects) {
        let calls = asked.get(batch.calls).unwrap_or_default();
        results.extend(join_all(calls.iter().map(|tool_use| answer_one(client, profile, tool_use))).await);
    }
    results
}

async fn answer_one(client: &Client, profile: &str, tool_use: &ToolUse) -> ToolResult {
    let call = Call::new(&tool_use.name, tool_use.arguments.clone()).for_profile(profile);
    let (text, is_error) = match client.call_with(call).await {
        Ok(answer) => (answer.text(), answer.is_error()),
        Err(error) => (chain(&error), true),
    };
    ToolResult { id: tool_use.id.clone(), text, is_error }
}

/// What a call would do; an unknown tool does nothing, but is kept in its place all the same.
fn effect(client: &Client, name: &str) -> Effect {
    match client.tools().resolve(name) {
        Resolution::Exact(tool) => tool.effect,
        Resolution::Ambiguous(_) | Resolution::Unknown { .. } => Effect::Mutating,
    }
}
