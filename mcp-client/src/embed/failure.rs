//! Why a backend does not answer.

use std::error::Error as StdError;
use std::path::PathBuf;
use std::time::Duration;

/// Why the leg that searches by meaning is off.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A program cannot be started.
    #[error("cannot start `{}`", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There was no answer in time.
    #[error("`{backend}` did not answer within {} s", .after.as_secs_f64())]
    Silent {
        /// The program or address.
        backend: String,
        /// How long it was given.
        after: Duration,
    },
    /// The connection or the pipe broke.
    #[error("the connection to `{backend}` broke")]
    Broken {
        /// The program or address.
        backend: String,
        /// What happened.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A program ended.
    #[error("`{backend}` ended")]
    Ended {
        /// The program.
        backend: String,
    },
    /// An answer is longer than any honest one.
    #[error("`{backend}` answered with more than {limit} bytes")]
    TooLong {
        /// The program or address.
        backend: String,
        /// The most that is read.
        limit: usize,
    },
    /// An answer is not what the protocol says.
    #[error("`{backend}` answered with something else than {expected}")]
    Answer {
        /// The program or address.
        backend: String,
        /// What was expected.
        expected: &'static str,
        /// What is wrong with it, if it is no JSON of that shape.
        source: Option<serde_json::Error>,
    },
    /// The backend said no.
    #[error("`{backend}` refused: {message}")]
    Refused {
        /// The program or address.
        backend: String,
        /// Its words, cut to 200 characters, or the HTTP status.
        message: String,
    },
    /// The program has no model, only a stand-in for tests whose vectors mean nothing.
    #[error("`{backend}` uses its mock embedder, whose vectors mean nothing")]
    Mock {
        /// The program.
        backend: String,
    },
    /// The program is of a version whose protocol is not known.
    #[error("`{backend}` is version `{found}`; versions from 0.1 up to, not including, 1.0 are understood")]
    Version {
        /// The program.
        backend: String,
        /// What it says it is, cut to 200 characters.
        found: String,
    },
    /// An address is no URL that can be used.
    #[error("`{address}` is no address of an embeddings endpoint: {reason}")]
    Address {
        /// The address.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file is no part of an embedding model that can be used.
    #[cfg(feature = "embedding-model")]
    #[error("cannot use `{}` as an embedding model: {reason}", .path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What was expected, and what to do.
        reason: String,
        /// What is wrong with it, in the words of whoever read it.
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
    /// What a model gave cannot be compared.
    #[error(transparent)]
    Vectors(#[from] mcp_search::Error),
}

#[cfg(feature = "embedding-model")]
impl Failure {
    /// That this file is no part of a model, for a reason of our own.
    pub(super) fn model(path: impl Into<PathBuf>, reason: &str) -> Self {
        Self::Model { path: path.into(), reason: reason.to_owned(), source: None }
    }
}

/// The beginning of a backend's own words.
#[cfg(any(feature = "embsearch", feature = "embedding-endpoint"))]
pub(super) fn quoted(text: &str) -> String {
    text.trim().chars().take(200).collect()
}
