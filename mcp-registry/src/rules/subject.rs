//! Which tools a rule is about.

use crate::error::RuleFault;
use crate::name::ToolName;
use crate::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::source::Tier;
use crate::snapshot::Origin;

/// A rule that can be split in more places is refused: each way to read it takes memory and time.
const MOST_READINGS: usize = 16;

/// Which tools a rule is about.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    Everything,
    Named(Names),
}

/// What the names in a rule may mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// A name without a server: a tool of the host; for a rule that denies or asks also a server, or a tool of any server.
    pub(super) bare: Option<Pattern>,
    /// Whether the name without a server can only be that of a tool of the host.
    pub(super) is_of_host: bool,
    /// Each way to split the text into a server and its tools, the first one first.
    pub(super) readings: Vec<Reading>,
    /// How many of them a rule that allows is read in.
    pub(super) certain: usize,
    /// The text itself, when it is spelled like an id that carries a hash, or is a glob that ids can match.
    pub(super) id: Option<Pattern>,
}

/// One way to split a rule's text.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) server: Pattern,
    /// None is the whole server.
    pub(super) tool: Option<Pattern>,
}

impl Reading {
    fn split(server: &str, tool: &str) -> Result<Self, RuleFault> {
        Ok(Self { server: Pattern::parse(server)?, tool: Some(Pattern::parse(tool)?) })
    }

    fn to_lowercase(&self) -> Self {
        Self { server: self.server.to_lowercase(), tool: self.tool.as_ref().map(Pattern::to_lowercase) }
    }

    fn covers(&self, server: &str, tool: &str) -> bool {
        self.server.matches(server) && self.tool.as_ref().is_none_or(|pattern| pattern.matches(tool))
    }
}

/// Who is called, as a rule looks at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) origin: Origin,
    /// The tool's ids in both styles; empty while no rule names an id.
    pub(super) ids: &'a [ToolName],
}

/// How far a rule's text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Every reading: a rule that denies or asks must not miss what it was written for.
    Widest,
    /// What is certain: a rule that allows must not cover what it was not written for.
    Narrowest,
}

impl Reach {
    /// Returns how far a rule of this tier is read.
    pub(super) fn of(tier: Tier) -> Self {
        match tier {
            Tier::Deny | Tier::Ask => Self::Widest,
            Tier::Allow => Self::Narrowest,
        }
    }
}

impl Names {
    /// Returns the ways to split the text that count.
    pub(super) fn readings(&self, reach: Reach) -> &[Reading] {
        match reach {
            Reach::Widest => &self.readings,
            Reach::Narrowest => self.readings.get(..self.certain).unwrap_or(&self.readings),
        }
    }

    /// Returns what an id is compared with, if anything: only an exact one counts in any case.
    pub(super) fn id(&self, reach: Reach) -> Option<&Pattern> {
        self.id.as_ref().filter(|id| reach == Reach::Widest || id.as_name().is_some())
    }

    /// Returns what the name of a server, or of a tool of any server, is compared with.
    pub(super) fn bare_anywhere(&self, reach: Reach) -> Option<&Pattern> {
        self.bare.as_ref().filter(|_| reach == Reach::Widest && !self.is_of_host)
    }

    fn covers(&self, target: Target<'_>, reach: Reach) -> bool {
        match target.origin {
            Origin::Host => self.bare.as_ref().is_some_and(|bare| bare.matches(target.tool)),
            Origin::Server => {
                let is_bare = |bare: &Pattern| bare.matches(target.server) || bare.matches(target.tool);
                let is_id = |pattern: &Pattern| target.ids.iter().any(|id| pattern.matches(id.as_str()));
                self.readings(reach).iter().any(|reading| reading.covers(target.server, target.tool))
                    || self.bare_anywhere(reach).is_some_and(is_bare)
                    || self.id(reach).is_some_and(is_id)
            }
        }
    }
}

impl Subject {
    /// Reads names, and where that fails widens them to what is certain to hold all that was meant.
    pub(super) fn parse_widening(names: &str) -> (Self, Option<RuleFault>) {
        match Self::parse(names) {
            Ok(subject) => (subject, None),
            Err(RuleFault::NoTool) => (Self::whole_server(names), Some(RuleFault::NoTool)),
            Err(fault) => (Self::Everything, Some(fault)),
        }
    }

    fn parse(names: &str) -> Result<Self, RuleFault> {
        if names.is_empty() {
            return Err(RuleFault::Empty);
        }
        if names.len() > Rule::MAX_LENGTH {
            return Err(RuleFault::TooLong);
        }
        if names == "*" {
            return Ok(Self::Everything);
        }
        let names = match (names.strip_prefix("mcp__"), names.strip_prefix("mcp_")) {
            (Some(rest), _) => parse_prefixed(names, rest, "__"),
            (None, Some(rest)) => parse_prefixed(names, rest, "_"),
            (None, None) => parse_bare(names),
        };
        names.map(Self::Named)
    }

