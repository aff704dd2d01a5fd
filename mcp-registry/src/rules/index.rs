//! Which of many rules can speak about a tool, without trying each.

use std::collections::{BTreeSet, HashMap};

use crate::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::subject::{Reach, Reading, Subject, Target};
use crate::snapshot::Origin;

/// Positions of rules in the list of all rules, by what they are about.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    servers: HashMap<Box<str>, ServerIndex>,
    server_globs: Prefixes,
    ids: HashMap<Box<str>, Vec<usize>>,
    id_globs: Prefixes,
    /// Rules that name a tool of the host.
    built_ins: Vec<usize>,
    /// Rules that name a server, or a tool of any server.
    bare: Prefixes,
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
    pub(super) fn insert(&mut self, position: usize, rule: &Rule, reach: Reach) {
        self.is_filled = true;
        let Subject::Named(names) = &rule.subject else { return self.everything.push(position) };
        if names.bare.is_some() {
            self.built_ins.push(position);
        }
        if let Some(bare) = names.bare_anywhere(reach) {
            self.bare.insert(bare.start(), position);
        }
        match names.id(reach) {
            Some(Pattern::Name(id)) => self.ids.entry(id.clone()).or_default().push(position),
            Some(glob @ Pattern::Glob { .. }) => self.id_globs.insert(glob.start(), position),
            None => {}
        }
        names.readings(reach).iter().for_each(|reading| self.insert_reading(position, reading));
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
        !self.ids.is_empty() || !self.id_globs.lengths.is_empty()
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
                found.extend([target.server, target.tool].into_iter().flat_map(|name| self.bare.find(name)));
                for id in target.ids {
                    found.extend(self.ids.get(id.as_str()).into_iter().flatten());
                    found.extend(self.id_globs.find(id.as_str()));
                }
            }
        }
    }
}
