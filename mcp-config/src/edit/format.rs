//! The files that are written, and what each calls things.

use super::jsonc::{self, Container};
use super::setting::Setting;
use super::{switch, toml, value};
use crate::dialect::{self, ServerMap};
use crate::document::{self, Node, Notation};
use crate::error::Error;
use crate::new_server::NewServer;
use crate::problem::{Problem, ProblemKind, Severity};

/// A file this crate writes. Other hosts' state files are read and never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileFormat {
    /// `~/.agents/mcp.json` and `./.mcp.json`: `mcpServers`, or the bare map such a file may already be.
    McpServers,
    /// `.vscode/mcp.json`: `servers`.
    VsCode,
    /// Codex's `config.toml`: `[mcp_servers.<name>]`.
    Codex,
    /// `FreeCode`'s `~/.freecode/config.json`: the array `mcp.servers`.
    FreeCode,
    /// hoocode's `mcp-servers/<name>.json`: one server, whose name is in the file.
    HoocodeSingle,
    /// This toolkit's settings, of which single members are changed ([`Edit::include`](crate::Edit::include) and its
    /// neighbours), and overlays in `servers`: [`Edit::set_enabled`](crate::Edit::set_enabled) needs no entry there, and
    /// switches a server of any other file on or off. A server's definition cannot be added.
    Settings,
}

impl FileFormat {
    /// Finds where a file keeps its servers, or would.
    fn container(self, document: Option<&Node>) -> Container {
        match self {
            Self::McpServers => match document.map(dialect::container) {
                Some(ServerMap::Bare) => Container::Root,
                _ => Container::Map("mcpServers"),
            },
            Self::VsCode | Self::Settings => Container::Map("servers"),
            Self::Codex => Container::Map("mcp_servers"),
            Self::FreeCode => Container::List("mcp", "servers"),
            Self::HoocodeSingle => Container::Single,
        }
    }

    fn notation(self) -> Notation {
        match self {
            Self::Codex => Notation::Toml,
            Self::McpServers | Self::VsCode | Self::FreeCode | Self::HoocodeSingle | Self::Settings => Notation::Jsonc,
        }
    }

    /// Parses a text that can be edited: where the servers go there is nothing else.
    pub(super) fn check(self, text: &str) -> Result<Option<Node>, Problem> {
        let Some(document) = document::parse(text, self.notation())? else { return Ok(None) };
        if document.members().is_none() {
            let message = format!("expected an object, found {}", document.type_name());
            return Err(Problem::new(Severity::Error, ProblemKind::Shape, message).at_position(document.position));
        }
        self.container(Some(&document)).check(&document)?;
        let Some((expected, found, host)) = self.foreign_container(&document) else { return Ok(Some(document)) };
        // Beside a new `mcpServers` the old entries would no longer be read.
        let message = format!("expected `{expected}`, found `{found}`, which is {host}'s word");
        let problem = Problem::new(Severity::Error, ProblemKind::ForeignSyntax, message);
        Err(problem.at_position(document.position).with_fix(format!("rename `{found}` to `{expected}`")))
    }

    /// Returns the word this format wants, the other host's word that the file uses, and that host.
    fn foreign_container(self, document: &Node) -> Option<(&'static str, &'static str, &'static str)> {
        let is_there = |key| document.member(key).is_some();
        match (self, dialect::container(document)) {
            (Self::McpServers, ServerMap::Foreign { key, host }) => Some(("mcpServers", key, host)),
            (Self::VsCode, _) if !is_there("servers") && is_there("mcpServers") => {
                Some(("servers", "mcpServers", "most other hosts"))
            }
            _ => None,
        }
    }

    pub(super) fn contains(self, document: &Node, name: &str) -> bool {
        self.container(Some(document)).contains(document, name)
    }

    /// Whether a server that the file does not name can be switched on and off in it.
    pub(super) fn switches_others(self) -> bool {
        self.holds_settings()
    }

    pub(super) fn holds_settings(self) -> bool {
        self == Self::Settings
    }

    /// Whether a file of this format that holds nothing is removed.
    pub(super) fn removes_empty_file(self) -> bool {
        self == Self::HoocodeSingle
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::McpServers => "an `mcpServers` file",
            Self::VsCode => "VS Code's mcp.json",
            Self::Codex => "Codex's config.toml",
            Self::FreeCode => "FreeCode's config.json",
            Self::HoocodeSingle => "hoocode's mcp-servers file",
            Self::Settings => "a settings file",
        }
    }
}

/// A file that has been checked, and can be edited.
#[derive(Debug, Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) text: &'a str,
    /// What the text says.
    pub(super) document: Option<&'a Node>,
    pub(super) format: FileFormat,
}

impl File<'_> {
    fn container(&self) -> Container {
        self.format.container(self.document)
    }

    pub(super) fn add(&self, name: &str, server: &NewServer) -> Result<String, Error> {
        let entry = match self.format {
            FileFormat::McpServers => value::mcp_servers(server),
            FileFormat::VsCode => value::vscode(server)?,
            FileFormat::Codex => return Ok(toml::add(self.text, name, value::codex(server)?)),
            FileFormat::FreeCode => value::freecode(name, server)?,
            FileFormat::HoocodeSingle => value::hoocode(name, server)?,
            FileFormat::Settings => {
                return Err(Error::Inexpressible { format: self.format.name(), what: "a server's definition" });
            }
        };
        Ok(jsonc::add(self.text, self.container(), name, entry))
    }

    pub(super) fn remove(&self, name: &str) -> String {
        match self.format {
            FileFormat::Codex => toml::remove(self.text, name),
            // The file is the server: without it nothing is left.
            FileFormat::HoocodeSingle => String::new(),
            FileFormat::McpServers | FileFormat::VsCode | FileFormat::FreeCode | FileFormat::Settings => {
                jsonc::remove(self.text, self.container(), name)
            }
        }
    }

    pub(super) fn set(&self, setting: &Setting) -> Result<String, Problem> {
        let is_news = setting.is_news(self.document)?;
        Ok(if is_news { setting.apply(self.text, self.document) } else { self.text.to_owned() })
    }

    pub(super) fn set_enabled(&self, name: &str, enabled: bool) -> Result<String, Error> {
        match self.format {
            FileFormat::McpServers => Ok(switch::set_enabled(self.text, self.container(), name, enabled, "disabled")),
            FileFormat::FreeCode => Ok(switch::set_enabled(self.text, self.container(), name, enabled, "enabled")),
            FileFormat::Codex => Ok(toml::set_enabled(self.text, name, enabled)),
            FileFormat::Settings => Ok(switch::add_flag(self.text, self.container(), name, enabled)),
            FileFormat::VsCode | FileFormat::HoocodeSingle => {
                Err(Error::Inexpressible { format: self.format.name(), what: "whether a server is switched on" })
            }
        }
    }
}
