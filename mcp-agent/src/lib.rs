//! An agent that works with every configured MCP server, itself behind MCP.
//!
//! This is the crate's first slice: the step of an agent's loop in which the model has asked for tools. [`answer`] makes
//! the calls and returns what the model is to see, in the order in which it asked.
//!
//! ```no_run
//! use mcp_agent::{ToolUse, Turn, answer};
//! use mcp_client::{Client, process_environment};
//!
//! # async fn example(asked: Vec<ToolUse>) -> Result<(), mcp_client::Error> {
//! let client = Client::builder(process_environment()?).build();
//! client.start().await;
//! for result in answer(&client, &Turn::new("conversation-1", "anthropic"), asked).await {
//!     println!("{}: {}", result.id, result.text);
//! }
//! # Ok(())
//! # }
//! ```

use futures_util::future::join_all;
use mcp_client::registry::{Effect, Resolution, plan_batches};
use mcp_client::{Call, Client, chain};
use serde_json::Value;

/// Whose turn it is, and in which provider's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The conversation, for which long outputs are kept to be read.
    pub session: String,
    /// The schema profile under which the tools were offered.
    pub profile: String,
}

impl Turn {
    /// A turn of this conversation, with tools offered under this profile.
    pub fn new(session: impl Into<String>, profile: impl Into<String>) -> Self {
        Self { session: session.into(), profile: profile.into() }
    }
}

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
/// Of a long output the model sees the beginning and the end; the rest it reads with [`Client::output_tool`].
///
/// # Cancel safety
///
/// Dropping the future cancels the calls that are running; those already made stay made.
pub async fn answer(client: &Client, turn: &Turn, asked: Vec<ToolUse>) -> Vec<ToolResult> {
    let effects: Vec<Effect> = asked.iter().map(|tool_use| effect(client, &tool_use.name)).collect();
    let mut results = Vec::with_capacity(asked.len());
    for batch in plan_batches(effects) {
        let calls = asked.get(batch.calls).unwrap_or_default();
        results.extend(join_all(calls.iter().map(|tool_use| answer_one(client, turn, tool_use))).await);
    }
    results
}

async fn answer_one(client: &Client, turn: &Turn, tool_use: &ToolUse) -> ToolResult {
    let (text, is_error) = if tool_use.name == Client::OUTPUT_TOOL {
        match client.read_output(&turn.session, tool_use.arguments.clone()) {
            Ok(page) => (page, false),
            Err(error) => (chain(&error), true),
        }
    } else {
        let call = Call::new(&tool_use.name, tool_use.arguments.clone()).for_profile(&turn.profile);
        match client.call_with(call).await {
            Ok(answer) => (client.shorten(&turn.session, answer.text()), answer.is_error()),
            Err(error) => (chain(&error), true),
        }
    };
    ToolResult { id: tool_use.id.clone(), text, is_error }
}

/// What a call would do; an unknown tool does nothing, but is kept in its place all the same.
fn effect(client: &Client, name: &str) -> Effect {
    match client.tools().resolve(name) {
        Resolution::Exact(tool) => tool.effect,
        Resolution::Unknown { .. } if name == Client::OUTPUT_TOOL => Effect::ReadOnly,
        Resolution::Ambiguous(_) | Resolution::Held(_) | Resolution::Unknown { .. } => Effect::Mutating,
    }
}
