//! The registry as it was at one moment.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::effect::Effect;
use crate::error::Problem;
use crate::name::{NameStyle, ToolName};
use crate::pin::Standing;
use crate::rules::Request;
use crate::tool::Tool;

/// Who answers a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// The host itself.
    Host,
    /// A server.
    Server,
}

/// A tool that can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registered {
    /// What the model calls.
    pub id: ToolName,
    /// The server's name; empty for a tool of the host.
    pub server: Arc<str>,
    /// The hash of the server's configuration; empty for a tool of the host.
    pub definition: Arc<str>,
    /// The tool as its server describes it.
    pub tool: Arc<Tool>,
    /// What a call does to the world.
    pub effect: Effect,
    /// How the tool stands against the baseline the user approved.
    pub standing: Standing,
    /// Who answers a call.
    pub origin: Origin,
}

impl Registered {
    /// Returns the question [`crate::Rules::decide`] answers about a call of this tool.
    pub fn request<'a>(&'a self, arguments: &'a Value) -> Request<'a> {
        Request {
            server: &self.server,
            definition: &self.definition,
            tool: &self.tool.name,
            effect: self.effect,
            arguments,
            standing: self.standing,
            origin: self.origin,
        }
    }

    /// Returns `server.tool`, or the name alone for a tool of the host.
    pub fn path(&self) -> String {
        match self.origin {
            Origin::Host => self.tool.name.clone(),
            Origin::Server => format!("{}.{}", self.server, self.tool.name),
        }
    }
}

/// A tool that its server offers and nobody has approved: it cannot be called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HeldTool {
    /// The id it will have.
    pub id: ToolName,
    /// The server's name.
    pub server: Arc<str>,
    /// The server's name for it.
    pub name: String,
}

/// The tools one server offers, sorted by the server's name for them.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    pub(crate) definition: Arc<str>,
    pub(crate) tools: Vec<Arc<Registered>>,
    pub(crate) held: Vec<HeldTool>,
    pub(crate) instructions_held: bool,
}

impl Offer {
    pub(crate) fn tool(&self, name: &str) -> Option<&Registered> {
        let position = self.tools.binary_search_by(|tool| tool.tool.name.as_str().cmp(name)).ok()?;
        self.tools.get(position).map(AsRef::as_ref)
    }
}

/// Everything a snapshot shows. The index is made when it is first asked for, so connecting a hundred servers one by one
/// does not sort their tools a hundred times.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) revision: u64,
    pub(crate) style: NameStyle,
    pub(crate) built_ins: BTreeMap<ToolName, Arc<Registered>>,
    pub(crate) servers: BTreeMap<Arc<str>, Arc<Offer>>,
    index: OnceLock<Index>,
    definitions: OnceLock<Arc<str>>,
}

impl State {
    pub(crate) fn new(style: NameStyle) -> Self {
        Self {
            revision: 0,
            style,
            built_ins: BTreeMap::new(),
            servers: BTreeMap::new(),
            index: OnceLock::new(),
            definitions: OnceLock::new(),
        }
    }

    /// Returns the same tools one revision later.
    pub(crate) fn successor(&self) -> Self {
        Self {
            revision: self.revision + 1,
            built_ins: self.built_ins.clone(),
            servers: self.servers.clone(),
            ..Self::new(self.style)
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self))
    }
}

/// All tools by id.
#[derive(Debug)]
struct Index {
    by_id: Vec<Arc<Registered>>,
    problems: Vec<Problem>,
}

impl Index {
    fn new(state: &State) -> Self {
        let from_servers = state.servers.values().flat_map(|offer| &offer.tools);
        let mut tools: Vec<_> = state.built_ins.values().chain(from_servers).cloned().collect();
        tools.sort_by(|left, right| left.id.cmp(&right.id));
        let mut by_id: Vec<Arc<Registered>> = Vec::with_capacity(tools.len());
        let mut problems = Vec::new();
        for same in tools.chunk_by(|left, right| left.id == right.id) {
            match same {
                [only] => by_id.push(Arc::clone(only)),
                // Two names whose 64-bit hashes agree were made to agree. Neither may pass for the other.
                several => problems.extend(several.iter().map(|tool| {
                    let message = format!("withheld: another tool has the id `{}` too, rename the server", tool.id);
                    Problem::new(tool.path(), message)
                })),
            }
        }
        Self { by_id, problems }
    }
}

/// The registry as it was at one moment: immutable, and cheap to clone and to send to another thread.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) state: Arc<State>,
}

impl Snapshot {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self { state }
    }

    /// Returns the registry's revision, which grows by one with each change. Two snapshots of one registry that have the
    /// same revision are equal.
    pub fn revision(&self) -> u64 {
        self.state.revision
    }

    /// Whether both are the very same snapshot.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// Returns every tool, sorted by id.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Registered> {
        self.state.index().by_id.iter().map(AsRef::as_ref)
    }

    /// Returns how many tools there are.
    pub fn len(&self) -> usize {
        self.state.index().by_id.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the tool of this id.
    pub fn tool(&self, id: &str) -> Option<&Registered> {
        let by_id = &self.state.index().by_id;
        let position = by_id.binary_search_by(|tool| tool.id.as_str().cmp(id)).ok()?;
        by_id.get(position).map(AsRef::as_ref)
    }

    /// Returns the names of the servers that have tools registered, sorted.
    pub fn servers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.state.servers.keys().map(AsRef::as_ref)
    }

    /// Returns the definition under which a server is registered.
    pub fn definition(&self, server: &str) -> Option<&str> {
        self.state.servers.get(server).map(|offer| &*offer.definition)
    }

    /// Returns the tools of one server, sorted by the server's names for them.
    pub fn server_tools(&self, server: &str) -> impl Iterator<Item = &Registered> {
        let offered = self.state.servers.get(server).into_iter().flat_map(|offer| &offer.tools);
        offered.map(AsRef::as_ref).filter(|tool| self.tool(tool.id.as_str()).is_some())
    }

    /// Returns the tools that are held back until a person approves them, by server and name.
    pub fn held(&self) -> impl Iterator<Item = &HeldTool> {
        self.state.servers.values().flat_map(|offer| &offer.held)
    }

    /// Returns tools that are withheld although their servers offer them, and why.
    pub fn problems(&self) -> &[Problem] {
        &self.state.index().problems
    }

    /// Returns what a provider is told about the tools, as a JSON array of `{"name", "description", "input_schema"}`
    /// sorted by name, with the schemas byte for byte as the servers sent them.
    ///
    /// The bytes depend on the tools alone, not on the order in which servers arrived, and are made once per revision.
    /// Conversion for one provider's dialect starts from here; [`crate::Cached`] keeps its result for the revision.
    pub fn definitions(&self) -> Arc<str> {
        Arc::clone(self.state.definitions.get_or_init(|| definitions_of(self.tools())))
    }
}

/// Writes tools as a provider-neutral JSON array.
pub(crate) fn definitions_of<'a>(tools: impl Iterator<Item = &'a Registered>) -> Arc<str> {
    #[derive(Serialize)]
    struct Definition<'a> {
        name: &'a ToolName,
        description: &'a str,
        input_schema: &'a RawValue,
    }
    let definitions: Vec<_> = tools
        .map(|registered| Definition {
            name: &registered.id,
            description: registered.tool.description.as_deref().unwrap_or_default(),
            input_schema: &registered.tool.input_schema,
        })
        .collect();
    serde_json::to_string(&definitions).expect("names, texts and raw JSON serialise").into()
}

#[cfg(test)]
mod tests;
