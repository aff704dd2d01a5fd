//! What one server offers, as it is handed to the registry.

use std::collections::BTreeMap;

use crate::effect::Effect;
use crate::error::{Error, RuleFault};
use crate::pattern::Pattern;
use crate::pin::{Drift, Instructions, Standing};
use crate::tool::Tool;

/// Everything the registry is told about one server.
///
/// ```
/// use mcp_registry::{ServerTools, ToolFilter};
///
/// let tools = ServerTools::new("github", "sha256:5f1c", Vec::new())
///     .trusting_annotations()
///     .with_filter(ToolFilter::new(["get_*", "list_*"], ["get_secret"])?);
/// assert_eq!(tools.server, "github");
/// # Ok::<(), mcp_registry::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerTools {
    /// The name the user's configuration gives the server; any Unicode. Never the name the server gives itself.
    pub server: String,
    /// A hash of the configuration that starts or reaches the server. Permissions are bound to it.
    pub definition: String,
    /// Whether `readOnlyHint` counts; off unless said otherwise.
    pub annotations_trusted: bool,
    /// The server's tools, in any order.
    pub tools: Vec<Tool>,
    /// Effects the user's configuration declares, by tool name.
    pub effects: BTreeMap<String, Effect>,
    /// Which tools the user's configuration lets in.
    pub filter: ToolFilter,
    /// How each tool stands against its approved baseline, by tool name; a tool that is not listed is approved.
    pub standings: BTreeMap<String, Standing>,
    /// The tools that are [`Standing::Reworded`], in the words that were approved, by name.
    pub words: BTreeMap<String, Tool>,
    /// Whether the server gives other instructions than those that were approved, and a model is told the approved ones or none.
    pub instructions_held: bool,
}

impl ServerTools {
    /// Returns the tools of a server that is not trusted for annotations.
    pub fn new(server: impl Into<String>, definition: impl Into<String>, tools: Vec<Tool>) -> Self {
        Self {
            server: server.into(),
            definition: definition.into(),
            annotations_trusted: false,
            tools,
            effects: BTreeMap::new(),
            filter: ToolFilter::default(),
            standings: BTreeMap::new(),
            words: BTreeMap::new(),
            instructions_held: false,
        }
    }

    /// Lets the server's `readOnlyHint`s count: for the user's own servers and for those the user approved.
    #[must_use]
    pub fn trusting_annotations(mut self) -> Self {
        self.annotations_trusted = true;
        self
    }

    /// Declares a tool's effect, whatever the server says.
    #[must_use]
    pub fn with_effect(mut self, tool: impl Into<String>, effect: Effect) -> Self {
        self.effects.insert(tool.into(), effect);
        self
    }

    /// Lets only some tools in.
    #[must_use]
    pub fn with_filter(mut self, filter: ToolFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Says how the server differs from what was approved: [`crate::Baseline::compare`] returns this. Tools that are
    /// [`Standing::Held`] are not registered, and those that are [`Standing::Reworded`] in their approved words.
    #[must_use]
    pub fn with_drift(mut self, drift: &Drift) -> Self {
        self.standings.clone_from(&drift.standings);
        self.words.clone_from(&drift.words);
        self.instructions_held = drift.instructions != Instructions::AsGiven;
        self
    }

    /// Returns how a tool stands, and the tool as it may be offered; `None` if it may not.
    pub(crate) fn admitted(&self, tool: Tool) -> (Standing, Option<Tool>) {
        match self.standings.get(&tool.name).copied().unwrap_or_default() {
            Standing::Held => (Standing::Held, None),
            // Without approved words to say, nothing may be said.
            Standing::Reworded => match self.words.get(&tool.name) {
                Some(words) => (Standing::Reworded, Some(words.clone())),
                None => (Standing::Held, None),
            },
            standing => (standing, Some(tool)),
        }
    }

    pub(crate) fn effect_of(&self, tool: &Tool) -> Effect {
        let suspended = self.standings.get(&tool.name).is_some_and(|standing| standing.is_suspended());
        let trusted_hint = self.annotations_trusted && !suspended && tool.effect_hint == Some(true);
        let claimed = if trusted_hint { Effect::ReadOnly } else { Effect::Mutating };
        self.effects.get(&tool.name).copied().unwrap_or(claimed)
    }
}

/// Which of a server's tools are registered at all, by name or glob (`get_*`).
///
/// 1. A tool that a `deny` pattern matches is left out.
/// 2. With an empty `allow` list every other tool is let in, otherwise those it matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ToolFilter {
    allow: Vec<Pattern>,
    deny: Vec<Pattern>,
}

impl ToolFilter {
    /// Returns a filter of these globs over tool names.
    ///
    /// # Errors
    /// [`Error::RuleSyntax`] when a glob ends in a backslash that escapes nothing.
    pub fn new<'a>(
        allow: impl IntoIterator<Item = &'a str>,
        deny: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Error> {
        let parse = |text: &str| {
            Pattern::parse(text).map_err(|reason: RuleFault| Error::RuleSyntax { rule: text.to_owned(), reason })
        };
        Ok(Self {
            allow: allow.into_iter().map(parse).collect::<Result<_, _>>()?,
            deny: deny.into_iter().map(parse).collect::<Result<_, _>>()?,
        })
    }

    /// Whether the tool is let in.
    pub fn admits(&self, tool: &str) -> bool {
        let matched = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(tool));
        !matched(&self.deny) && (self.allow.is_empty() || matched(&self.allow))
    }
}
