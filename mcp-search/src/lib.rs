//! Finds the right tool among thousands, so that their schemas can be withheld until they are needed.
//!
//! ```
//! use mcp_search::{Document, Index, Options};
//!
//! let mut index = Index::new(Options::default());
//! index.insert(Document {
//!     id: "mcp__github__create_issue".to_owned(),
//!     server: "github".to_owned(),
//!     name: "create_issue".to_owned(),
//!     description: "Open a new issue in a repository.".to_owned(),
//!     ..Document::default()
//! });
//! let answer = index.search("file a bug as an issue", 5, &|_id| true);
//! assert_eq!(answer.hits[0].id, "mcp__github__create_issue");
//! ```

mod abbreviations;
mod answer;
mod catalog;
mod clauses;
mod deferral;
mod document;
mod embed;
mod error;
mod evidence;
#[cfg(feature = "hoocode")]
mod hoocode;
mod index;
mod names;
mod nearest;
mod options;
mod postings;
mod query;
mod quoted;
mod ranking;
mod reading;
mod resolution;
mod resolver;
mod similarities;
mod spelling;
mod stem;
mod stop_words;
mod thesaurus;
mod tokenizer;
mod vectors;
mod vocabulary;

pub use answer::{Ambiguous, Answer, Hit, Leg, LegReport, LegState, Match, Unknown};
pub use catalog::{Catalog, CatalogOptions};
pub use deferral::{
    CachePrices, Deferral, DeferralDecision, DeferralReason, Situation, ToolCost, break_even_requests, estimate_tokens,
    tokens_by_server,
};
pub use document::{Document, Field};
pub use embed::Embed;
pub use error::Error;
#[cfg(feature = "hoocode")]
pub use hoocode::{HoocodeIndex, fuse_ranks};
pub use index::Index;
pub use options::{Options, Weights};
pub use query::phrases;
pub use resolution::{Resolution, ResolvedTool};
pub use resolver::{ResolveRequest, Surroundings, ToolResolver};
pub use similarities::{Dense, Similarities};
pub use vectors::{ContentKey, Missing, Vectors};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
