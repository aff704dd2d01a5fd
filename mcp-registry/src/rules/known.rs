//! The servers and tools there are, and whether a rule is about any of them.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::name::{NameStyle, ToolName};
use crate::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::source::Tier;
use crate::rules::subject::{Names, Reach, Reading, Subject};
use crate::snapshot::{Origin, Snapshot};

/// The servers there are and the tools they have, as far as somebody knows: what a rule can be about.
///
/// ```
/// use mcp_registry::{Aim, Known, Rule, Tier};
///
/// let mut known = Known::default();
/// known.add_server("linear");
/// known.add_tools("fs", ["read_file", "write_file"]);
///
/// let aim = |rule| Rule::parse(rule).map(|rule| known.aim(&rule, Tier::Deny));
/// assert_eq!(aim("mcp__fs__write_file")?, Aim::Known);
/// assert_eq!(aim("mcp__fs__wriet_file")?, Aim::Nothing);
/// assert_eq!(aim("mcp__linear__delete_issue")?, Aim::Possible, "nobody has seen the tools of this server");
/// # Ok::<(), mcp_registry::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The tools of each server; none where nobody has seen them.
    pub(super) servers: BTreeMap<String, Option<BTreeSet<String>>>,
    pub(super) built_ins: BTreeSet<String>,
}

/// Whether a rule is about anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aim {
    /// It is about no server that is known and no tool that is: mistyped, or made for what is not here.
    Nothing,
    /// It may be about a tool that nobody has seen yet, of a server whose tools are not known or, where it names no server, of
    /// any that comes; or there were too many names to look at them all.
    Possible,
    /// It is about something that is known.
    Known,
}

impl Known {
    /// Returns the servers and tools of a snapshot, also those that are held back.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut known = Self::default();
        for server in snapshot.servers() {
            known.add_tools(server, snapshot.server_tools(server).map(|tool| tool.tool.name.clone()));
        }
        for held in snapshot.held() {
            known.add_tools(&*held.server, [held.name.clone()]);
        }
        let built_ins = snapshot.tools().filter(|tool| tool.origin == Origin::Host);
        known.built_ins.extend(built_ins.map(|tool| tool.tool.name.clone()));
        known
    }

    /// Adds a server whose tools nobody has seen; one that is known stays as it is.
    pub fn add_server(&mut self, name: impl Into<String>) {
        self.servers.entry(name.into()).or_default();
    }

    /// Adds tools of a server to those that are known.
    pub fn add_tools(&mut self, server: impl Into<String>, tools: impl IntoIterator<Item = impl Into<String>>) {
        let known = self.servers.entry(server.into()).or_default();
        known.get_or_insert_default().extend(tools.into_iter().map(Into::into));
    }

    /// Returns whether a rule of this tier is about anything.
    pub fn aim(&self, rule: &Rule, tier: Tier) -> Aim {
        Judge::new(self).aim(rule, Reach::of(tier))
    }

    /// Returns every tool whose server's tools are known, with the server.
    pub(super) fn tools(&self) -> impl Iterator<Item = (&str, &str)> {
        let tools = |(server, tools)| -> Box<dyn Iterator<Item = (&str, &str)>> {
            let (server, tools): (&String, &Option<BTreeSet<String>>) = (server, tools);
            Box::new(tools.iter().flatten().map(move |tool| (server.as_str(), tool.as_str())))
        };
        self.servers.iter().flat_map(tools)
    }

    /// Returns the same with all names in lower case, for a dialect that ignores case.
    pub(super) fn lower_case(&self) -> Self {
        let lower = |names: &BTreeSet<String>| names.iter().map(|name| name.to_lowercase()).collect();
        let servers = self.servers.iter().map(|(name, tools)| (name.to_lowercase(), tools.as_ref().map(lower)));
        Self { servers: servers.collect(), built_ins: lower(&self.built_ins) }
    }
}

/// How many names one judge compares with patterns: a repository may bring thousands of rules, a server thousands of tools.
const MOST_COMPARISONS: usize = 1_000_000;

