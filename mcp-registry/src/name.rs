//! The ids by which a model calls tools.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::digest::hex_digest;
use crate::error::Error;

/// How the id of a server's tool is spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NameStyle {
    /// `mcp__<server>__<tool>`, the default.
    #[default]
    DoubleUnderscore,
    /// `mcp_<server>_<tool>`, which hoocode uses.
    SingleUnderscore,
}

impl NameStyle {
    /// Both styles.
    pub(crate) const ALL: [Self; 2] = [Self::DoubleUnderscore, Self::SingleUnderscore];

    fn prefix(self) -> &'static str {
        match self {
            Self::DoubleUnderscore => "mcp__",
            Self::SingleUnderscore => "mcp_",
        }
    }

    fn separator(self) -> &'static str {
        match self {
            Self::DoubleUnderscore => "__",
            Self::SingleUnderscore => "_",
        }
    }

    /// Whether the first separator after the prefix is certain to end this server's name.
    fn ends_unmistakably(self, server: &str) -> bool {
        match self {
            Self::DoubleUnderscore => !server.contains("__") && !server.ends_with('_'),
            Self::SingleUnderscore => !server.contains('_'),
        }
    }
}

/// The id of a tool: what the model sees and calls.
///
/// An id is at most 64 of the characters `A-Z a-z 0-9 _ -`, which every provider accepts
/// ([OpenAI](https://platform.openai.com/docs/api-reference/chat/create),
/// [Anthropic](https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use)). It is a function of the
/// style, the server's name and the tool's name alone, so no other server can change it, and it is injective:
///
/// 1. A pair of names that is *plain* becomes `mcp__server__tool`. Plain means: both names are non-empty and hold only the
///    characters above, the server's name neither holds the separator nor ends in `_` (so the first separator ends it),
///    the whole has at most 64 characters, and it does not end like an id of the second kind.
/// 2. Every other pair becomes a readable remnant followed by `_` and 16 hexadecimal digits of the SHA-256 of both names.
///
/// The two kinds never meet, the first is injective because the first separator is unmistakable, and the second as far as
/// 64 bits of SHA-256 are; should two tools ever share an id nevertheless, the registry withholds both and says so.
///
/// Nothing takes an id apart again: [`crate::Snapshot::resolve`] looks it up.
///
/// ```
/// use mcp_registry::{NameStyle, ToolName};
///
/// let id = |server, tool| ToolName::new(NameStyle::default(), server, tool).to_string();
///
/// assert_eq!(id("github", "create_issue"), "mcp__github__create_issue");
/// assert_ne!(id("a", "b__c"), id("a__b", "c"));
/// assert_ne!(id("fs", "read.file"), id("fs", "read_file"));
/// assert!(id("fs", &"x".repeat(200)).len() <= ToolName::MAX_LENGTH);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// The most characters an id has.
    pub const MAX_LENGTH: usize = 64;

    /// How many characters of a server's name stay readable in an id that carries a hash.
    const READABLE_SERVER: usize = 20;

    /// How many hexadecimal digits of the hash an id carries.
    const HASH_DIGITS: usize = 16;

    /// Returns the id of a server's tool.
    pub fn new(style: NameStyle, server: &str, tool: &str) -> Self {
        let plain = format!("{}{server}{}{tool}", style.prefix(), style.separator());
        if plain.len() <= Self::MAX_LENGTH
            && !server.is_empty()
            && !tool.is_empty()
            && plain.bytes().all(is_allowed)
            && style.ends_unmistakably(server)
            && !Self::is_hashed(&plain)
        {
            return Self(plain.into());
        }
        Self(Self::hashed(style, server, tool).into())
    }

    /// Returns the id of a tool of the host itself, which is its name.
    ///
    /// # Errors
    /// [`Error::BuiltInName`] when a provider would refuse the name, or when it starts with `mcp_` and could be taken for a
    /// server's tool.
    pub fn built_in(name: &str) -> Result<Self, Error> {
        let accepted = (1..=Self::MAX_LENGTH).contains(&name.len())
            && name.bytes().all(is_allowed)
            && !name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("mcp_"));
        if accepted { Ok(Self(name.into())) } else { Err(Error::BuiltInName { name: name.to_owned() }) }
    }

    /// Returns what the id of each tool of a server starts with, as far as that is the same for all.
    pub fn beginning(style: NameStyle, server: &str) -> String {
        let cut = server.chars().nth(Self::READABLE_SERVER).is_some();
        let end = if cut { "" } else { style.separator() };
        format!("{}{}{end}", style.prefix(), readable(server, Self::READABLE_SERVER))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this text ends like an id that carries a hash.
    pub(crate) fn is_hashed(text: &str) -> bool {
        let Some(start) = text.len().checked_sub(Self::HASH_DIGITS + 1) else { return false };
        text.get(start..)
            .and_then(|end| end.strip_prefix('_'))
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)))
    }

    fn hashed(style: NameStyle, server: &str, tool: &str) -> String {
        let mut hash = hex_digest([server.as_bytes(), tool.as_bytes()]);
        hash.truncate(Self::HASH_DIGITS);
        let room = Self::MAX_LENGTH - Self::HASH_DIGITS - 1 - style.prefix().len() - style.separator().len();
        let tool = readable(tool, room);
        let server = readable(server, Self::READABLE_SERVER.max(room - tool.len()).min(room));
        let tool = tool.get(..tool.len().min(room - server.len())).unwrap_or_default();
        format!("{}{server}{}{tool}_{hash}", style.prefix(), style.separator())
    }
}

/// Returns a name's first `most` characters, those that are not allowed in an id as `_`.
fn readable(name: &str, most: usize) -> String {
    if name.is_empty() {
        return "unnamed".to_owned();
    }
    let allowed = |character: char| u8::try_from(character).is_ok_and(is_allowed);
    name.chars().take(most).map(|character| if allowed(character) { character } else { '_' }).collect()
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl fmt::Display for ToolName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for ToolName {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for ToolName {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
