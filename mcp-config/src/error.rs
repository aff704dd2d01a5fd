//! The one error type of the crate: what stops a write.

use std::io;
use std::path::PathBuf;

use crate::problem::Problem;

/// Why a file could not be written.
///
/// Reading has no error type: what cannot be read becomes a [`Problem`] beside what can.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file, its directory or its lock could not be read, created, or replaced.
    #[error("cannot {action} `{path}`")]
    Io {
        /// What was being done: `read`, `lock`, `write` …
        action: &'static str,
        /// The file it was done to.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The file on disk cannot be understood, so it is left exactly as it is.
    #[error("`{path}` is left unchanged because it cannot be edited safely")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The first thing that is wrong with it.
        #[source]
        problem: Box<Problem>,
    },
    /// A file of the project is a link, or lies behind one, that leads out of the project. What is there is somebody else's.
    #[error("`{path}` leads to `{target}`, outside the project, and is left unchanged")]
    Outside {
        /// The file as it was named.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A name that a server cannot have.
    #[error("`{name}` cannot be a server's name: {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// What was asked for cannot be said in this file's dialect.
    #[error("{format} cannot express {what}")]
    Inexpressible {
        /// The dialect.
        format: &'static str,
        /// What it has no words for.
        what: &'static str,
    },
    /// The words after `add` do not describe a server.
    #[error("{reason}")]
    Arguments {
        /// What was expected.
        reason: String,
    },
    /// A definition from the registry has nothing that can be run here.
    #[error("`{server}` cannot be added: {reason}")]
    Registry {
        /// The server's registry name.
        server: String,
        /// What is missing.
        reason: String,
    },
}