    /// Reads `mcp__github__` as the whole server, and as the servers it may have meant otherwise.
    fn whole_server(names: &str) -> Self {
        match Self::parse(names.trim_end_matches('_')) {
            Ok(Self::Named(mut names)) => {
                for reading in &mut names.readings {
                    reading.tool = None;
                }
                Self::Named(names)
            }
            _ => Self::Everything,
        }
    }

    pub(super) fn may_concern(&self, server: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Named(names) => {
                let mut certain = names.readings(Reach::Narrowest).iter();
                names.id(Reach::Narrowest).is_some() || certain.any(|reading| reading.server.matches(server))
            }
        }
    }

    pub(super) fn covers(&self, target: Target<'_>, reach: Reach) -> bool {
        match self {
            Self::Everything => true,
            Self::Named(names) => names.covers(target, reach),
        }
    }

    pub(super) fn lower_case(&self) -> Self {
        match self {
            Self::Everything => Self::Everything,
            Self::Named(names) => Self::Named(Names {
                bare: names.bare.as_ref().map(Pattern::to_lowercase),
                readings: names.readings.iter().map(Reading::to_lowercase).collect(),
                // Ids keep the case of the names that are in them, and a hash depends on it.
                ..names.clone()
            }),
        }
    }
}

/// Reads names behind `mcp__`, or `mcp_`.
fn parse_prefixed(names: &str, rest: &str, separator: &str) -> Result<Names, RuleFault> {
    let mut readings = Vec::new();
    for (server, tool) in splits(rest, separator) {
        if readings.len() == MOST_READINGS {
            return Err(RuleFault::Ambiguous);
        }
        if tool.is_empty() {
            return Err(RuleFault::NoTool);
        }
        if !server.is_empty() {
            readings.push(Reading::split(server, tool)?);
        }
    }
    if rest.is_empty() || (readings.is_empty() && rest.starts_with(separator)) {
        return Err(RuleFault::NoServer);
    }
    readings.push(Reading { server: Pattern::parse(rest)?, tool: None });
    // An id holds no backslash, so escaping takes the meaning of an id from a name that looks like one.
    let is_spelled_like_ids = !names.contains('\\') && (ToolName::is_hashed(names) || names.contains('*'));
    let id = if is_spelled_like_ids { Some(Pattern::parse(names)?) } else { None };
    let certain = usize::from(id.as_ref().is_none_or(|id| id.as_name().is_none()));
    Ok(Names { readings, certain, id, ..Names::default() })
}

/// Reads names that start with no `mcp_`: a tool of the host, `server.tool`, or a name that somebody left a part off.
fn parse_bare(names: &str) -> Result<Names, RuleFault> {
    let bare = Pattern::parse(names)?;
    let possible = names.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-*.".contains(&byte));
    let servers = names.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("mcp_"));
    // `github.` is half a rule.
    if !possible || servers || names.starts_with('.') || names.ends_with('.') {
        return Err(RuleFault::NotAName);
    }
    let both = |(server, tool): &(&str, &str)| !server.is_empty() && !tool.is_empty();
    let split = |separator| splits(names, separator).filter(both).map(|(server, tool)| Reading::split(server, tool));
    let mut readings = split(".").take(MOST_READINGS + 1).collect::<Result<Vec<_>, _>>()?;
    // No tool of the host has a dot in its name, so the text is sure to name a server.
    let certain = readings.len().min(1);
    readings.extend(split("__").take(MOST_READINGS + 1).collect::<Result<Vec<_>, _>>()?);
    if readings.len() > MOST_READINGS {
        return Err(RuleFault::Ambiguous);
    }
    Ok(Names { bare: Some(bare), readings, certain, ..Names::default() })
}

/// Returns each way to split a text at a separator that has no backslash before it.
pub(super) fn splits<'a>(text: &'a str, separator: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    unescaped(text, separator).filter_map(move |position| {
        let (before, behind) = text.split_at_checked(position)?;
        Some((before, behind.strip_prefix(separator)?))
    })
}

/// Returns the places where `wanted` stands in `text` without a backslash before it.
pub(super) fn unescaped<'a>(text: &'a str, wanted: &'a str) -> impl Iterator<Item = usize> + 'a {
    let mut escaped = false;
    text.char_indices().filter_map(move |(position, character)| {
        let literal = escaped;
        escaped = character == '\\' && !literal;
        let found = !literal && text.get(position..).is_some_and(|rest| rest.starts_with(wanted));
        found.then_some(position)
    })
}
