//! One permission rule: how it is written, and which calls it covers.

use std::sync::Arc;

use crate::error::{Error, RuleFault};
use crate::name::{NameStyle, ToolName};
use crate::pattern::escape;
use crate::rules::arguments::Arguments;
use crate::rules::condition::Condition;
use crate::rules::known::may_be_id_of;
use crate::rules::subject::{Names, Reach, Subject, Target, unescaped};
use crate::snapshot::Origin;

/// A permission rule, such as `mcp__github__get_*`.
///
/// | written | covers |
/// |---|---|
/// | `mcp__github` | every tool of the server `github` |
/// | `mcp__github__create_issue` | one tool |
/// | `mcp__github__get_*`, `mcp__*__delete_*` | the tools, or the servers and tools, that the globs match |
/// | `mcp__*` | every tool of every server |
/// | `mcp__fs__write_file(path=src/**)` | calls whose argument `path` the glob matches |
/// | an id such as `mcp__fs__read_file_3f2a…` | the tool of that id |
/// | `github.create_issue` | one tool, or several: `github.get_*` |
/// | `read_file`, `bash*` | tools of the host itself; if it denies or asks, also servers of that name, and tools of that name of any server |
/// | `*` | every tool |
///
/// A rule is matched against the pair (server, tool), exactly and by case. The names are those of the configuration and the
/// server; `*` is the only wildcard, and a backslash takes the special meaning from the next character
/// (`mcp__my\_\_server`, `mcp__fs__read\(x)`); `?`, brackets and braces must have one. In the style
/// `mcp_<server>_<tool>` one underscore separates.
///
/// Where the text can be split in several places (`mcp__a__b__c`, `a.b.c`), a rule that denies or asks covers every reading, and
/// a rule that allows only the first, `a` and `b__c`, which is also what an id of that spelling means. One that denies or asks
/// also covers the tools whose ids its globs match (`mcp__github_*`), and the tool that `a__b` is with `mcp__` before it.
/// [`Rule::for_tool`] writes rules that have one reading.
///
/// # Arguments
/// `(name=glob)` looks at a top-level argument; several are separated by commas (`\,` is a comma of the glob) and must all
/// hold; `(*)` is no condition. In a glob `*` stays within a path segment, `**` crosses them, `{a,b}` is either
/// (write the comma as `\,`), as in the [`globset`](https://docs.rs/globset) crate. Each item of an array is looked at.
///
/// What a text means is for the server to say, so in doubt a condition keeps the call from being allowed. **A rule that allows**
/// compares values as they are written (numbers and booleans by their JSON text). It needs every item to match, and accepts no
/// text that could be taken for another: with a `..` segment, a character that cannot be seen, or a percent-encoded slash.
///
/// **A rule that denies or asks** is content with one matching item, and knows a value however it is spelled:
///
/// - percent-encoded, once or more often; with invisible or bidirectional characters; in full width or decomposed; in another
///   case; with space around it;
/// - as a `file:` URL or a path, with `.`, `..`, empty segments and backslashes; a URL without its user, standard port and
///   fragment, its IPv4 address in any notation;
/// - a path from the root, from `~` or from the working directory, as far as the [`Surroundings`](crate::Surroundings) are
///   known; one that climbs is also tried from the root, and a relative pattern covers paths from elsewhere that hold what it
///   matches;
/// - a folder where the pattern is for what is in it (`src/secret/**` covers `src/secret`);
/// - numbers by their value (`100`, `100.0`, `1e2`), also in a text.
///
/// It covers what it cannot compare: objects, lists in lists, text that does not settle when it is decoded, and arguments of
/// more than 64 KiB. It cannot know about links, a folder above the one that it protects, a path relative to another server's
/// directory, or a file system's own aliases: to protect files, deny the tool and allow what is safe.
#[derive(Clone, Debug)]
pub struct Rule {
    text: Arc<str>,
    pub(super) subject: Subject,
    arguments: Vec<Condition>,
}

