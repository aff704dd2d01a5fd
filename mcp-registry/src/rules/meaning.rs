//! What a person means by the name of a server or a tool.

use std::collections::BTreeSet;

use crate::error::{Error, RuleFault};
use crate::pattern::Pattern;
use crate::rules::known::{Aim, Known};
use crate::rules::rule::{Rule, split_arguments, trim};
use crate::rules::source::Tier;
use crate::rules::subject::splits;

/// How many near misses are worth reading.
const NEAREST: usize = 3;

/// Names less alike than this are not near (1 is equal).
const LIKENESS: f64 = 0.6;

/// Names of more bytes are not compared.
const LONGEST_COMPARED: usize = 256;

impl Rule {
    /// Reads a rule as a person types it, who may leave out what can be told from the servers and tools there are.
    ///
    /// | typed | meant |
    /// |---|---|
    /// | `web`, the name of a server | the whole server, `mcp__web` |
    /// | `web.echo`, `web__echo`, `web echo`, `web/echo` | one tool, `mcp__web__echo` |
    /// | `write_file`, the name of a tool | to deny or ask: that tool of every server, `mcp__*__write_file`; to allow: of the one that has it |
    /// | a rule as it is written elsewhere | itself |
    ///
    /// # Errors
    /// [`Error::RuleSyntax`] for what cannot be read, [`Error::RuleAboutNothing`] for what is about no known server and no known
    /// tool, [`Error::RuleAmbiguous`] where it could be any of several rules and one has to be chosen.
    ///
    /// ```
    /// use mcp_registry::{Known, Rule, Tier};
    ///
    /// let mut known = Known::default();
    /// known.add_tools("fs", ["write_file"]);
    ///
    /// let meant = |text| Rule::meant(text, Tier::Deny, &known);
    /// assert_eq!(meant("fs")?.as_str(), "mcp__fs");
    /// assert_eq!(meant("fs.write_file(path=/etc/**)")?.as_str(), "mcp__fs__write_file(path=/etc/**)");
    /// assert!(meant("fs.wriet_file").is_err());
    /// # Ok::<(), mcp_registry::Error>(())
    /// ```
    pub fn meant(text: &str, tier: Tier, known: &Known) -> Result<Self, Error> {
        let text = trim(text);
        let names = split_arguments(text).map_or(text, |(names, _)| names);
        let arguments = text.strip_prefix(names).unwrap_or_default();
        let parsed = Self::parse(text);
        match &parsed {
            Ok(rule) if !rule.is_bare() && known.aim(rule, tier) != Aim::Nothing => return parsed,
            Ok(_) | Err(Error::RuleSyntax { reason: RuleFault::NotAName | RuleFault::Wildcard, .. }) => {}
            Err(_) => return parsed,
        }
        let candidates = known.candidates(names, tier);
        match (candidates.first(), candidates.len(), parsed) {
            (Some(only), 1, _) => Self::parse(&format!("{only}{arguments}")),
            // It covers whatever has the name; to allow, one is to be chosen.
            (Some(_), _, Ok(rule)) if tier != Tier::Allow && known.aim(&rule, tier) == Aim::Known => Ok(rule),
            (Some(_), ..) => {
                let candidates = candidates.iter().map(|rule| format!("{rule}{arguments}")).collect();
                Err(Error::RuleAmbiguous { rule: text.to_owned(), candidates })
            }
            // It names a tool of the host.
            (None, _, Ok(rule)) if known.aim(&rule, tier) == Aim::Known => Ok(rule),
            (None, _, Err(error @ Error::RuleSyntax { reason: RuleFault::Wildcard, .. })) => Err(error),
            (None, ..) => Err(Error::RuleAboutNothing { rule: text.to_owned(), nearest: known.nearest(names) }),
        }
    }
}

impl Known {
    /// Returns the rules that these names may stand for, without conditions on arguments.
    fn candidates(&self, names: &str, tier: Tier) -> BTreeSet<String> {
        let mut rules = BTreeSet::new();
        let pattern = Pattern::parse(names).ok();
        let matches = |name: &str| name == names || pattern.as_ref().is_some_and(|pattern| pattern.matches(name));
        if self.servers.contains_key(names) {
            rules.extend(Rule::for_server(names));
        } else if self.servers.keys().any(|server| matches(server)) {
            rules.insert(format!("mcp__{names}"));
        }
        for (server, tool) in [".", "__", " ", "/"].into_iter().flat_map(|separator| splits(names, separator)) {
            rules.extend(self.servers.get(server).and_then(|tools| rule_in(server, tool, tools.as_ref())));
        }
        let having = self.tools().filter(|(_, tool)| matches(tool)).map(|(server, _)| server);
        let having: BTreeSet<&str> = having.collect();
        match tier {
            Tier::Allow => rules.extend(
                having.into_iter().filter_map(|server| rule_in(server, names, self.servers.get(server)?.as_ref())),
            ),
            Tier::Deny | Tier::Ask if having.is_empty() => {}
            Tier::Deny | Tier::Ask => {
                rules.insert(format!("mcp__*__{names}"));
            }
        }
        rules
    }

    /// Returns rules about what has the most similar names, the most similar first.
    pub(super) fn nearest(&self, names: &str) -> Vec<String> {
        let names = names.to_lowercase();
        let bare = names.strip_prefix("mcp_").unwrap_or(&names);
        let wanted = bare.trim_matches(['*', '_', '.', ' ']).replace('.', "__");
        let likeness = |name: &str| {
            let likeness = || strsim::normalized_damerau_levenshtein(&wanted, &name.to_lowercase());
            if wanted.len().max(name.len()) > LONGEST_COMPARED { 0.0 } else { likeness() }
        };
        let servers = self.servers.keys().filter_map(|name| Some((likeness(name), Rule::for_server(name)?)));
        let tools = self.tools().map(|(server, tool)| {
            (likeness(tool).max(likeness(&format!("{server}__{tool}"))), Rule::for_tool(server, tool))
        });
        let mut near: Vec<(f64, String)> = servers.chain(tools).filter(|(likeness, _)| *likeness >= LIKENESS).collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        near.into_iter().take(NEAREST).map(|(_, rule)| rule).collect()
    }
}

/// Returns the rule about a tool of a server, or about those that a glob matches; none where it is certain that there is none.
fn rule_in(server: &str, tool: &str, tools: Option<&BTreeSet<String>>) -> Option<String> {
    if tool.is_empty() {
        return None;
    }
    let glob = Pattern::parse(tool).ok().filter(|pattern| pattern.as_name().is_none());
    match (glob, tools) {
        (_, Some(tools)) if tools.contains(tool) => Some(Rule::for_tool(server, tool)),
        (Some(glob), Some(tools)) if !tools.iter().any(|name| glob.matches(name)) => None,
        (Some(_), _) => Some(format!("{}__{tool}", Rule::for_server(server)?)),
        (None, Some(_)) => None,
        (None, None) => Some(Rule::for_tool(server, tool)),
    }
}
