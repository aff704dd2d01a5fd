//! Where rules come from, and what they may do there.

use std::sync::Arc;

use crate::error::{Error, RuleFault};
use crate::rules::rule::Rule;

/// What a rule does. The order is the precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// The call is refused.
    Deny,
    /// A person is asked each time.
    Ask,
    /// The call is made.
    Allow,
}

impl Tier {
    /// Every tier, the strongest first.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// Returns `deny`, `ask` or `allow`, which is also the name of the list in a settings file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// Which file a command would have to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// This session's memory.
    Session,
    /// The project's settings.
    Project,
    /// The user's settings.
    User,
    /// A file of another program, which is read and never written.
    Foreign,
}

impl Scope {
    /// Returns `session`, `project`, `user` or `foreign`; the commands accept the middle two.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::User => "user",
            Self::Foreign => "foreign",
        }
    }
}

/// What rules of a source may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Authority {
    /// They count, each in its tier.
    Full,
    /// They only tighten, as rules of a repository do until the user trusts it: allow rules are passed over.
    Tighten,
}

/// What an allow rule does that names no definition it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unbound {
    /// Nothing, until a command binds it: somebody else may have taken the server's name since it was written.
    PassOver,
    /// It counts whatever the definition.
    Apply,
}

/// How names in rules are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// By case.
    Toolkit,
    /// As `FreeCode` does: rules that deny or ask ignore case. Rules that allow do not, as they would cover other tools.
    FreeCode,
}

/// Where rules come from. The constructors name the usual places; the fields can be set for others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// What a person calls it: a path, or `session`.
    pub name: String,
    /// Which file a command would have to change.
    pub scope: Scope,
    /// What its rules may do.
    pub authority: Authority,
    /// What its allow rules do that are bound to no definition.
    pub unbound: Unbound,
    /// How its rules are compared.
    pub dialect: Dialect,
}

impl Source {
    /// Returns what the host itself says in this process: full authority, and nothing needs to be bound.
    pub fn session() -> Self {
        Self {
            name: "session".to_owned(),
            scope: Scope::Session,
            authority: Authority::Full,
            unbound: Unbound::Apply,
            dialect: Dialect::Toolkit,
        }
    }

    /// Returns the user's settings file.
    pub fn user(path: impl Into<String>) -> Self {
        Self { name: path.into(), scope: Scope::User, unbound: Unbound::PassOver, ..Self::session() }
    }

    /// Returns a project's settings file; its authority depends on whether the user trusts the repository.
    pub fn project(path: impl Into<String>, authority: Authority) -> Self {
        Self { name: path.into(), scope: Scope::Project, authority, unbound: Unbound::PassOver, ..Self::session() }
    }

    /// Returns a `settings.json` of `FreeCode`. Its rules know no definitions, so they count without.
    pub fn freecode(path: impl Into<String>, authority: Authority) -> Self {
        Self {
            name: path.into(),
            scope: Scope::Foreign,
            authority,
            unbound: Unbound::Apply,
            dialect: Dialect::FreeCode,
        }
    }
}

/// The server definition an allow rule was made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Binding {
    /// The server's name.
    pub server: String,
    /// The hash of its configuration.
    pub definition: String,
}

/// A rule at its place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) tier: Tier,
    pub(crate) rule: Rule,
    /// A JSON pointer into the source; empty for rules that are in no document.
    pub(crate) pointer: Arc<str>,
    /// The definitions an allow rule was made for; none is unbound.
    pub(crate) bindings: Vec<Binding>,
    /// Why the rule could not be read as it was meant. It then covers at least what was meant if it denies or asks, and
    /// nothing if it allows.
    pub(crate) fault: Option<RuleFault>,
}

/// The rules of one source. [`crate::parse_settings`] reads them from a settings file.
#[derive(Clone, Debug)]
pub struct RuleLayer {
    pub(crate) source: Source,
    pub(crate) entries: Vec<Entry>,
}

impl RuleLayer {
    /// Returns a source without rules.
    pub fn new(source: Source) -> Self {
        Self { source, entries: Vec::new() }
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// [`Error::RuleSyntax`] when it cannot be read.
    pub fn with(mut self, tier: Tier, rule: &str) -> Result<Self, Error> {
        self.push(tier, Rule::parse(rule)?, Vec::new());
        Ok(self)
    }

    /// Adds a rule that allows, made for one definition of a server.
    ///
    /// # Errors
    /// [`Error::RuleSyntax`] when it cannot be read.
    pub fn with_allowed(mut self, rule: &str, binding: Binding) -> Result<Self, Error> {
        self.push(Tier::Allow, Rule::parse(rule)?, vec![binding]);
        Ok(self)
    }

    /// Returns the source.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns each rule with its tier and its place (a JSON pointer, or empty), in the source's order.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = (Tier, &Rule, &str)> {
        self.entries.iter().map(|entry| (entry.tier, &entry.rule, &*entry.pointer))
    }

    /// Takes the allow rules out that nobody has agreed to: they become a second source of the same name that only tightens,
    /// so that they are listed and explained, and allow nothing.
    ///
    /// ```
    /// use mcp_registry::{Authority, Source, Tier, parse_settings};
    ///
    /// let (layer, _) = parse_settings(Source::project("p", Authority::Full), r#"{"permissions": {"allow": ["mcp__a", "mcp__b"]}}"#);
    /// let (agreed, rest) = layer.withholding(|rule| rule == "mcp__a");
    /// assert_eq!((agreed.rules().len(), rest.rules().len()), (1, 1));
    /// assert_eq!(rest.source().authority, Authority::Tighten);
    /// ```
    #[must_use]
    pub fn withholding(mut self, is_agreed: impl Fn(&str) -> bool) -> (Self, Self) {
        let is_withheld = |entry: &Entry| entry.tier == Tier::Allow && !is_agreed(entry.rule.as_str());
        let (withheld, kept) = std::mem::take(&mut self.entries).into_iter().partition(is_withheld);
        let rest = Self { source: Source { authority: Authority::Tighten, ..self.source.clone() }, entries: withheld };
        (Self { entries: kept, ..self }, rest)
    }

    pub(crate) fn push(&mut self, tier: Tier, rule: Rule, bindings: Vec<Binding>) {
        self.entries.push(Entry { tier, rule, pointer: "".into(), bindings, fault: None });
    }
}
