//! What is wrong, where, and what to do about it.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::remedy::Remedy;

/// A place in a text file, counted from 1. Columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

/// How much a problem costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// It works, though probably not as meant.
    Warning,
    /// A server, a file or a setting is left out because of it.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// What kind of thing went wrong, for a program to match on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// A file exists and cannot be read: permissions, a directory in its place, too large, not text.
    Unreadable,
    /// The text is not what its format asks for.
    Syntax,
    /// A value has another type, or another value, than the dialect allows.
    Shape,
    /// A key appears twice in one object, or a name twice in one list.
    Duplicate,
    /// A key that the dialect does not know.
    UnknownKey,
    /// A variable is written in another host's syntax.
    ForeignSyntax,
    /// A variable has no value and no default.
    Unset,
    /// Something needs a person's approval first.
    Approval,
    /// A host's rules, or a limit of this toolkit, refuse it.
    Refused,
    /// Something that runs, and is unsafe as it stands.
    Unsafe,
    /// Two definitions stand in each other's way.
    Conflict,
    /// A program that is named is not there.
    MissingProgram,
    /// Something is given and never used.
    Unused,
}

/// One thing that is wrong with one place, with what was expected there and, where it is known, what mends it.
///
/// Reading never fails as a whole: it returns what could be read and a list of these.
///
/// ```
/// use mcp_config::{Problem, ProblemKind, Severity};
///
/// let problem = Problem::new(Severity::Error, ProblemKind::Shape, "expected a string, found a number")
///     .with_path("/p/.mcp.json")
///     .at(3, 14)
///     .with_pointer("/mcpServers/files/command")
///     .with_server("files");
/// assert_eq!(
///     problem.to_string(),
///     "error: /p/.mcp.json:3:14 /mcpServers/files/command: server `files`: expected a string, found a number",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// How much it costs.
    pub severity: Severity,
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The place in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The place in the file's data, an RFC 6901 JSON pointer (also for TOML and YAML).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Box<str>>,
    /// The server's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Box<str>>,
    /// What was expected and what was found; never a secret.
    pub message: Box<str>,
    /// What mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Remedy>,
}

impl Problem {
    /// Creates a problem that has no place yet.
    pub fn new(severity: Severity, kind: ProblemKind, message: impl Into<Box<str>>) -> Self {
        Self {
            severity,
            kind,
            path: None,
            position: None,
            pointer: None,
            server: None,
            message: message.into(),
            fix: None,
        }
    }

    /// Names the file.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Gives the place in the file, counted from 1.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.position = Some(Position { line, column });
        self
    }

    /// Gives the place in the data.
    #[must_use]
    pub fn with_pointer(mut self, pointer: impl Into<Box<str>>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Names the server.
    #[must_use]
    pub fn with_server(mut self, server: impl Into<Box<str>>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// Says what mends it; a text is advice.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<Remedy>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub(crate) fn at_position(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.severity)?;
        if let Some(path) = &self.path {
            write!(formatter, "{}", path.display())?;
            if let Some(Position { line, column }) = self.position {
                write!(formatter, ":{line}:{column}")?;
            }
            if let Some(pointer) = self.pointer.as_deref().filter(|pointer| !pointer.is_empty()) {
                write!(formatter, " {pointer}")?;
            }
            formatter.write_str(": ")?;
        }
        if let Some(server) = &self.server {
            write!(formatter, "server `{server}`: ")?;
        }
        formatter.write_str(&self.message)?;
        if let Some(fix) = &self.fix {
            write!(formatter, " (fix: {fix})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
