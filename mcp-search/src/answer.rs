//! What a search gives back.

use crate::document::Field;

/// The outcome of a search: what was found, how, and what was not.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The tools found, in this order:
    ///
    /// 1. tools asked for by a name that no other tool has, in the order of the query; all are listed, whatever the limit;
    /// 2. tools that share a name asked for, by id, within the limit;
    /// 3. all others by score, equal scores by id, within the limit.
    pub hits: Vec<Hit>,
    /// How many tools matched at all, also beyond the limit.
    pub total: usize,
    /// What each way of searching did, in the order of [`Leg`].
    pub legs: Vec<LegReport>,
    /// Names that several tools have, with all that have them.
    pub ambiguous: Vec<Ambiguous>,
    /// Names asked for with `select:` that no tool has.
    pub unknown: Vec<Unknown>,
}

impl Answer {
    /// Whether more tools matched than are listed.
    pub fn is_truncated(&self) -> bool {
        self.total > self.hits.len()
    }
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The [`Document::id`](crate::Document::id).
    pub id: String,
    /// How well the tool fits, between 0 and 1, comparable within one answer only. Exact names have 1.
    pub score: f32,
    /// Which terms were found where, in the order of [`Field`].
    pub matched: Vec<Match>,
    /// Which way of searching found it.
    pub leg: Leg,
}

/// The terms of a query that one field of a tool holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Match {
    /// The field.
    pub field: Field,
    /// The words, in the order of the query: as typed where the field has the same word or another form of it, and as
    /// the field has it where a related or similarly spelled word was found.
    pub terms: Vec<String>,
}

/// A way of searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leg {
    /// The query names the tool.
    Exact,
    /// The query and the tool share words.
    Lexical,
    /// The query and the tool mean something similar, by an [`Embed`](crate::Embed) model.
    Dense,
}

impl Leg {
    /// The leg's plain name: `exact`, `lexical` or `dense`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lexical => "lexical",
            Self::Dense => "dense",
        }
    }
}

/// What a way of searching did for one query.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LegReport {
    /// The way of searching.
    pub leg: Leg,
    /// What came of it.
    pub state: LegState,
}

/// What came of a way of searching.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LegState {
    /// It answered.
    Answered {
        /// How many tools it matched, also beyond the limit.
        matched: usize,
    },
    /// It did not take part.
    Off {
        /// Why, in words for a person: "no embedding model is configured".
        reason: String,
    },
}

/// A name that more than one tool has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ambiguous {
    /// The name as asked for.
    pub name: String,
    /// The ids of the tools that have it, in order.
    pub candidates: Vec<String>,
}

/// A name that no tool has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unknown {
    /// The name as asked for.
    pub name: String,
    /// The ids of the tools with the most similar names, best first; may be empty.
    pub nearest: Vec<String>,
}
