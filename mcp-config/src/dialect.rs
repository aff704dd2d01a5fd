//! One reader per host's dialect, all ending in the same [`ServerConfig`](crate::ServerConfig).
//!
//! No two hosts agree on the container, the field names, the transport names, what a bare `url` means, the unit of a
//! time-out or the spelling of a variable. Each host's choices are in a file of its own, which cites the vendor's
//! documentation; what they share is in [`shape`] and [`fields`].

mod claude;
mod fields;
mod reader;
mod shape;
mod toolkit;

pub(crate) use reader::{Reader, bad_name};

use crate::document::{Node, Notation};

/// How a file is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `.mcp.json`, `.agents/mcp.json`, `--config`.
    Toolkit,
    /// `~/.claude.json`: the user's servers, and those of the current project.
    Claude,
}

impl Dialect {
    pub(crate) fn notation(self) -> Notation {
        match self {
            Self::Toolkit | Self::Claude => Notation::Jsonc,
        }
    }

    /// Reads a document's servers into `reader`.
    pub(crate) fn read(self, document: &Node, reader: &mut Reader<'_>) {
        match self {
            Self::Toolkit => toolkit::read(document, reader),
            Self::Claude => claude::read(document, reader),
        }
    }
}