impl PartialEq for Rule {
    /// Two rules are equal when they are written alike.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Rule {}

impl Rule {
    /// The longest rule in bytes. A tool with a longer name is named by its id.
    pub const MAX_LENGTH: usize = 1024;

    /// Reads a rule; space around it is ignored.
    ///
    /// # Errors
    /// [`Error::RuleSyntax`] says what is wrong.
    ///
    /// ```
    /// use mcp_registry::Rule;
    ///
    /// assert!(Rule::parse("mcp__fs__write_file(path=src/**)").is_ok());
    /// let error = Rule::parse("mcp__fs__write_file(src)").unwrap_err();
    /// assert!(error.to_string().contains("expected `(argument=pattern)`"), "{error}");
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        match Self::parse_widening(text) {
            (rule, None) => Ok(rule),
            (rule, Some(reason)) => Err(Error::RuleSyntax { rule: rule.text.to_string(), reason }),
        }
    }

    /// Reads a rule, and where that fails widens it to what is certain to hold all it was written for.
    pub(super) fn parse_widening(text: &str) -> (Self, Option<RuleFault>) {
        let text = trim(text);
        let (names, arguments) = match split_arguments(text) {
            Ok(parts) => parts,
            Err((names, fault)) => {
                let (subject, _) = Subject::parse_widening(names);
                return (Self { text: text.into(), subject, arguments: Vec::new() }, Some(fault));
            }
        };
        let (subject, mut fault) = Subject::parse_widening(names);
        let arguments = arguments.map_or(Ok(Vec::new()), Condition::parse_list).unwrap_or_else(|found| {
            fault = fault.or(Some(found));
            Vec::new()
        });
        // A condition that stands on a part nobody can read would narrow the rule to less than was meant.
        let arguments = if fault.is_some() { Vec::new() } else { arguments };
        (Self { text: text.into(), subject, arguments }, fault)
    }

    /// Returns the rule that stands for something that is no rule at all and covers everything.
    pub(super) fn unreadable(text: &str) -> Self {
        Self { text: text.into(), subject: Subject::Everything, arguments: Vec::new() }
    }

    /// Returns the text of the rule that covers this tool of a server and nothing else.
    ///
    /// ```
    /// use mcp_registry::Rule;
    ///
    /// assert_eq!(Rule::for_tool("github", "create_issue"), "mcp__github__create_issue");
    /// assert_eq!(Rule::for_tool("my.server", "a*b"), r"mcp__my.server__a\*b");
    /// ```
    pub fn for_tool(server: &str, tool: &str) -> String {
        let rule = format!("mcp__{}__{}", escape(server), escape(tool));
        let unmistakable = !server.is_empty() && !tool.is_empty() && rule.len() <= Self::MAX_LENGTH;
        if unmistakable && !ToolName::is_hashed(&rule) {
            return rule;
        }
        ToolName::new(NameStyle::default(), server, tool).to_string()
    }

    /// Returns the text of the rule that covers every tool of a server and nothing else; none for a server whose name is empty
    /// or too long for a rule.
    ///
    /// ```
    /// use mcp_registry::Rule;
    ///
    /// assert_eq!(Rule::for_server("github").as_deref(), Some("mcp__github"));
    /// assert_eq!(Rule::for_server("a__b").as_deref(), Some(r"mcp__a\_\_b"));
    /// ```
    pub fn for_server(server: &str) -> Option<String> {
        let name = escape(server);
        let looks_like_an_id = ToolName::is_hashed(&format!("mcp__{name}"));
        let name = if looks_like_an_id { name.replace("\\_", "_").replace('_', "\\_") } else { name };
        let rule = format!("mcp__{name}");
        (!server.is_empty() && rule.len() <= Self::MAX_LENGTH).then_some(rule)
    }

    /// Returns the rule as it was written, without its conditions.
    pub(super) fn names(&self) -> &str {
        split_arguments(&self.text).map_or_else(|(names, _)| names, |(names, _)| names)
    }

