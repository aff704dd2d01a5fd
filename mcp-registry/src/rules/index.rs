//! Which of many rules can speak about a tool, without trying each.

use std::collections::HashMap;

use crate::rules::rule::{Rule, Subject, Target};
use crate::rules::source::Tier;
use crate::snapshot::Origin;

/// Positions of rules in the list of all rules, by what they are about.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    servers: HashMap<Box<str>, ServerIndex>,
    ids: HashMap<Box<str>, Vec<usize>>,
    /// Rules for which only trying helps: globs over servers, rules of another dialect, rules about the host's tools.
    rest: Vec<usize>,
}

/// The rules that name one server.
#[derive(Clone, Debug, Default)]
struct ServerIndex {
    tools: HashMap<Box<str>, Vec<usize>>,
    /// The whole server, or globs over its tools.
    rest: Vec<usize>,
}

impl Index {
    pub(super) fn insert(&mut self, position: usize, rule: &Rule, tier: Tier) {
        let Subject::Server { readings, id } = &rule.subject else {
            self.rest.push(position);
            return;
        };
        if let Some(id) = id {
            self.ids.entry(id.clone()).or_default().push(position);
        }
        let wanted = match (tier, id) {
            (Tier::Allow, Some(_)) => 0,
            (Tier::Allow, None) => 1,
            (Tier::Deny | Tier::Ask, _) => readings.len(),
        };
        for reading in readings.iter().take(wanted) {
            let Some(server) = reading.server.as_name() else {
                self.rest.push(position);
                continue;
            };
            let server = self.servers.entry(server.into()).or_default();
            match reading.tool.as_ref().and_then(|tool| tool.as_name()) {
                Some(tool) => server.tools.entry(tool.into()).or_default().push(position),
                None => server.rest.push(position),
            }
        }
    }

    /// Adds a rule that must be tried on every call.
    pub(super) fn insert_unsorted(&mut self, position: usize) {
        self.rest.push(position);
    }

    pub(super) fn names_ids(&self) -> bool {
        !self.ids.is_empty()
    }

    /// Returns the positions of all rules that may cover the tool, ascending, each once.
    pub(super) fn candidates(&self, target: Target<'_>) -> Vec<usize> {
        let mut found = self.rest.clone();
        if target.origin == Origin::Server {
            if let Some(server) = self.servers.get(target.server) {
                found.extend(&server.rest);
                found.extend(server.tools.get(target.tool).into_iter().flatten());
            }
            found.extend(target.ids.iter().filter_map(|id| self.ids.get(id.as_str())).flatten());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
