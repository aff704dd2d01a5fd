//! Which of many rules can speak about a tool, without trying each.

use std::collections::{BTreeSet, HashMap};

use crate::pattern::Pattern;
use crate::rules::rule::{Reading, Rule, Subject, Target};
use crate::rules::source::Tier;
use crate::snapshot::Origin;

/// Positions of rules in the list of all rules, by what they are about.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    servers: HashMap<Box<str>, ServerIndex>,
    server_globs: Prefixes,
    ids: HashMap<Box<str>, Vec<usize>>,
    built_ins: Vec<usize>,
    everything: Vec<usize>,
    is_filled: bool,
}

/// The rules that name one server.
#[derive(Clone, Debug, Default)]
struct ServerIndex {
    whole: Vec<usize>,
    tools: HashMap<Box<str>, Vec<usize>>,
    tool_globs: Prefixes,
}

/// Rules by what a name must start with to match their glob.
#[derive(Clone, Debug, Default)]
struct Prefixes {
    positions: HashMap<Box<str>, Vec<usize>>,
    /// The lengths of all prefixes, in bytes.
    lengths: BTreeSet<usize>,
}

impl Prefixes {
    fn insert(&mut self, prefix: &str, position: usize) {
        self.lengths.insert(prefix.len());
        self.positions.entry(prefix.into()).or_default().push(position);
    }

    fn find<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a usize> {
        let prefixes = self.lengths.range(..=name.len()).filter_map(|length| name.get(..*length));
        prefixes.filter_map(|prefix| self.positions.get(prefix)).flatten()
    }
}

impl Index {
    pub(super) fn insert(&mut self, position: usize, rule: &Rule, tier: Tier) {
        self.is_filled = true;
        let (readings, id) = match &rule.subject {
            Subject::Everything => return self.everything.push(position),
            Subject::BuiltIn(_) => return self.built_ins.push(position),
            Subject::Server { readings, id } => (readings, id),
        };
        if let Some(id) = id {
            self.ids.entry(id.clone()).or_default().push(position);
        }
        let wanted = match (tier, id) {
            (Tier::Allow, Some(_)) => 0,
            (Tier::Allow, None) => 1,
            (Tier::Deny | Tier::Ask, _) => readings.len(),
        };
        readings.iter().take(wanted).for_each(|reading| self.insert_reading(position, reading));
    }

    fn insert_reading(&mut self, position: usize, reading: &Reading) {
        let Some(server) = reading.server.as_name() else {
            return self.server_globs.insert(reading.server.start(), position);
        };
        let server = self.servers.entry(server.into()).or_default();
        match &reading.tool {
            None => server.whole.push(position),
            Some(Pattern::Name(tool)) => server.tools.entry(tool.clone()).or_default().push(position),
            Some(glob @ Pattern::Glob { .. }) => server.tool_globs.insert(glob.start(), position),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_filled
    }

    pub(super) fn names_ids(&self) -> bool {
        !self.ids.is_empty()
    }

    /// Adds the positions of all rules that may cover the tool, some of them more than once.
    pub(super) fn collect(&self, target: Target<'_>, found: &mut Vec<usize>) {
        found.extend(&self.everything);
        match target.origin {
            Origin::Host => found.extend(&self.built_ins),
            Origin::Server => {
                if let Some(server) = self.servers.get(target.server) {
                    found.extend(&server.whole);
                    found.extend(server.tools.get(target.tool).into_iter().flatten());
                    found.extend(server.tool_globs.find(target.tool));
                }
                found.extend(self.server_globs.find(target.server));
                found.extend(target.ids.iter().filter_map(|id| self.ids.get(id.as_str())).flatten());
            }
        }
    }
}
