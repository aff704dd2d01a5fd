//! What the resolver answers.

use std::fmt;

use crate::answer::{Ambiguous, LegReport, LegState, Unknown};
use crate::quoted::one_line;

/// How much of a model's own words an answer repeats, in characters.
const ECHO_CHARACTERS: usize = 200;
/// How many candidates, servers and the like one line lists.
const LISTED: usize = 20;

/// What came of a request for tools.
///
/// [`Display`](fmt::Display) gives the answer for a host that adds the tools itself: ids and one line each.
/// [`Resolution::with_definitions`] gives the one for a client whose list of tools is fixed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resolution {
    /// The tools found: by name in the order asked for, then by the query, best first.
    pub tools: Vec<ResolvedTool>,
    /// How many more tools the query matched.
    pub more: usize,
    /// The query, if there was one.
    pub query: Option<String>,
    /// What each way of searching did.
    pub legs: Vec<LegReport>,
    /// Names that several tools have; none of these was resolved for it. Empty where all were, by `SharedNames`.
    pub ambiguous: Vec<Ambiguous>,
    /// Names that no tool has.
    pub unknown: Vec<Unknown>,
    /// The servers that are still connecting.
    pub pending: Vec<String>,
    /// When nothing was found, the servers that have tools.
    pub servers: Vec<String>,
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResolvedTool {
    /// The id under which it is called.
    pub id: String,
    /// Its server.
    pub server: String,
    /// The first line of its description, clipped.
    pub summary: String,
    /// Whether it was resolved for the first time in this conversation.
    pub is_new: bool,
}

impl Resolution {
    /// The answer for a client that cannot add tools: each tool with its definition, as JSON, and how to call it
    /// through the tool named `call_tool`.
    ///
    /// `definition` returns the JSON of a tool's definition by its id; a tool without one is listed by its line.
    pub fn with_definitions(&self, call_tool: &str, definition: &dyn Fn(&str) -> Option<String>) -> String {
        let mut parts = Vec::new();
        if !self.tools.is_empty() {
            let count = self.tools.len();
            parts.push(format!(
                "Found {count} tool(s). Call one with `{call_tool}`, giving its `name` and `arguments`."
            ));
        }
        parts.extend(self.tools.iter().map(|tool| definition(&tool.id).unwrap_or_else(|| tool.line())));
        let notes = self.notes().join("\n");
        parts.extend(Some(notes).filter(|notes| !notes.is_empty()));
        parts.join("\n\n")
    }

    /// Everything a model should know besides the tools, one line each.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(self.query.as_deref().map(|query| self.search_note(query)));
        if self.more > 0 {
            notes.push(format!("{} more matched: be more specific, or raise `limit`.", self.more));
        }
        for Ambiguous { name, candidates } in &self.ambiguous {
            notes.push(format!("`{}` is the name of several tools; ask for one of: {}.", echo(name), list(candidates)));
        }
        for Unknown { name, nearest } in &self.unknown {
            let name = echo(name);
            notes.push(match nearest.as_slice() {
                [] => format!("There is no tool `{name}`."),
                nearest => format!("There is no tool `{name}`; the most similar names: {}.", list(nearest)),
            });
        }
        if !self.pending.is_empty() {
            notes.push(format!(
                "Still connecting, their tools may yet come: {}. Ask again in a moment.",
                list(&self.pending)
            ));
        }
        if !self.servers.is_empty() {
            notes.push(format!("Servers with tools: {}.", list(&self.servers)));
        }
        notes
    }

    fn search_note(&self, query: &str) -> String {
        let legs =
            self.legs.iter().filter(|report| matches!(report.state, LegState::Answered { matched } if matched > 0));
        let legs: Vec<&str> = legs.map(|report| report.leg.label()).collect();
        let off = self.legs.iter().filter_map(|report| match &report.state {
            LegState::Off { reason } => {
                Some(format!(" ({} search is off: {})", report.leg.label(), one_line(reason, ECHO_CHARACTERS)))
            }
            LegState::Answered { .. } => None,
        });
        let off: String = off.collect();
        if legs.is_empty() {
            format!("Nothing matched \"{}\"{off}.", echo(query))
        } else {
            format!("Matched \"{}\" by {} search{off}.", echo(query), legs.join(" and "))
        }
    }
}

impl ResolvedTool {
    fn line(&self) -> String {
        let id = one_line(&self.id, ECHO_CHARACTERS);
        if self.summary.is_empty() { format!("- {id}") } else { format!("- {id} — {}", self.summary) }
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let new = self.tools.iter().filter(|tool| tool.is_new).count();
        let mut lines = vec![match (self.tools.len(), new) {
            (0, _) => "No tool was resolved.".to_owned(),
            (all, new) if all == new => format!("Resolved {all} tool(s), callable now:"),
            (all, new) => format!("Resolved {all} tool(s), callable now ({new} of them new):"),
        }];
        lines.extend(self.tools.iter().map(ResolvedTool::line));
        lines.extend(self.notes());
        formatter.write_str(&lines.join("\n"))
    }
}

fn echo(text: &str) -> String {
    one_line(text, ECHO_CHARACTERS)
}

fn list(names: &[String]) -> String {
    let mut listed: Vec<String> = names.iter().take(LISTED).map(|name| echo(name)).collect();
    if names.len() > LISTED {
        listed.push(format!("… and {} more", names.len() - LISTED));
    }
    listed.join(", ")
}
