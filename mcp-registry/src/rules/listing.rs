//! All rules, for a person to look through.

use crate::error::RuleFault;
use crate::name::{NameStyle, ToolName};
use crate::rules::Rules;
use crate::rules::decision::RuleUse;
use crate::rules::rule::Rule;
use crate::rules::source::{Authority, Binding};
use crate::snapshot::{Origin, Registered, Snapshot};

/// A rule as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ListedRule {
    /// The rule and its place.
    pub rule: RuleUse,
    /// Why it cannot be read, if it cannot.
    pub fault: Option<RuleFault>,
    /// The definitions an allow rule was made for; empty for one that is bound to none.
    pub bindings: Vec<Binding>,
    /// What the rules of its source may do.
    pub authority: Authority,
}

impl Rules {
    /// Returns every rule in the order in which they are asked: by tier, then by source, then by place.
    pub fn list(&self) -> impl ExactSizeIterator<Item = ListedRule> + '_ {
        self.stored.iter().map(|stored| ListedRule {
            rule: stored.rule_use(),
            fault: stored.fault,
            bindings: stored.bindings.clone(),
            authority: stored.authority,
        })
    }
}

impl Rule {
    /// Returns the definitions that an allow rule of this text has to be bound to so that it covers the tools it is about now,
    /// sorted by server.
    pub fn bindings(&self, snapshot: &Snapshot) -> Vec<Binding> {
        let mut bindings: Vec<Binding> = snapshot
            .tools()
            .filter(|tool| tool.origin == Origin::Server)
            .filter(|tool| self.names_tool(&tool.server, &tool.tool.name, tool.origin, &ids(tool)))
            .map(|tool| Binding { server: tool.server.to_string(), definition: tool.definition.to_string() })
            .collect();
        bindings.sort();
        bindings.dedup();
        bindings
    }
}

fn ids(tool: &Registered) -> [ToolName; 2] {
    NameStyle::ALL.map(|style| ToolName::new(style, &tool.server, &tool.tool.name))
}