/// Compares rules with what is known, within a bounded number of steps for all of them.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    known: &'a Known,
    /// The ids of all known tools, made when a rule asks for them.
    ids: OnceCell<Vec<ToolName>>,
    comparisons: Cell<usize>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(known: &'a Known) -> Self {
        Self { known, ids: OnceCell::new(), comparisons: Cell::new(0) }
    }

    /// Whether there was more to compare than is compared.
    pub(super) fn is_exhausted(&self) -> bool {
        self.comparisons.get() > MOST_COMPARISONS
    }

    pub(super) fn aim(&self, rule: &Rule, reach: Reach) -> Aim {
        let Subject::Named(names) = &rule.subject else { return Aim::Known };
        let readings = names.readings(reach).iter().map(|reading| self.aim_of_reading(reading));
        let id = names.id(reach).map(|id| self.aim_of_id(id));
        let aim = readings.chain(id).chain([self.aim_of_bare(names, reach)]).max().unwrap_or(Aim::Nothing);
        if self.is_exhausted() { aim.max(Aim::Possible) } else { aim }
    }

    fn aim_of_bare(&self, names: &Names, reach: Reach) -> Aim {
        let of_host = names.bare.as_ref().is_some_and(|bare| self.any(bare, self.known.built_ins.iter()));
        let anywhere = names.bare_anywhere(reach).is_some_and(|bare| {
            self.any(bare, self.known.servers.keys()) || self.any(bare, self.known.tools().map(|(_, tool)| tool))
        });
        // A name that nobody has seen may be a tool of any server that is not connected, or just mistyped: it counts for nothing.
        if of_host || anywhere { Aim::Known } else { Aim::Nothing }
    }

    fn aim_of_reading(&self, reading: &Reading) -> Aim {
        let servers = &self.known.servers;
        if let Some(name) = reading.server.as_name() {
            return servers.get(name).map_or(Aim::Nothing, |tools| self.aim_at(reading, tools.as_ref()));
        }
        let meant = servers.iter().filter(|(name, _)| self.is_match(&reading.server, name));
        let least = if reading.server.is_any() { Aim::Possible } else { Aim::Nothing };
        meant.map(|(_, tools)| self.aim_at(reading, tools.as_ref())).max().unwrap_or(least).max(least)
    }

    fn aim_at(&self, reading: &Reading, tools: Option<&BTreeSet<String>>) -> Aim {
        match (&reading.tool, tools) {
            (None, _) => Aim::Known,
            (Some(_), None) => Aim::Possible,
            (Some(Pattern::Name(tool)), Some(tools)) if tools.contains(&**tool) => Aim::Known,
            (Some(Pattern::Name(_)), Some(_)) => Aim::Nothing,
            (Some(glob), Some(tools)) if self.any(glob, tools.iter()) => Aim::Known,
            (Some(_), Some(_)) => Aim::Nothing,
        }
    }

    fn aim_of_id(&self, id: &Pattern) -> Aim {
        let unseen = self.known.servers.iter().filter(|(_, tools)| tools.is_none()).map(|(name, _)| name);
        if self.any(id, self.ids()) {
            Aim::Known
        } else if unseen.into_iter().any(|server| may_be_id_of(id, server)) {
            Aim::Possible
        } else {
            Aim::Nothing
        }
    }

    fn ids(&self) -> impl Iterator<Item = &ToolName> {
        let both = |(server, tool): (&str, &str)| NameStyle::ALL.map(|style| ToolName::new(style, server, tool));
        self.ids.get_or_init(|| self.known.tools().flat_map(both).collect()).iter()
    }

    fn any(&self, pattern: &Pattern, mut names: impl Iterator<Item = impl AsRef<str>>) -> bool {
        names.any(|name| self.is_match(pattern, name.as_ref()))
    }

    fn is_match(&self, pattern: &Pattern, name: &str) -> bool {
        self.comparisons.set(self.comparisons.get() + 1);
        !self.is_exhausted() && pattern.matches(name)
    }
}

/// Whether an id, or one that a glob matches, may be that of a tool of the server.
pub(super) fn may_be_id_of(id: &Pattern, server: &str) -> bool {
    NameStyle::ALL.into_iter().any(|style| {
        let beginning = ToolName::beginning(style, server);
        beginning.starts_with(id.start()) || id.start().starts_with(&beginning)
    })
}
