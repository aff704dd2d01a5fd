//! Where a definition comes from: which host's file, with which standing.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A program whose configuration files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Host {
    /// This toolkit and what it shares with others: `.mcp.json` and `.agents/mcp.json`.
    Toolkit,
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Visual Studio Code.
    VsCode,
    /// Cursor.
    Cursor,
    /// Windsurf.
    Windsurf,
    /// Codex, of `OpenAI`.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// `OpenCode`.
    OpenCode,
    /// GitHub Copilot CLI.
    Copilot,
    /// Zed.
    Zed,
    /// Cline.
    Cline,
    /// Roo Code.
    Roo,
    /// Goose; its files need the cargo feature `yaml`.
    Goose,
    /// Continue; its YAML files need the cargo feature `yaml`.
    Continue,
    /// The MCP Inspector.
    Inspector,
    /// `FreeCode`.
    FreeCode,
    /// hoocode.
    Hoocode,
}

impl Host {
    /// Every host, in the order listings use.
    pub const ALL: [Self; 18] = [
        Self::Toolkit,
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::VsCode,
        Self::Cursor,
        Self::Windsurf,
        Self::Codex,
        Self::Gemini,
        Self::OpenCode,
        Self::Copilot,
        Self::Zed,
        Self::Cline,
        Self::Roo,
        Self::Goose,
        Self::Continue,
        Self::Inspector,
        Self::FreeCode,
        Self::Hoocode,
    ];

    /// Returns the name used on the command line and in JSON, such as `claude-code`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Toolkit => "toolkit",
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Windsurf => "windsurf",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Copilot => "copilot",
            Self::Zed => "zed",
            Self::Cline => "cline",
            Self::Roo => "roo",
            Self::Goose => "goose",
            Self::Continue => "continue",
            Self::Inspector => "inspector",
            Self::FreeCode => "freecode",
            Self::Hoocode => "hoocode",
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl Serialize for Host {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The name is not one of [`Host::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a host; expected one of {}", Host::ALL.map(Host::name).join(", "))]
pub struct UnknownHost {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Host {
    type Err = UnknownHost;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|host| host.name() == name).ok_or_else(|| UnknownHost { name: name.to_owned() })
    }
}

/// The standing of a source. The order of the variants is the precedence:
///
/// 1. [`Plugin`](Self::Plugin) (lowest): what an installed plugin brings along;
/// 2. [`Imported`](Self::Imported): another host's user-level files; listed, never started until imported or allowed;
/// 3. [`User`](Self::User): the user's own files;
/// 4. [`Project`](Self::Project): everything inside the workspace, and another host's entries for this project; inert
///    until approved, and taking no part in precedence until then;
/// 5. [`Explicit`](Self::Explicit) (highest): a file the user named on the command line.
///
/// A [`Preset`](crate::Preset) may order its layers differently; a [`merge`](crate::merge) follows the order of the
/// layers it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// What an installed plugin brings along.
    Plugin,
    /// Another host's user-level files.
    Imported,
    /// The user's own files.
    User,
    /// Everything inside the workspace.
    Project,
    /// A file the user named.
    Explicit,
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Plugin => "plugin",
            Self::Imported => "imported",
            Self::User => "user",
            Self::Project => "project",
            Self::Explicit => "explicit",
        })
    }
}

/// A kind of source: whose file, with which standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Source {
    /// Its standing, which sorts first.
    pub scope: Scope,
    /// The host whose dialect and location it is.
    pub host: Host,
}

impl Source {
    /// Pairs a host with a standing.
    pub const fn new(host: Host, scope: Scope) -> Self {
        Self { scope, host }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{} {}", self.host, self.scope))
    }
}

/// The exact place a definition stands in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Origin {
    /// The kind of source.
    #[serde(flatten)]
    pub source: Source,
    /// The file.
    pub path: PathBuf,
    /// The line the entry's key is on, from 1.
    pub line: u32,
    /// The column the entry's key is at, from 1, in characters.
    pub column: u32,
    /// The entry, as an RFC 6901 JSON pointer.
    pub pointer: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}
