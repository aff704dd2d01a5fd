//! One reader per host's dialect, all ending in the same [`ServerConfig`](crate::ServerConfig).
//!
//! No two hosts agree on the container, the field names, the transport names, what a bare `url` means, the unit of a
//! time-out or the spelling of a variable. Each host's choices are in a file of its own, which cites the vendor's
//! documentation; what they share is in [`shape`] and [`fields`].

mod claude;
mod claude_desktop;
mod cline;
mod codex;
mod continue_dev;
mod copilot;
mod cursor;
mod fields;
mod freecode;
mod gemini;
#[cfg(feature = "yaml")]
mod goose;
mod hoocode;
mod inputs;
mod inspector;
mod login;
mod opencode;
mod plugin;
mod reader;
mod roo;
mod settings;
mod shape;
mod toolkit;
mod vscode;
mod windsurf;
mod zed;

pub(crate) use login::wrong_with as wrong_with_login;
pub(crate) use reader::{Reader, bad_name};
pub(crate) use shape::is_header_name;
pub(crate) use toolkit::{ServerMap, container};

use std::path::Path;

use crate::document::{Node, Notation};
use crate::source::Host;

/// How a file is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    /// `.mcp.json`, `.agents/mcp.json`, `--config`.
    Toolkit,
    /// The overlays in this toolkit's own settings.
    Settings,
    /// `~/.claude.json`: the user's servers.
    Claude,
    /// `~/.claude.json`: the servers of the current project.
    ClaudeLocal,
    /// The list of servers that an administrator gives to Claude Code.
    ClaudeManaged,
    ClaudeDesktop,
    VsCode,
    /// The `mcp` section of VS Code's `settings.json`.
    VsCodeSettings,
    Cursor,
    Windsurf,
    Codex,
    Gemini,
    OpenCode,
    Copilot,
    Zed,
    Cline,
    Roo,
    #[cfg(feature = "yaml")]
    Goose,
    /// `.continue/mcpServers/*.json`.
    ContinueJson,
    #[cfg(feature = "yaml")]
    ContinueYaml,
    Inspector,
    FreeCode,
    Hoocode,
    /// `mcp-servers/*.json`.
    HoocodeSingle,
    /// A file of servers inside a plugin.
    Plugin,
    /// A plugin's manifest with its servers in it.
    PluginManifest,
}

impl Dialect {
    /// Returns the dialect a host uses for a file of that name.
    pub(crate) fn of(host: Host, path: &Path) -> Self {
        let is_named = |name: &str| path.file_name().is_some_and(|found| found == name);
        let is_within = |name: &str| path.parent().is_some_and(|parent| parent.ends_with(name));
        match host {
            Host::Toolkit if is_named("settings.json") => Self::Settings,
            Host::Toolkit => Self::Toolkit,
            Host::ClaudeCode if is_named("managed-mcp.json") => Self::ClaudeManaged,
            Host::ClaudeCode => Self::Claude,
            Host::ClaudeDesktop => Self::ClaudeDesktop,
            Host::VsCode if is_named("settings.json") => Self::VsCodeSettings,
            Host::VsCode => Self::VsCode,
            Host::Cursor => Self::Cursor,
            Host::Windsurf => Self::Windsurf,
            Host::Codex => Self::Codex,
            Host::Gemini => Self::Gemini,
            Host::OpenCode => Self::OpenCode,
            Host::Copilot => Self::Copilot,
            Host::Zed => Self::Zed,
            Host::Cline => Self::Cline,
            Host::Roo => Self::Roo,
            #[cfg(feature = "yaml")]
            Host::Goose => Self::Goose,
            // Without the feature the file is not read; as JSON it is reported for what it is.
            #[cfg(not(feature = "yaml"))]
            Host::Goose => Self::ContinueJson,
            #[cfg(feature = "yaml")]
            Host::Continue if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") => {
                Self::ContinueYaml
            }
            Host::Continue => Self::ContinueJson,
            Host::Inspector => Self::Inspector,
            Host::FreeCode => Self::FreeCode,
            Host::Hoocode if is_within("mcp-servers") => Self::HoocodeSingle,
            Host::Hoocode => Self::Hoocode,
        }
    }

    pub(crate) fn notation(self) -> Notation {
        match self {
            Self::Codex => Notation::Toml,
            #[cfg(feature = "yaml")]
            Self::Goose | Self::ContinueYaml => Notation::Yaml,
            _ => Notation::Jsonc,
        }
    }

    /// Reads a document's servers into `reader`.
    pub(crate) fn read(self, document: &Node, reader: &mut Reader<'_>) {
        if document.members().is_none() {
            return reader.wrong_root(document);
        }
        match self {
            Self::Toolkit => toolkit::read(document, reader),
            Self::Settings => settings::read(document, reader),
            Self::Claude | Self::ClaudeManaged => claude::read(document, reader),
            Self::ClaudeLocal => claude::read_local(document, reader),
            Self::ClaudeDesktop => claude_desktop::read(document, reader),
            Self::VsCode => vscode::read(document, reader),
            Self::VsCodeSettings => vscode::read_settings(document, reader),
            Self::Cursor => cursor::read(document, reader),
            Self::Windsurf => windsurf::read(document, reader),
            Self::Codex => codex::read(document, reader),
            Self::Gemini => gemini::read(document, reader),
            Self::OpenCode => opencode::read(document, reader),
            Self::Copilot => copilot::read(document, reader),
            Self::Zed => zed::read(document, reader),
            Self::Cline => cline::read(document, reader),
            Self::Roo => roo::read(document, reader),
            #[cfg(feature = "yaml")]
            Self::Goose => goose::read(document, reader),
            Self::ContinueJson => continue_dev::read(document, reader),
            #[cfg(feature = "yaml")]
            Self::ContinueYaml => continue_dev::read(document, reader),
            Self::Inspector => inspector::read(document, reader),
            Self::FreeCode => freecode::read(document, reader),
            Self::Hoocode => hoocode::read(document, reader),
            Self::HoocodeSingle => hoocode::read_single(document, reader),
            Self::Plugin => plugin::read(document, reader),
            Self::PluginManifest => plugin::read_manifest(document, reader),
        }
    }
}
