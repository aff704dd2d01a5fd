//! How a server differs from what was approved, and what follows.

use std::collections::BTreeMap;
use std::fmt;

use crate::pin::standing::{PinPolicy, Standing};
use crate::pin::surface::Surface;
use crate::tool::Tool;

/// What a change is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Pin {
    /// A tool, by the server's name for it.
    Tool(String),
    /// A prompt, by name.
    Prompt(String),
    /// The server's instructions.
    Instructions,
}

impl fmt::Display for Pin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(name) => write!(formatter, "tool `{name}`"),
            Self::Prompt(name) => write!(formatter, "prompt `{name}`"),
            Self::Instructions => formatter.write_str("instructions"),
        }
    }
}

/// What happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DriftKind {
    /// It was not there when the server was approved.
    Added,
    /// It is gone.
    Removed,
    /// A tool's title, description, annotations or metadata are others; what it takes and returns is the same.
    Reworded,
    /// As [`Reworded`](Self::Reworded), and the tool began to call itself read-only.
    BecameReadOnly,
    /// It is another; of a tool, what it takes or returns.
    Changed,
}

impl fmt::Display for DriftKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Added => "is new",
            Self::Removed => "is gone",
            Self::Reworded => "is described otherwise",
            Self::BecameReadOnly => "is described otherwise and now calls itself read-only",
            Self::Changed => "changed",
        })
    }
}

/// One difference from the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DriftEntry {
    /// What changed.
    pub pin: Pin,
    /// How.
    pub kind: DriftKind,
    /// How it stands now. What a model is not told of by this toolkit, and what is gone, is [`Standing::Noted`].
    pub standing: Standing,
}

/// What a server is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Basis {
    /// What was approved of it.
    #[default]
    Approved,
    /// Nothing: the baseline was taken of another definition of the server.
    Redefined,
    /// Nothing: it cannot be told what was approved.
    Unknown,
}

/// What a model may be told of a server's instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Instructions {
    /// What the server gave.
    #[default]
    AsGiven,
    /// What was approved.
    Approved(String),
    /// Nothing: what the server gave was not approved, and what was approved is not there or not kept.
    Held,
}

impl Instructions {
    /// Returns the text for a model, from the one that the server gave.
    pub fn spoken<'a>(&'a self, given: Option<&'a str>) -> Option<&'a str> {
        match self {
            Self::AsGiven => given,
            Self::Approved(text) => Some(text),
            Self::Held => None,
        }
    }
}

/// How a server differs from what was approved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drift {
    /// What it was compared with. If that is nothing, there are no entries, and no tool is as it was approved.
    pub basis: Basis,
    /// The differences: tools, prompts, instructions; each sorted by name.
    pub entries: Vec<DriftEntry>,
    /// How each tool stands that is not simply approved.
    pub standings: BTreeMap<String, Standing>,
    /// The tools that are [`Standing::Reworded`], in the words that were approved.
    pub words: BTreeMap<String, Tool>,
    /// What a model may be told of the instructions.
    pub instructions: Instructions,
}

impl Drift {
    /// How a server stands of which nobody can tell what was approved: the policy holds for everything it says.
    pub fn unknown(surface: Surface<'_>, policy: PinPolicy) -> Self {
        Self::without_basis(Basis::Unknown, surface, policy)
    }

    pub(super) fn without_basis(basis: Basis, surface: Surface<'_>, policy: PinPolicy) -> Self {
        let standings = surface.tools.iter().map(|tool| (tool.name.clone(), policy.standing()));
        let is_held = policy == PinPolicy::Hold && surface.instructions.is_some();
        let instructions = if is_held { Instructions::Held } else { Instructions::AsGiven };
        Self { basis, standings: standings.collect(), instructions, ..Self::default() }
    }

    /// Whether the server is as it was approved.
    pub fn is_empty(&self) -> bool {
        self.basis == Basis::Approved && self.entries.is_empty()
    }

    /// Returns the names of the tools that stand like this, sorted.
    pub fn tools_that_are(&self, wanted: Standing) -> impl Iterator<Item = &str> {
        self.standings.iter().filter(move |(_, standing)| **standing == wanted).map(|(name, _)| name.as_str())
    }
}
