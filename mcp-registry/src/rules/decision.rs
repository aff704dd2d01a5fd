//! What the rules answer, and why.

use std::fmt;
use std::sync::Arc;

use crate::effect::Effect;
use crate::error::RuleFault;
use crate::pin::Standing;
use crate::rules::remedy::Remedy;
use crate::rules::request::Mode;
use crate::rules::source::{Scope, Tier};

/// Whether a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// It is made.
    Allow,
    /// A person is asked first.
    Ask,
    /// It is refused.
    Deny,
}

impl Verdict {
    /// Returns `allow`, `ask` or `deny`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A rule at its place, as a decision names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RuleUse {
    /// What the rule does.
    pub tier: Tier,
    /// The rule as it is written.
    pub rule: Arc<str>,
    /// The source's name, such as a path.
    pub source: Arc<str>,
    /// Which file a command would have to change.
    pub scope: Scope,
    /// A JSON pointer into the source; empty for rules that are in no document.
    pub pointer: Arc<str>,
}

impl RuleUse {
    /// Returns the source with the place in it: `settings.json:/permissions/deny/0`.
    pub fn place(&self) -> String {
        if self.pointer.is_empty() { self.source.to_string() } else { format!("{}:{}", self.source, self.pointer) }
    }
}

impl fmt::Display for RuleUse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the {} rule `{}` ({})", self.tier.as_str(), self.rule, self.place())
    }
}

/// What decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Because {
    /// A rule.
    Rule(RuleUse),
    /// A rule that cannot be read, which therefore covers all it may have been written for.
    Unreadable(RuleUse, RuleFault),
    /// The person said yes to this very call.
    Once,
    /// The tool is not what the user approved.
    Standing(Standing),
    /// A rule allows the tool, but it was made for another definition of the server.
    OtherDefinition(RuleUse),
    /// The mode refuses mutating calls that no rule allows.
    Mode(Mode),
    /// No rule speaks: read-only calls are made, mutating calls ask.
    Default(Effect),
    /// The call would have asked, and the mode has nobody to ask.
    NobodyToAsk(Mode, Box<Self>),
}

impl Because {
    /// Returns the rule that decided, if one did.
    pub fn rule(&self) -> Option<&RuleUse> {
        match self {
            Self::Rule(rule) | Self::Unreadable(rule, _) | Self::OtherDefinition(rule) => Some(rule),
            Self::NobodyToAsk(_, because) => because.rule(),
            Self::Once | Self::Standing(_) | Self::Mode(_) | Self::Default(_) => None,
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => write!(formatter, "{rule} says so"),
            Self::Unreadable(rule, fault) => {
                write!(formatter, "{rule} cannot be read ({fault}) and covers all it may mean")
            }
            Self::Once => formatter.write_str("it was granted for this once"),
            Self::Standing(_) => formatter.write_str("nobody has approved the tool as it is now"),
            Self::OtherDefinition(rule) => {
                write!(formatter, "{rule} was made for another definition of the server")
            }
            Self::Mode(mode) => write!(formatter, "mode {} refuses mutating calls that no rule allows", mode.as_str()),
            Self::Default(Effect::ReadOnly) => formatter.write_str("no rule speaks and the tool is read-only"),
            Self::Default(Effect::Mutating) => formatter.write_str("no rule speaks and the tool may change something"),
            Self::NobodyToAsk(mode, because) => write!(formatter, "{because}, and mode {} asks nobody", mode.as_str()),
        }
    }
}

/// What a person may answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// Not this time.
    Deny,
    /// This very call.
    Once,
    /// Every call of the tool in this session.
    Session,
    /// Every call of the tool in this project: a rule in the project's settings.
    Project,
    /// Every call of the tool: a rule in the user's settings.
    Always,
}

/// What the rules say about a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Decision {
    /// Whether the call is made.
    pub verdict: Verdict,
    /// What decided.
    pub because: Because,
    /// The steps after which the call would be allowed, in their order; none when it is allowed already, or when a rule stands
    /// in the way that none of them changes: one of another program, or one the host set for the session.
    pub remedies: Vec<Remedy>,
    pub(super) answers: &'static [Answer],
}

impl Decision {
    /// Returns the answers that can settle the question, from the least to the most.
    ///
    /// An answer that would not be heard the next time is not on offer: none that lasts where an ask rule asks, or a tool that
    /// changed; and none for a project whose settings only tighten ([`crate::Authority::Tighten`]).
    pub fn answers(&self) -> &'static [Answer] {
        self.answers
    }

    /// Whether a rule says that a person is to be asked. It is then not enough that one wants the call: where no rule speaks,
    /// that answers the question.
    pub fn asks_by_rule(&self) -> bool {
        self.verdict == Verdict::Ask && matches!(self.because, Because::Rule(_) | Because::Unreadable(..))
    }
}

impl fmt::Display for Decision {
    /// Writes `deny: mode plan refuses mutating calls that no rule allows`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.verdict.as_str(), self.because)
    }
}
