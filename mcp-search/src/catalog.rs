//! The list of withheld tools that a prompt carries.
//!
//! A model asks only for what it knows of, so that the resolver's description lists what there is:
//!
//! 1. up to [`CatalogOptions::full_list`] tools: every tool with the first line of its description, by server;
//! 2. above that: every server with its number of tools and a few of their names, and a word on how to search.
//!
//! Servers and tools are sorted by name, whatever order they came in, so that the same tools give the same bytes and a
//! prompt cache stays valid. A catalogue is made once and kept for a conversation; what changes later is said in
//! answers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::document::Document;
use crate::index::Index;
use crate::quoted::{first_line, one_line};

/// How a catalogue is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogOptions {
    /// Up to how many tools are listed one by one. Default: 30, as in hoocode.
    pub full_list: usize,
    /// How long a tool's line may be, in characters of its description. Default: 120.
    pub summary_characters: usize,
    /// How many names stand for a server's tools when there are too many to list. Default: 4.
    pub samples: usize,
    /// How many servers are named; the others are counted. Default: 100.
    pub servers: usize,
    /// How much of a server's instructions is quoted, in characters. Default: 300; with 0 none is.
    pub instructions_characters: usize,
    /// The servers whose descriptions and instructions are not quoted, only the names of their tools. Default: none.
    pub unquoted: BTreeSet<String>,
}

impl Default for CatalogOptions {
    fn default() -> Self {
        Self {
            full_list: 30,
            summary_characters: 120,
            samples: 4,
            servers: 100,
            instructions_characters: 300,
            unquoted: BTreeSet::new(),
        }
    }
}

/// The written list; [`Display`](fmt::Display) gives the text.
///
/// What servers say about themselves is clipped, put on one line, and marked as theirs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Catalog {
    text: String,
}

impl Catalog {
    /// Lists the tools of the index that `filter` admits. `instructions` holds what servers say in
    /// [`initialize`](https://modelcontextprotocol.io/specification/2025-06-18/schema#initializeresult), by server.
    pub fn new(
        index: &Index,
        filter: &dyn Fn(&str) -> bool,
        instructions: &BTreeMap<String, String>,
        options: &CatalogOptions,
    ) -> Self {
        let mut servers: BTreeMap<&str, Vec<&Document>> = BTreeMap::new();
        for document in index.documents().filter(|document| filter(&document.id)) {
            servers.entry(&document.server).or_default().push(document);
        }
        for tools in servers.values_mut() {
            tools.sort_by(|left, right| left.name.cmp(&right.name).then_with(|| left.id.cmp(&right.id)));
        }
        let writer = Writer { servers, instructions, options };
        Self { text: writer.write() }
    }
}

impl fmt::Display for Catalog {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

struct Writer<'a> {
    servers: BTreeMap<&'a str, Vec<&'a Document>>,
    instructions: &'a BTreeMap<String, String>,
    options: &'a CatalogOptions,
}

impl Writer<'_> {
    fn write(&self) -> String {
        let tools: usize = self.servers.values().map(Vec::len).sum();
        let lines = match tools {
            0 => vec!["(no MCP tools available)".to_owned()],
            few if few <= self.options.full_list => self.full(),
            many => self.counts(many),
        };
        lines.join("\n")
    }

    fn full(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (server, tools) in &self.servers {
            lines.push(format!("{}:", name(server)));
            lines.extend(self.instructions_of(server));
            lines.extend(tools.iter().map(|tool| self.line(tool)));
        }
        lines
    }

    fn line(&self, tool: &Document) -> String {
        let summary = first_line(&tool.description, self.options.summary_characters);
        if summary.is_empty() || self.options.unquoted.contains(&tool.server) {
            format!("  {}", name(&tool.id))
        } else {
            format!("  {} — {summary}", name(&tool.id))
        }
    }

    fn counts(&self, tools: usize) -> Vec<String> {
        let mut lines = vec![format!("{tools} tools across {} server(s):", self.servers.len())];
        for (server, tools) in self.servers.iter().take(self.options.servers) {
            let samples: Vec<String> = tools.iter().take(self.options.samples).map(|tool| name(&tool.name)).collect();
            let more = if tools.len() > samples.len() { ", …" } else { "" };
            lines.push(format!("  {} — {} tool(s): {}{more}", name(server), tools.len(), samples.join(", ")));
            lines.extend(self.instructions_of(server));
        }
        let unnamed = self.servers.len().saturating_sub(self.options.servers);
        if unnamed > 0 {
            lines.push(format!("  … and {unnamed} more server(s)"));
        }
        lines.push("Search for the rest by what they do (e.g. `query: \"create a pull request\"`).".to_owned());
        lines
    }

    fn instructions_of(&self, server: &str) -> Option<String> {
        let quoted = self.options.instructions_characters > 0 && !self.options.unquoted.contains(server);
        let instructions = self.instructions.get(server).filter(|_| quoted)?;
        let line = one_line(instructions, self.options.instructions_characters).replace('"', "'");
        (!line.is_empty()).then(|| format!("  ({} says: \"{line}\")", name(server)))
    }
}

/// A server's or a tool's name as a prompt may show it.
fn name(text: &str) -> String {
    const NAME_CHARACTERS: usize = 128;
    let name = one_line(text, NAME_CHARACTERS);
    if name.is_empty() { "(unnamed)".to_owned() } else { name }
}
