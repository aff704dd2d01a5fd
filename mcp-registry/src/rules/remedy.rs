//! What would change a decision, as data.

use std::fmt;
use std::sync::Arc;

use crate::error::RuleFault;
use crate::pin::Standing;
use crate::rules::request::Request;
use crate::rules::rule::Rule;
use crate::rules::source::Scope;
use crate::rules::{Findings, Stored};
use crate::snapshot::Origin;

/// One step towards another decision. The names and rules in it are foreign text: whoever makes a command line of one quotes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// Take a rule away.
    Forget {
        /// The rule, as it is written.
        rule: Arc<str>,
        /// Whose settings it stands in: [`Scope::User`] or [`Scope::Project`].
        scope: Scope,
    },
    /// Look at how the server's tools changed, and approve them.
    Approve {
        /// The server.
        server: Arc<str>,
    },
    /// Allow calls by a rule in the user's settings, bound to the server's present definition.
    Allow {
        /// The rule.
        rule: Arc<str>,
    },
    /// Refuse calls by a rule in the user's settings.
    Deny {
        /// The rule.
        rule: Arc<str>,
    },
}

impl fmt::Display for Remedy {
    /// Says it in words that are not to be pasted.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forget { rule, scope } => write!(formatter, "forget the rule `{rule}` of the {}", scope.as_str()),
            Self::Approve { server } => write!(formatter, "approve the tools of `{server}`"),
            Self::Allow { rule } => write!(formatter, "allow `{rule}`"),
            Self::Deny { rule } => write!(formatter, "deny `{rule}`"),
        }
    }
}

/// Returns the steps after which the call is allowed, in order; none when no steps of ours lead there.
///
/// 1. Each rule that denies or asks is forgotten where it is written: nothing else overrules it.
/// 2. A tool that changed is approved again.
/// 3. The tool alone is allowed, bound to the server's present definition, unless a rule does that already.
pub(super) fn steps(findings: &Findings<'_>, request: &Request<'_>) -> Vec<Remedy> {
    let mut steps: Vec<Remedy> = Vec::new();
    for stored in findings.deny.iter().chain(&findings.ask) {
        // One rule that cannot be taken away makes the rest useless.
        let Some(forget) = forget(stored) else { return Vec::new() };
        if !steps.contains(&forget) {
            steps.push(forget);
        }
    }
    if matches!(request.standing, Standing::AskAgain | Standing::Held) {
        steps.push(Remedy::Approve { server: request.server.into() });
    }
    // Forgetting a rule takes its text from every list, so an allow rule of the same text is gone too.
    if findings.allow.is_none() || !steps.is_empty() {
        steps.push(Remedy::Allow { rule: rule_for(request).into() });
    }
    steps
}

/// Returns the step after which every call of the tool is refused.
pub(super) fn refusal(request: &Request<'_>) -> Remedy {
    Remedy::Deny { rule: rule_for(request).into() }
}

/// Returns the rule that covers the called tool alone.
pub(super) fn rule_for(request: &Request<'_>) -> String {
    match request.origin {
        Origin::Host => request.tool.to_owned(),
        Origin::Server => Rule::for_tool(request.server, request.tool),
    }
}

fn forget(stored: &Stored) -> Option<Remedy> {
    // These stand for more than one entry.
    if matches!(stored.fault, Some(RuleFault::Document | RuleFault::TooMany)) {
        return None;
    }
    match stored.scope {
        Scope::User | Scope::Project if !stored.pointer.is_empty() => {
            Some(Remedy::Forget { rule: stored.rule.as_str().into(), scope: stored.scope })
        }
        Scope::User | Scope::Project | Scope::Session | Scope::Foreign => None,
    }
}
