//! The part of the tools that somebody may see.

use std::sync::Arc;

use crate::error::{Error, RuleFault};
use crate::name::{NameStyle, ToolName};
use crate::resolve::Resolution;
use crate::rules::Rule;
use crate::snapshot::{Origin, Registered, Snapshot, definitions_of};

/// A named group of tools, such as `--set triage` names on the command line.
///
/// Its members are written like permission rules, without conditions on arguments; each is read in the narrowest way.
///
/// ```
/// use mcp_registry::ToolSet;
///
/// let set = ToolSet::new("triage", ["mcp__github__get_*", "mcp__jira", "read_file"])?;
/// assert_eq!(set.name(), "triage");
/// # Ok::<(), mcp_registry::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSet {
    name: String,
    members: Vec<Rule>,
}

impl ToolSet {
    /// Returns a set of these members.
    ///
    /// # Errors
    /// [`Error::RuleSyntax`] for a member that cannot be read or that has conditions on arguments.
    pub fn new<'a>(name: impl Into<String>, members: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let member = |text: &str| {
            let rule = Rule::parse(text)?;
            if rule.has_conditions() {
                return Err(Error::RuleSyntax { rule: text.to_owned(), reason: RuleFault::Conditions });
            }
            Ok(rule)
        };
        Ok(Self { name: name.into(), members: members.into_iter().map(member).collect::<Result<_, _>>()? })
    }

    /// Returns the set's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the tool belongs to the set.
    pub fn contains(&self, tool: &Registered) -> bool {
        self.members.iter().any(|member| is_about(member, tool))
    }
}

fn is_about(member: &Rule, tool: &Registered) -> bool {
    let ids = match tool.origin {
        Origin::Host => Vec::new(),
        Origin::Server => NameStyle::ALL.map(|style| ToolName::new(style, &tool.server, &tool.tool.name)).to_vec(),
    };
    member.names_tool(&tool.server, &tool.tool.name, tool.origin, &ids)
}

/// The tools of an allow-list, for a sub-agent or a caller that may have no others.
///
/// A view is small by intent, so its tools are never deferred: whoever has a view is given the definitions of all of it.
#[derive(Clone, Debug)]
pub struct View {
    snapshot: Snapshot,
    /// Sorted by id.
    members: Arc<[ToolName]>,
    missing: Arc<[String]>,
}

impl Snapshot {
    /// Returns the tools that belong to any of these sets.
    pub fn view<'a>(&self, sets: impl IntoIterator<Item = &'a ToolSet>) -> View {
        let rules: Vec<&Rule> = sets.into_iter().flat_map(|set| &set.members).collect();
        let member = |tool: &&Registered| rules.iter().any(|rule| is_about(rule, tool));
        let unmatched = |rule: &&&Rule| !self.tools().any(|tool| is_about(rule, tool));
        View {
            members: self.tools().filter(member).map(|tool| tool.id.clone()).collect(),
            missing: rules.iter().filter(unmatched).map(|rule| rule.as_str().to_owned()).collect(),
            snapshot: self.clone(),
        }
    }
}

impl View {
    /// Returns the revision of the registry that the view shows.
    pub fn revision(&self) -> u64 {
        self.snapshot.revision()
    }

    /// Returns the tools, sorted by id.
    pub fn tools(&self) -> impl Iterator<Item = &Registered> {
        self.members.iter().filter_map(|id| self.snapshot.tool(id.as_str()))
    }

    /// Returns the tool of this id, if it is in the view.
    pub fn tool(&self, id: &str) -> Option<&Registered> {
        self.snapshot.tool(id).filter(|tool| self.contains(tool))
    }

    /// Returns the members of the sets that are about no registered tool.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Finds the tool a reference means, as [`Snapshot::resolve`] does, among the tools of the view: others do not make it
    /// ambiguous and are not suggested.
    pub fn resolve(&self, reference: &str) -> Resolution<'_> {
        self.snapshot.resolve_among(reference, &|tool| self.contains(tool))
    }

    /// Returns the provider-facing definitions of the view's tools, as [`Snapshot::definitions`] does of all.
    pub fn definitions(&self) -> Arc<str> {
        definitions_of(self.tools())
    }

    fn contains(&self, tool: &Registered) -> bool {
        self.members.binary_search(&tool.id).is_ok()
    }
}
