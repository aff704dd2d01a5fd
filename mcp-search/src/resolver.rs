//! The tool by which a model asks for tools.
//!
//! A host that withholds schemas sends one tool besides those that are always loaded: `ResolveMcpTools`, whose
//! description holds the [`Catalog`]. The model names tools or says what it needs; the host adds what is found to the
//! tools of the next request *of the same turn*. Found tools stay, in the order they were found, so that the list only
//! ever grows at its end.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};

use crate::answer::{Ambiguous, Leg, LegReport, LegState, Unknown};
use crate::catalog::Catalog;
use crate::error::Error;
#[cfg(feature = "hoocode")]
use crate::hoocode::SharedNames;
use crate::index::Index;
use crate::quoted::first_line;
use crate::resolution::{Resolution, ResolvedTool};
use crate::similarities::Dense;

/// How many tools a query resolves unless the request says otherwise.
const DEFAULT_LIMIT: usize = 5;
/// How many tools a query resolves at most.
const MOST: usize = 50;
/// How many names one request may give.
const NAMES: usize = 100;
/// How long the line about a tool may be, in characters of its description.
const SUMMARY_CHARACTERS: usize = 120;

/// What a model asks the resolver for; the arguments of a call of [`ToolResolver::NAME`].
///
/// ```
/// let request: mcp_search::ResolveRequest = serde_json::from_str(r#"{"query": "send an e-mail"}"#)?;
/// assert_eq!(request.limit, 5);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolveRequest {
    /// Names of tools: ids, or bare names where only one tool has it. A single text counts as one name. At most 100 are
    /// read.
    #[serde(default, deserialize_with = "one_or_many")]
    pub names: Vec<String>,
    /// What a tool is needed for.
    #[serde(default)]
    pub query: Option<String>,
    /// How many tools the query may resolve: 5 by default, at least 1, at most 50. Tools given by name do not count.
    #[serde(default = "default_limit")]
    pub limit: usize,
}

impl Default for ResolveRequest {
    fn default() -> Self {
        Self { names: Vec::new(), query: None, limit: DEFAULT_LIMIT }
    }
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "`names` is a list of names")]
    enum Names {
        Nothing(()),
        One(String),
        Many(Vec<String>),
    }
    Ok(match Names::deserialize(deserializer)? {
        Names::Nothing(()) => Vec::new(),
        Names::One(name) => vec![name],
        Names::Many(names) => names,
    })
}

/// What a request is answered from.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The tools there are.
    pub index: &'a Index,
    /// Which tools may be used, by id. Others are not found, named or counted.
    pub filter: &'a dyn Fn(&str) -> bool,
    /// What is known about meaning, for this request's query.
    pub dense: Dense<'a>,
    /// The servers that are still connecting: what is not found may yet come.
    pub pending: &'a [String],
}

impl std::fmt::Debug for Surroundings<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Surroundings");
        shown.field("tools", &self.index.len()).field("dense", &self.dense).field("pending", &self.pending);
        shown.finish_non_exhaustive()
    }
}

/// Answers requests for tools, and remembers what was resolved in a conversation.
#[derive(Clone, Debug, Default)]
pub struct ToolResolver {
    resolved: Vec<String>,
    known: BTreeSet<String>,
    #[cfg(feature = "hoocode")]
    shared_names: SharedNames,
}

impl ToolResolver {
    /// The name under which the resolver is offered to a model.
    pub const NAME: &'static str = "ResolveMcpTools";

