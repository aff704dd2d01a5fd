//! What an administrator allows Claude Code to run: <https://code.claude.com/docs/en/mcp#managed-mcp-configuration>.
//!
//! A managed list of servers excludes every other; `deniedMcpServers` and `allowedMcpServers` of the managed settings name
//! servers by name, command line or URL, and denying wins.

use std::path::PathBuf;

use super::Found;
use crate::disk;
use crate::document::{self, Node, Notation};
use crate::environment::{Environment, Platform};
use crate::layer::{Entry, Layer};
use crate::preset::Preset;
use crate::problem::Problem;
use crate::server::{LaunchTemplate, wildcard};
use crate::source::{Host, Scope};
use crate::template::Template;

/// The rules of this machine.
#[derive(Debug, Default)]
pub(super) struct Policy {
    settings: PathBuf,
    /// The managed list, when there is one.
    exclusive: Option<PathBuf>,
    denied: Vec<Rule>,
    allowed: Option<Vec<Rule>>,
}

#[derive(Debug)]
enum Rule {
    Name(String),
    Command(Vec<String>),
    Url(String),
}

impl Policy {
    /// Returns the files the rules are in.
    pub(super) fn files(environment: &Environment) -> [PathBuf; 2] {
        let directory = environment.system_root.join(match environment.platform {
            Platform::Linux => "etc/claude-code",
            Platform::MacOs => "Library/Application Support/ClaudeCode",
            Platform::Windows => "Program Files/ClaudeCode",
        });
        [directory.join("managed-settings.json"), directory.join("managed-mcp.json")]
    }

    pub(super) fn read(environment: &Environment, problems: &mut Vec<Problem>) -> Self {
        let [settings, managed] = Self::files(environment);
        let mut policy = Self { exclusive: disk::is_file(&managed).then_some(managed), ..Self::default() };
        match read_settings(&settings) {
            Ok(Some(document)) => {
                policy.denied = rules(&document, "deniedMcpServers").unwrap_or_default();
                policy.allowed = rules(&document, "allowedMcpServers");
            }
            Ok(None) => {}
            Err(problem) => {
                problems.push(problem.with_path(&settings));
                // Rules that cannot be read might have denied anything.
                policy.allowed = Some(Vec::new());
            }
        }
        policy.settings = settings;
        policy
    }

    /// Refuses what the rules deny. They are made for Claude Code, and so for its files and the `.mcp.json` it shares.
    pub(super) fn apply(&self, preset: Preset, found: &mut Found) {
        if self.exclusive.is_some() && preset == Preset::Only(Host::ClaudeCode) {
            found.layers.retain(|layer| Some(&layer.path) == self.exclusive.as_ref() || !is_governed(layer));
        }
        for layer in found.layers.iter_mut().filter(|layer| is_governed(layer)) {
            let is_managed = Some(&layer.path) == self.exclusive.as_ref();
            for entry in layer.entries.iter_mut().filter(|_| !is_managed) {
                if let Some(reason) = self.refusal(entry) {
                    entry.config.refusal.get_or_insert(reason);
                }
            }
        }
    }

    fn refusal(&self, entry: &Entry) -> Option<String> {
        let settings = self.settings.display();
        if let Some(managed) = &self.exclusive {
            return Some(format!("{} allows only its own servers", managed.display()));
        }
        if self.denied.iter().any(|rule| rule.matches(entry)) {
            return Some(format!("{settings} denies it"));
        }
        let allowed = self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|rule| rule.matches(entry)));
        (!allowed).then(|| format!("{settings} does not allow it"))
    }
}

fn is_governed(layer: &Layer) -> bool {
    let shared = layer.source.scope == Scope::Project && layer.path.file_name().is_some_and(|name| name == ".mcp.json");
    layer.source.host == Host::ClaudeCode || shared
}

impl Rule {
    fn parse(node: &Node) -> Option<Self> {
        let text = |key| node.child(key).and_then(Node::as_str).map(str::to_owned);
        if let Some(name) = text("serverName") {
            return Some(Self::Name(name));
        }
        if let Some(url) = text("serverUrl") {
            return Some(Self::Url(url));
        }
        let words = node.child("serverCommand")?.items()?;
        Some(Self::Command(words.iter().filter_map(Node::as_str).map(str::to_owned).collect()))
    }

    fn matches(&self, entry: &Entry) -> bool {
        match (self, &entry.config.launch) {
            (Self::Name(name), _) => *name == entry.name,
            (Self::Url(pattern), LaunchTemplate::Remote(remote)) => wildcard(pattern, remote.url.raw()),
            (Self::Command(words), LaunchTemplate::Stdio(stdio)) => std::iter::once(&stdio.command)
                .chain(&stdio.args)
                .map(Template::raw)
                .eq(words.iter().map(String::as_str)),
            (Self::Url(_), LaunchTemplate::Stdio(_)) | (Self::Command(_), LaunchTemplate::Remote(_)) => false,
        }
    }
}

fn read_settings(path: &std::path::Path) -> Result<Option<Node>, Problem> {
    let Some(bytes) = disk::read(path, disk::MAX_FILE)? else { return Ok(None) };
    document::parse(&document::decode(&bytes)?.content, Notation::Jsonc)
}

fn rules(document: &Node, key: &str) -> Option<Vec<Rule>> {
    Some(document.child(key)?.items()?.iter().filter_map(Rule::parse).collect())
}
