//! What can go wrong when something is put in, and what was left out when only a part of it could be used.

use std::fmt;

/// A value that could not be used at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A host's own tool may not be called this: providers accept `[A-Za-z0-9_-]{1,64}`, and ids that start with `mcp_`
    /// belong to servers.
    #[error(
        "`{name}` cannot name a built-in tool: expected 1 to 64 of the characters A-Z a-z 0-9 _ - and no leading `mcp_`"
    )]
    BuiltInName {
        /// The refused name.
        name: String,
    },
    /// The host registered two tools of its own under one name.
    #[error("the built-in tool `{name}` is registered already: expected another name")]
    BuiltInTwice {
        /// The name that is taken.
        name: String,
    },
    /// A tool definition is not an object with a `name`.
    #[error("a tool definition cannot be read: expected an object with a string `name`")]
    ToolDefinition {
        /// What the JSON parser found.
        #[source]
        source: serde_json::Error,
    },
    /// A permission rule cannot be read.
    #[error("the rule `{rule}` cannot be read: {reason}")]
    RuleSyntax {
        /// The rule as it was written.
        rule: String,
        /// What is wrong with it.
        reason: RuleFault,
    },
    /// A rule is about no server that is known and no tool that is.
    #[error("the rule `{rule}` is about no configured server and no known tool")]
    RuleAboutNothing {
        /// The rule as it was typed.
        rule: String,
        /// Rules about what has the most similar names, the most similar first.
        nearest: Vec<String>,
    },
    /// The names in a rule stand for several servers or tools, of which one is to be chosen.
    #[error("the rule `{rule}` could be any of several")]
    RuleAmbiguous {
        /// The rule as it was typed.
        rule: String,
        /// The rules it could be, sorted.
        candidates: Vec<String>,
    },
    /// A session has no stored output of this handle: it never had, or the text gave way to newer ones.
    #[error("no stored output `{handle}`: expected a handle from this session, make the call again if it is gone")]
    OutputHandle {
        /// The unknown handle.
        handle: String,
    },
    /// A search pattern for stored output is too large.
    #[error("the search pattern is too large: expected at most 1000 bytes and a small regular expression")]
    SearchPattern {
        /// What the regular expression compiler says.
        #[source]
        source: Box<regex::Error>,
    },
}

/// Why a permission rule cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RuleFault {
    /// The rule is empty.
    #[error("it is empty, expected `mcp__server` or `mcp__server__tool`")]
    Empty,
    /// The rule is longer than [`crate::Rule::MAX_LENGTH`].
    #[error("it is longer than 1024 bytes, or a glob than 256: name the tool by its id instead")]
    TooLong,
    /// The entry is not a string.
    #[error("it is not a string")]
    NotAString,
    /// The list of rules is not an array.
    #[error("the list is not an array of strings")]
    NotAList,
    /// The document, or its `permissions`, is no JSON object, so nobody knows which rules it was to hold.
    #[error("it is no JSON object, so its rules are not known")]
    Document,
    /// The server's part is empty.
    #[error("it names no server, expected `mcp__server`")]
    NoServer,
    /// The rule ends in `__`.
    #[error("it ends in `__`: a whole server is written `mcp__server`, one tool `mcp__server__tool`")]
    NoTool,
    /// A backslash stands at the end of a name, where it escapes nothing.
    #[error("a backslash escapes nothing at the end of a name")]
    Escape,
    /// A name holds one of `?[]{}`, which other tools take for wildcards.
    #[error("only `*` is a wildcard in names: write a rule for each name, or a backslash before ? [ ] {{ }}")]
    Wildcard,
    /// A rule without `mcp_` names what cannot be one of the host's own tools.
    #[error("no tool can be called this: tools of servers are written `mcp__server__tool`")]
    NotAName,
    /// A name holds so many `__` that it can be read in too many ways.
    #[error("it can be read in too many ways: name the tool by its id, or write `\\_` for underscores within names")]
    Ambiguous,
    /// The document holds more rules, or more conditions, than are read.
    #[error("there are more rules than are read")]
    TooMany,
    /// A `(` has no `)` at the end of the rule.
    #[error("its `(` has no `)` at the end")]
    Unclosed,
    /// The parentheses hold something other than `name=pattern` pairs.
    #[error("expected `(argument=pattern)`, several separated by commas")]
    Arguments,
    /// The definitions an allow rule was made for cannot be read.
    #[error("its entry in `definitions` is not an object of server names and hashes")]
    Binding,
    /// A member of a tool set has conditions on arguments.
    #[error("a set holds tools whatever their arguments, leave the parentheses out")]
    Conditions,
    /// An argument's pattern is not a glob.
    #[error("an argument's pattern is not a valid glob")]
    Glob,
}

/// Something that was left out, repaired or looks wrong, while the rest was used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Problem {
    /// Where: `tools/3/description`, `github.create_issue`, `~/.agents/settings.json:/permissions/deny/0`.
    pub place: String,
    /// What was found, what was expected and what was done about it.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)
    }
}
