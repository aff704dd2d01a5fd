//! What can go wrong.

use std::error::Error as StdError;

/// An error of this crate. Searching by words never fails; vectors come from outside and may be wrong, and so may
/// requests.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model could not be asked or gave no answer.
    #[error("the embedding model `{model}` failed")]
    Embed {
        /// The model's name.
        model: String,
        /// What happened.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The model gave another number of vectors than it was given texts.
    #[error("the embedding model `{model}` gave {found} vectors for {expected} texts")]
    VectorCount {
        /// The model's name.
        model: String,
        /// The number of texts.
        expected: usize,
        /// The number of vectors.
        found: usize,
    },
    /// A vector has another length than the ones before it.
    #[error("the embedding model `{model}` gave a vector of {found} numbers, where others have {expected}")]
    VectorLength {
        /// The model's name.
        model: String,
        /// The length of the others.
        expected: usize,
        /// The length of this one.
        found: usize,
    },
    /// A vector holds an infinite number, something that is not a number, or nothing but zeros.
    #[error("the embedding model `{model}` gave a vector that has no direction")]
    VectorDirection {
        /// The model's name.
        model: String,
    },
    /// A content key is not 64 hexadecimal digits.
    #[error("`{text}` is no content key, which has 64 hexadecimal digits")]
    ContentKey {
        /// The text, cut to 80 characters.
        text: String,
    },
    /// A request to the resolver names no tool and describes none.
    #[error("give `names`, the tools you need, or `query`, what you need a tool for")]
    EmptyRequest,
}
