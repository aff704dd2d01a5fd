//! Why a call is decided as it is, rule by rule.

use std::fmt;

use crate::rules::Rules;
use crate::rules::decision::{Decision, RuleUse, Verdict};
use crate::rules::remedy::{self, Remedy};
use crate::rules::request::{Mode, Request};

/// What a rule that covers a tool has to say about one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bearing {
    /// It applies.
    Speaks,
    /// Its conditions on the arguments do not hold.
    OtherArguments,
    /// It allows, but was made for another definition of the server.
    OtherDefinition,
    /// It allows, but is bound to no definition of this server.
    Unbound,
    /// It allows, but stands in a repository that is not trusted.
    Untrusted,
    /// It allows, but cannot be read.
    Unreadable,
}

impl fmt::Display for Bearing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Speaks => "applies",
            Self::OtherArguments => "is about other arguments",
            Self::OtherDefinition => "was made for another definition of the server",
            Self::Unbound => "is bound to no definition of this server",
            Self::Untrusted => "is passed over until the repository is trusted",
            Self::Unreadable => "is passed over, as it cannot be read",
        })
    }
}

/// A rule that covers the tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Considered {
    /// The rule and its place.
    pub rule: RuleUse,
    /// What it has to say.
    pub bearing: Bearing,
}

/// A decision with every rule that could have had a say, in the order in which they are asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Explanation {
    /// The tool, as `server.tool`.
    pub tool: String,
    /// The mode.
    pub mode: Mode,
    /// The decision.
    pub decision: Decision,
    /// The step after which the call would be refused; none when it is refused already.
    pub refusal: Option<Remedy>,
    /// Every rule that covers the tool, the strongest first.
    pub considered: Vec<Considered>,
}

impl Rules {
    /// Decides a call and says what each rule about the tool had to do with it.
    pub fn explain(&self, request: &Request<'_>, mode: Mode) -> Explanation {
        let considered = self.bearings(request).into_iter();
        let separator = if request.server.is_empty() { "" } else { "." };
        let decision = self.decide(request, mode);
        let open = decision.verdict != Verdict::Deny;
        Explanation {
            tool: format!("{}{separator}{}", request.server, request.tool),
            mode,
            refusal: open.then(|| remedy::refusal(request)),
            decision,
            considered: considered.map(|(stored, bearing)| Considered { rule: stored.rule_use(), bearing }).collect(),
        }
    }
}

impl fmt::Display for Explanation {
    /// Writes the decision, and one line for each rule.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} in mode {}: {}", self.tool, self.mode.as_str(), self.decision)?;
        for considered in &self.considered {
            write!(formatter, "\n  {} {}", considered.rule, considered.bearing)?;
        }
        Ok(())
    }
}