    /// Whether it takes the tools of this server to tell what the rule is about.
    pub(super) fn names_tools_of(&self, server: &str, reach: Reach) -> bool {
        let Subject::Named(names) = &self.subject else { return false };
        let mut readings = names.readings(reach).iter().filter(|reading| reading.tool.is_some());
        names.bare_anywhere(reach).is_some()
            || names.id(reach).is_some_and(|id| may_be_id_of(id, server))
            || readings.any(|reading| reading.server.matches(server))
    }

    /// Whether the rule can only be about tools of the host of another program.
    pub(super) fn is_of_host(&self) -> bool {
        matches!(&self.subject, Subject::Named(names) if names.is_of_host)
    }

    /// Returns how many conditions on arguments the rule has.
    pub(super) fn conditions(&self) -> usize {
        self.arguments.len()
    }

    /// Returns the rule as it was written, without the space around it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// Whether the rule depends on a call's arguments.
    pub fn has_conditions(&self) -> bool {
        !self.arguments.is_empty()
    }

    /// Whether an allow rule of this text could be about a tool of the server, and is to be bound to its definition.
    ///
    /// An id says nothing of servers, so it could be about any: where the tools are known, [`Rule::bindings`] says more.
    pub fn may_concern(&self, server: &str) -> bool {
        self.subject.may_concern(server)
    }

    /// Whether the rule names a tool without its server, as those of the host are named.
    pub fn is_bare(&self) -> bool {
        matches!(&self.subject, Subject::Named(names) if names.bare.is_some())
    }

    /// Whether the rule, read in the narrowest way, is about this tool.
    pub(crate) fn names_tool(&self, server: &str, tool: &str, origin: Origin, ids: &[ToolName]) -> bool {
        self.covers(Target { server, tool, origin, ids }, Reach::Narrowest)
    }

    /// Whether the rule is about this tool, whatever the arguments.
    pub(super) fn covers(&self, target: Target<'_>, reach: Reach) -> bool {
        self.subject.covers(target, reach)
    }

    /// Whether every condition on the arguments holds.
    pub(super) fn accepts(&self, arguments: &Arguments<'_>, reach: Reach) -> bool {
        self.arguments.iter().all(|condition| condition.is_met(arguments, reach))
    }

    /// Returns the rule with its names in lower case, for a dialect that ignores case.
    pub(super) fn lower_case(&self) -> Self {
        Self { subject: self.subject.lower_case(), ..self.clone() }
    }

    /// Returns the rule with a name without a server taken for that of a tool of the host and nothing else.
    pub(super) fn about_the_host(mut self) -> Self {
        if let Subject::Named(names) = &mut self.subject
            && names.bare.is_some()
            && names.certain == 0
        {
            *names = Names { bare: names.bare.take(), is_of_host: true, ..Names::default() };
        }
        self
    }
}

/// Trims space that is not escaped.
pub(super) fn trim(text: &str) -> &str {
    let text = text.trim_start();
    let trimmed = text.trim_end();
    let backslashes = trimmed.bytes().rev().take_while(|byte| *byte == b'\\').count();
    let escaped =
        if backslashes % 2 == 1 { text.get(trimmed.len()..).and_then(|rest| rest.chars().next()) } else { None };
    text.get(..trimmed.len() + escaped.map_or(0, char::len_utf8)).unwrap_or(trimmed)
}

/// Splits `names(arguments)`; the error carries the names, which are readable even so.
pub(super) fn split_arguments(text: &str) -> Result<(&str, Option<&str>), (&str, RuleFault)> {
    let Some(open) = unescaped(text, "(").next() else { return Ok((text, None)) };
    let (names, rest) = text.split_at_checked(open).unwrap_or((text, ""));
    let inside = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inside.map(|inside| (names, Some(inside))).ok_or((names, RuleFault::Unclosed))
}
