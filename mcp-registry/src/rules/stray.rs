//! Rules that are about nothing.

use std::fmt;

use crate::error::Problem;
use crate::rules::decision::RuleUse;
use crate::rules::known::{Aim, Judge, Known};
use crate::rules::source::{Scope, Tier};
use crate::rules::{Rules, Stored};

/// For how many rules the nearest names are looked for: each is compared with every name.
const MOST_ADVISED: usize = 5;

/// A rule that is about no server that is known and no tool that is, so that it does nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct StrayRule {
    /// The rule and its place.
    pub rule: RuleUse,
    /// Rules about what has the most similar names, the most similar first; for the first few stray rules only.
    pub nearest: Vec<String>,
}

impl StrayRule {
    /// Returns what it says, with its place.
    pub fn problem(&self) -> Problem {
        Problem::new(self.rule.place(), self.message())
    }

    fn message(&self) -> String {
        format!("`{}` {}", self.rule.rule, self.consequence())
    }

    /// Returns what follows from it, for whoever has named the rule: `denies nothing: …`.
    pub fn consequence(&self) -> String {
        let nothing = match self.rule.tier {
            Tier::Deny => "denies nothing",
            Tier::Ask => "asks before nothing",
            Tier::Allow => "allows nothing",
        };
        let nearest = self.nearest.iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", ");
        let nearest = if nearest.is_empty() { nearest } else { format!("; nearest: {nearest}") };
        format!("{nothing}: it is about no configured server and no known tool{nearest}")
    }
}

impl fmt::Display for StrayRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem().fmt(formatter)
    }
}

/// The rules that are about nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrayRules {
    /// In the order in which rules are asked.
    pub rules: Vec<StrayRule>,
    /// Whether there were too many rules and names to compare them all, so that there may be more.
    pub is_cut: bool,
}

impl Rules {
    /// Whether it depends on the tools of this server which rules are stray.
    pub fn depend_on_tools_of(&self, server: &str) -> bool {
        let lower = server.to_lowercase();
        self.judged().any(|stored| {
            let rule = stored.lowered.as_ref().unwrap_or(&stored.rule);
            let name = if stored.lowered.is_some() { lower.as_str() } else { server };
            rule.names_tools_of(name, stored.reach())
        })
    }

    /// Returns the rules that could be stray: none that cannot be read, that the host itself set, or that are about what another
    /// program calls its own tools, which is its business.
    fn judged(&self) -> impl Iterator<Item = &Stored> {
        let is_judged =
            |stored: &&Stored| stored.fault.is_none() && stored.scope != Scope::Session && !stored.rule.is_of_host();
        self.stored.iter().filter(is_judged)
    }

    /// Returns the rules that are about nothing that is known.
    ///
    /// Those that cannot be read are left out, as they cover more than is written, and those that the host itself set.
    pub fn strays(&self, known: &Known) -> StrayRules {
        let lower = known.lower_case();
        let (exact, folded) = (Judge::new(known), Judge::new(&lower));
        let mut strays = StrayRules::default();
        for stored in self.judged() {
            let aim = match &stored.lowered {
                Some(lowered) => folded.aim(lowered, stored.reach()),
                None => exact.aim(&stored.rule, stored.reach()),
            };
            if aim == Aim::Nothing {
                let is_advised = strays.rules.len() < MOST_ADVISED;
                let nearest = if is_advised { known.nearest(stored.rule.names()) } else { Vec::new() };
                strays.rules.push(StrayRule { rule: stored.rule_use(), nearest });
            }
        }
        strays.is_cut = exact.is_exhausted() || folded.is_exhausted();
        strays
    }
}
