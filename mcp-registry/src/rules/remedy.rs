//! The commands that would change a decision.

use crate::error::RuleFault;
use crate::pin::Standing;
use crate::rules::request::Request;
use crate::rules::rule::Rule;
use crate::rules::source::Scope;
use crate::rules::{Findings, Stored};
use crate::snapshot::Origin;

/// Returns the command after which the call is allowed, none when there is no such command.
///
/// 1. Each rule that denies or asks is forgotten where it is written: nothing else overrules it.
/// 2. A tool that changed is approved again.
/// 3. The tool alone is allowed, bound to the server's present definition, unless a rule does that already.
pub(super) fn command(findings: &Findings<'_>, request: &Request<'_>) -> Option<String> {
    let mut commands: Vec<String> = Vec::new();
    for stored in findings.deny.iter().chain(&findings.ask) {
        let forget = forget(stored)?;
        if !commands.contains(&forget) {
            commands.push(forget);
        }
    }
    if matches!(request.standing, Standing::AskAgain | Standing::Quarantined) {
        commands.push(format!("mcpctl approve {}", quote(request.server)?));
    }
    // Forgetting a rule takes its text from every list, so an allow rule of the same text is gone too.
    if findings.allow.is_none() || !commands.is_empty() {
        commands.push(format!("mcpctl allow --scope user {}", quote(&rule_for(request))?));
    }
    Some(commands.join(" && "))
}

/// Returns the command after which every call of the tool is refused.
pub(super) fn refusal(request: &Request<'_>) -> Option<String> {
    Some(format!("mcpctl deny --scope user {}", quote(&rule_for(request))?))
}

/// Returns the rule that covers the called tool alone.
pub(super) fn rule_for(request: &Request<'_>) -> String {
    match request.origin {
        Origin::Host => request.tool.to_owned(),
        Origin::Server => Rule::for_tool(request.server, request.tool),
    }
}

fn forget(stored: &Stored) -> Option<String> {
    // These stand for more than one entry.
    if matches!(stored.fault, Some(RuleFault::Document | RuleFault::TooMany)) {
        return None;
    }
    match stored.scope {
        Scope::User | Scope::Project if !stored.pointer.is_empty() => {
            let rule = quote(stored.rule.as_str())?;
            Some(format!("mcpctl permissions forget --scope {} {rule}", stored.scope.as_str()))
        }
        Scope::User | Scope::Project | Scope::Session | Scope::Foreign => None,
    }
}

/// Quotes a word for a POSIX shell; none for text that no command line can hold (a NUL character).
fn quote(word: &str) -> Option<String> {
    let quoted = shlex::try_quote(word).ok()?;
    // A word that starts with a dash would be taken for an option.
    Some(if word.starts_with('-') { format!("-- {quoted}") } else { quoted.into_owned() })
}