    /// The JSON Schema of the resolver's arguments, a [`ResolveRequest`].
    pub const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"description":"Names of the tools you need."},"query":{"type":"string","description":"What you need a tool for, in a few words."},"limit":{"type":"integer","minimum":1,"maximum":50,"default":5,"description":"How many tools the query may find."}},"additionalProperties":false}"#;

    /// Starts a conversation, in which nothing is resolved yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says what comes of a name that several tools have. They are listed unless this says otherwise.
    #[cfg(feature = "hoocode")]
    #[must_use]
    pub fn with_shared_names(mut self, shared_names: SharedNames) -> Self {
        self.shared_names = shared_names;
        self
    }

    #[cfg(feature = "hoocode")]
    fn resolves_shared_names(&self) -> bool {
        self.shared_names == SharedNames::ResolveAll
    }

    #[cfg(not(feature = "hoocode"))]
    #[expect(clippy::unused_self, reason = "the `hoocode` feature decides by the resolver")]
    fn resolves_shared_names(&self) -> bool {
        false
    }

    /// The description of the resolver for a model, with the list of tools in it.
    pub fn description(catalog: &Catalog) -> String {
        format!(
            "Loads the definitions of MCP tools, which are left out of this conversation until they are needed. Give `names` \
             for tools that you know by name, or `query` to find tools by what they do. What is found can be called right \
             after.\nTools:\n{catalog}"
        )
    }

    /// The ids of all tools resolved so far, in the order they were: append these to the tools of a request.
    pub fn resolved(&self) -> &[String] {
        &self.resolved
    }

    /// Finds what is asked for, by names first and then by the query.
    ///
    /// # Errors
    /// [`Error::EmptyRequest`] if the request gives neither a name nor a query; its text is meant for the model.
    pub fn resolve(&mut self, request: &ResolveRequest, surroundings: &Surroundings<'_>) -> Result<Resolution, Error> {
        let query = request.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
        let names = request.names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).take(NAMES);
        let names: Vec<&str> = names.collect();
        if names.is_empty() && query.is_none() {
            return Err(Error::EmptyRequest);
        }
        let mut found = Found::default();
        for name in names {
            found.by_name(name, surroundings, self.resolves_shared_names());
        }
        if let Some(query) = query {
            found.by_query(query, request.limit.clamp(1, MOST), surroundings);
        }
        Ok(self.keep(found, query, surroundings))
    }

    fn keep(&mut self, found: Found, query: Option<&str>, surroundings: &Surroundings<'_>) -> Resolution {
        let mut tools = Vec::new();
        for document in found.ids.iter().filter_map(|id| surroundings.index.document(id)) {
            let is_new = self.known.insert(document.id.clone());
            if is_new {
                self.resolved.push(document.id.clone());
            }
            let summary = first_line(&document.description, SUMMARY_CHARACTERS);
            tools.push(ResolvedTool { id: document.id.clone(), server: document.server.clone(), summary, is_new });
        }
        let nothing = tools.is_empty() && found.ambiguous.is_empty();
        Resolution {
            more: found.total.saturating_sub(tools.len()),
            tools,
            query: query.map(str::to_owned),
            legs: found.legs,
            ambiguous: found.ambiguous,
            unknown: found.unknown,
            pending: surroundings.pending.to_vec(),
            servers: if nothing { servers(surroundings) } else { Vec::new() },
        }
    }
}

/// The servers with admitted tools, sorted.
fn servers(surroundings: &Surroundings<'_>) -> Vec<String> {
    let admitted = surroundings.index.documents().filter(|document| (surroundings.filter)(&document.id));
    admitted.map(|document| document.server.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What was found so far, each tool once.
#[derive(Default)]
struct Found {
    ids: Vec<String>,
    seen: BTreeSet<String>,
    total: usize,
    legs: Vec<LegReport>,
    ambiguous: Vec<Ambiguous>,
    unknown: Vec<Unknown>,
}

impl Found {
    fn add(&mut self, id: &str) -> bool {
        let is_new = self.seen.insert(id.to_owned());
        if is_new {
            self.ids.push(id.to_owned());
        }
        is_new
    }

    fn by_name(&mut self, name: &str, surroundings: &Surroundings<'_>, resolves_shared_names: bool) {
        let index = surroundings.index;
        let ids: Vec<&str> =
            index.find(name, surroundings.filter).into_iter().filter_map(|place| index.id(place)).collect();
        match ids.as_slice() {
            [] => {
                let nearest = index.nearest_allowed(name, surroundings.filter);
                self.unknown.push(Unknown { name: name.to_owned(), nearest });
            }
            [id] => self.total += usize::from(self.add(id)),
            several if resolves_shared_names => {
                self.total += several.iter().filter(|id| self.add(id)).count();
            }
            several => {
                let candidates = several.iter().map(|id| (*id).to_owned()).collect();
                self.ambiguous.push(Ambiguous { name: name.to_owned(), candidates });
            }
        }
        if self.legs.is_empty() {
            self.legs.push(LegReport { leg: Leg::Exact, state: LegState::Answered { matched: 0 } });
        }
        if let Some(LegReport { state: LegState::Answered { matched }, .. }) = self.legs.first_mut() {
            *matched = self.ids.len();
        }
    }

    fn by_query(&mut self, query: &str, limit: usize, surroundings: &Surroundings<'_>) {
        let answer = surroundings.index.search_with(query, limit, surroundings.filter, surroundings.dense);
        let repeated = answer.hits.iter().filter(|hit| !self.add(&hit.id)).count();
        self.total += answer.total.saturating_sub(repeated);
        self.legs = answer.legs;
        self.unknown.extend(answer.unknown);
    }
}
