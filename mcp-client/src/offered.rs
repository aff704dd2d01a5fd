//! What a server offers on a connection: its tools, its prompts, and what it says about itself.

use mcp_config::ToolFilter;
use mcp_registry::{Surface, Tool};
use mcp_transport::Connection;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::left_out;
use crate::status::RejectedTool;

/// A server's lists, each item read on its own: one that breaks the protocol is left out and named.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) tools: Vec<Tool>,
    pub(crate) rejected: Vec<RejectedTool>,
    /// What else is missing, and why.
    pub(crate) left_out: Vec<String>,
    prompts: Vec<(String, Box<RawValue>)>,
}

impl Offered {
    /// Lists what the configuration lets through.
    ///
    /// # Errors
    ///
    /// The server's tools cannot be listed. Without its prompts one can do.
    pub(crate) async fn list(connection: &Connection, filter: &ToolFilter) -> Result<Self, mcp_transport::Error> {
        let listing = connection.list_tools().await?;
        let mut left_out = left_out::of(&listing, filter);
        let mut rejected: Vec<RejectedTool> = listing.rejected.into_iter().map(RejectedTool::from).collect();
        let mut tools = Vec::with_capacity(listing.items.len());
        for wire in listing.items.into_iter().filter(|tool| filter.permits(&tool.name)) {
            match Tool::parse(wire.raw) {
                Ok((tool, _)) => tools.push(tool),
                Err(error) => rejected.push(RejectedTool { tool: Some(wire.name), reason: error.to_string() }),
            }
        }
        let (prompts, lacking) = prompts(connection).await;
        left_out.extend(lacking.map(|reason| left_out::of_prompts(&reason)));
        Ok(Self { tools, rejected, left_out, prompts })
    }

    /// What approving the server approves.
    pub(crate) fn surface<'a>(&'a self, connection: &'a Connection) -> Surface<'a> {
        Surface { tools: &self.tools, prompts: &self.prompts, instructions: connection.instructions() }
    }
}

/// The server's prompts, and why they are not all of them.
async fn prompts(connection: &Connection) -> (Vec<(String, Box<RawValue>)>, Option<String>) {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    #[derive(Deserialize)]
    struct Capabilities<'a> {
        #[serde(borrow)]
        prompts: Option<&'a RawValue>,
    }
    // Asking a server for what it does not have costs a round trip at every start.
    let has_prompts = connection
        .capabilities()
        .and_then(|raw| serde_json::from_str::<Capabilities<'_>>(raw.get()).ok())
        .is_some_and(|capabilities| capabilities.prompts.is_some());
    if !has_prompts {
        return (Vec::new(), None);
    }
    let (listed, lacking) = match connection.list_prompts().await {
        Ok(listing) => (listing.items, listing.incomplete),
        Err(error) => (Vec::new(), Some(crate::error::chain(&error))),
    };
    let named = |raw: Box<RawValue>| serde_json::from_str::<Named>(raw.get()).ok().map(|named| (named.name, raw));
    (listed.into_iter().filter_map(named).collect(), lacking)
}
