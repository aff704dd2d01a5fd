//! The files that are written, and what each calls things.

use super::jsonc::{self, Container};
use super::value;
use crate::document::{self, Notation};
use crate::error::Error;
use crate::new_server::NewServer;
use crate::problem::{Problem, ProblemKind, Severity};

/// A file this crate writes. Other hosts' state files are read and never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileFormat {
    /// `~/.agents/mcp.json` and `./.mcp.json`: `mcpServers`, or the bare map such a file may already be.
    McpServers,
}

impl FileFormat {
    fn container(self) -> Container {
        match self {
            Self::McpServers => Container::MapOrBare("mcpServers"),
        }
    }

    fn notation(self) -> Notation {
        match self {
            Self::McpServers => Notation::Jsonc,
        }
    }

    /// Tells whether a text can be edited: it parses, and where the servers go there is nothing else.
    pub(super) fn check(self, text: &str) -> Result<(), Problem> {
        let Some(document) = document::parse(text, self.notation())? else { return Ok(()) };
        if document.members().is_none() {
            let message = format!("expected an object, found {}", document.type_name());
            return Err(Problem::new(Severity::Error, ProblemKind::Shape, message).at_position(document.position));
        }
        self.container().check(&document)
    }

    pub(super) fn contains(self, text: &str, name: &str) -> bool {
        match document::parse(text, self.notation()) {
            Ok(Some(document)) => self.container().contains(&document, name),
            Ok(None) | Err(_) => false,
        }
    }

    pub(super) fn add(self, text: &str, name: &str, server: &NewServer) -> Result<String, Error> {
        match self {
            Self::McpServers => Ok(jsonc::add(text, self.container(), name, value::mcp_servers(server))),
        }
    }

    pub(super) fn remove(self, text: &str, name: &str) -> String {
        match self {
            Self::McpServers => jsonc::remove(text, self.container(), name),
        }
    }

    pub(super) fn set_enabled(self, text: &str, name: &str, enabled: bool) -> Result<String, Error> {
        match self {
            Self::McpServers => Ok(jsonc::set_enabled(text, self.container(), name, enabled)),
        }
    }
}
