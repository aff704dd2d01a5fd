//! From what a model or a person wrote to the tool it means.

use crate::snapshot::{HeldTool, Registered, Snapshot};

/// What a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution<'a> {
    /// One tool.
    Exact(&'a Registered),
    /// Several tools, sorted by id: the reference must say which.
    Ambiguous(Vec<&'a Registered>),
    /// Tools that nobody has approved, by id; one of a name like that may be called besides, but was hardly meant.
    Held(Vec<&'a HeldTool>),
    /// No tool. A mistyped name is never guessed: what comes closest is for a person or a model to choose from.
    Unknown {
        /// Up to three ids that come closest, the closest first.
        nearest: Vec<&'a str>,
    },
}

impl<'a> Resolution<'a> {
    /// Returns the tool, if the reference means exactly one.
    pub fn exact(&self) -> Option<&'a Registered> {
        match self {
            Self::Exact(tool) => Some(tool),
            Self::Ambiguous(_) | Self::Held(_) | Self::Unknown { .. } => None,
        }
    }
}

/// How many near misses are worth reading.
const NEAREST: usize = 3;

/// Names less alike than this are not near (1 is equal).
const LIKENESS: f64 = 0.7;

/// References longer than this many characters are not compared with every name.
const LONGEST_COMPARED: usize = 256;

impl Snapshot {
    /// Finds the tool a reference means. In this order:
    ///
    /// 1. an id, or the name of a built-in tool;
    /// 2. `server.tool` or `server tool`, split wherever that gives a registered pair, and a tool's bare name on any
    ///    server. One tool is exact; several are ambiguous, whichever way they are meant. Where it could mean a tool that is held
    ///    back, it is that one: otherwise a change of one server would give its name to another.
    pub fn resolve(&self, reference: &str) -> Resolution<'_> {
        if self.tool(reference).is_some() {
            return self.resolve_among(reference, &|_| true);
        }
        let means = |tool: &&HeldTool| {
            let path = reference.strip_prefix(&*tool.server).and_then(|rest| rest.strip_prefix(['.', ' ']));
            tool.id == reference || tool.name == reference || path == Some(&tool.name)
        };
        held_or(self.held().filter(means).collect(), || self.resolve_among(reference, &|_| true))
    }

    /// Finds the tool of one server by the server's name for it.
    pub fn resolve_in(&self, server: &str, tool: &str) -> Resolution<'_> {
        let held = self.held().filter(|held| &*held.server == server && held.name == tool).collect();
        held_or(held, || self.resolve_among_one(server, tool))
    }

    fn resolve_among_one(&self, server: &str, tool: &str) -> Resolution<'_> {
        let found = self.offered(server, tool).into_iter().collect();
        self.judge(found, &format!("{server}.{tool}"), &|_| true)
    }

    /// Finds the tool a reference means among those that somebody may see.
    pub(crate) fn resolve_among(&self, reference: &str, visible: &dyn Fn(&Registered) -> bool) -> Resolution<'_> {
        if let Some(tool) = self.tool(reference).filter(|tool| visible(tool)) {
            return Resolution::Exact(tool);
        }
        let mut found: Vec<&Registered> = reference
            .match_indices(['.', ' '])
            .filter_map(|(position, separator)| {
                let (server, rest) = reference.split_at_checked(position)?;
                self.offered(server, rest.strip_prefix(separator)?)
            })
            .collect();
        found.extend(self.state.servers.values().filter_map(|offer| offer.tool(reference)));
        self.judge(found, reference, visible)
    }

    fn offered(&self, server: &str, tool: &str) -> Option<&Registered> {
        self.state.servers.get(server)?.tool(tool)
    }

    fn judge<'a>(
        &'a self,
        mut found: Vec<&'a Registered>,
        reference: &str,
        visible: &dyn Fn(&Registered) -> bool,
    ) -> Resolution<'a> {
        found.retain(|tool| self.tool(tool.id.as_str()).is_some() && visible(tool));
        found.sort_by(|left, right| left.id.cmp(&right.id));
        match found.as_slice() {
            [] => Resolution::Unknown { nearest: self.nearest(reference, visible) },
            [only] => Resolution::Exact(only),
            _ => Resolution::Ambiguous(found),
        }
    }

    fn nearest(&self, reference: &str, visible: &dyn Fn(&Registered) -> bool) -> Vec<&str> {
        if reference.chars().count() > LONGEST_COMPARED {
            return Vec::new();
        }
        let reference = reference.to_lowercase();
        let mut near: Vec<(f64, &str)> = self
            .tools()
            .filter(|tool| visible(tool))
            .map(|tool| (likeness(&reference, tool), tool.id.as_str()))
            .filter(|(likeness, _)| *likeness >= LIKENESS)
            .collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
        near.into_iter().take(NEAREST).map(|(_, id)| id).collect()
    }
}

/// Returns the tools that are held back, or the other meaning if there are none.
fn held_or<'a>(mut held: Vec<&'a HeldTool>, otherwise: impl FnOnce() -> Resolution<'a>) -> Resolution<'a> {
    if held.is_empty() {
        return otherwise();
    }
    held.sort_by(|left, right| left.id.cmp(&right.id));
    Resolution::Held(held)
}

/// Returns how alike a reference is to the closest of a tool's spellings, from 0 to 1.
fn likeness(reference: &str, tool: &Registered) -> f64 {
    [tool.id.to_string(), tool.path(), tool.tool.name.clone()]
        .iter()
        .filter(|spelling| spelling.len() <= 4 * LONGEST_COMPARED)
        .map(|spelling| strsim::normalized_damerau_levenshtein(reference, &spelling.to_lowercase()))
        .fold(0.0, f64::max)
}
