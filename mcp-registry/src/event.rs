//! What a change to the registry says to whoever listens.

use crate::error::Problem;
use crate::name::ToolName;

/// What happened to the tools of a server. The registry returns events; its owner broadcasts them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// A server's tools can be called from now on.
    ServerStarted {
        /// The server's name.
        server: String,
        /// How many tools it has registered.
        tool_count: usize,
    },
    /// A server's tools can no longer be called.
    ServerStopped {
        /// The server's name.
        server: String,
        /// Why, where it is known.
        reason: Option<String>,
    },
    /// A server could not be reached or was lost.
    ServerError {
        /// The server's name.
        server: String,
        /// What went wrong, as text from the server or the transport.
        error: String,
    },
    /// Other things than before of what a server says wait for a person's approval; nothing any more, if every list is empty.
    Unapproved {
        /// The server's name.
        server: String,
        /// Ids of tools that are held back, sorted by name.
        held: Vec<ToolName>,
        /// Ids of tools that are offered in the words that were approved, sorted by name.
        reworded: Vec<ToolName>,
        /// Ids of tools whose calls ask, sorted by name.
        asking: Vec<ToolName>,
        /// Whether the instructions are held back, or the approved ones are used.
        instructions: bool,
    },
    /// Something else than before of what a server should offer is missing or passed over: a listing without its end, a tool that
    /// cannot be read, one of a name that is taken, a filter that is about no tool; nothing any more, if `told` is empty.
    LeftOut {
        /// The server's name.
        server: String,
        /// What is missing and why, partly in the server's own words.
        told: Vec<String>,
    },
    /// The tools on offer changed.
    ToolsChanged {
        /// The server's name; empty for the host's own tools.
        server: String,
        /// Ids that are new, sorted.
        added: Vec<ToolName>,
        /// Ids that are gone, sorted.
        removed: Vec<ToolName>,
        /// Ids whose definition, effect or standing is another, sorted.
        changed: Vec<ToolName>,
        /// Whether the provider-facing definitions are other bytes, so that a prompt cache is lost.
        prefix_changed: bool,
    },
}

/// What one operation changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The revision of the registry after the operation.
    pub revision: u64,
    /// Ids that are new, sorted.
    pub added: Vec<ToolName>,
    /// Ids that are gone, sorted.
    pub removed: Vec<ToolName>,
    /// Ids whose definition, effect, standing or server definition is another, sorted.
    pub changed: Vec<ToolName>,
    /// What to broadcast, in this order.
    pub events: Vec<Event>,
    /// Whether [`crate::Snapshot::definitions`] are other bytes than before.
    pub prefix_changed: bool,
    /// Tools that were left out, and why.
    pub problems: Vec<Problem>,
}

impl Change {
    /// Whether the operation left every tool as it was.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}
