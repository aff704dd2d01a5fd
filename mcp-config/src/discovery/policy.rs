//! Reads what an administrator allows, and refuses what is denied as far as that can be told before anything starts. A managed
//! list of servers excludes every other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Found;
use crate::disk;
use crate::document::{self, Node, Notation};
use crate::environment::{Environment, Platform};
use crate::layer::{Entry, Layer};
use crate::policy::{Known, Launched, Policy};
use crate::preset::Preset;
use crate::problem::Problem;
use crate::server::LaunchTemplate;
use crate::source::{Host, Scope};
use crate::template::{Template, expand};

/// Returns the files the rules are in: the managed settings, and the managed list.
pub(super) fn files(environment: &Environment) -> [PathBuf; 2] {
    let directory = environment.system_root.join(match environment.platform {
        Platform::Linux => "etc/claude-code",
        Platform::MacOs => "Library/Application Support/ClaudeCode",
        Platform::Windows => "Program Files/ClaudeCode",
    });
    [directory.join("managed-settings.json"), directory.join("managed-mcp.json")]
}

/// Refuses what the rules deny. They are made for Claude Code, and so for its files and the `.mcp.json` it shares.
pub(super) fn apply(environment: &Environment, preset: Preset, found: &mut Found) {
    let [settings, managed] = files(environment);
    let exclusive = disk::may_exist(&managed).then_some(managed);
    let policy = match read_settings(&settings) {
        Ok(None) => None,
        Ok(Some(document)) => {
            let known = Known { environment, workspace: Path::new("") };
            let (policy, problems) = Policy::parse(&settings, &document, &known);
            found.problems.extend(problems);
            Some(Arc::new(policy))
        }
        Err(problem) => {
            found.problems.push(problem.with_path(&settings));
            Some(Arc::new(Policy::unreadable(&settings)))
        }
    };
    if exclusive.is_some() && preset == Preset::Only(Host::ClaudeCode) {
        found.layers.retain(|layer| Some(&layer.path) == exclusive.as_ref() || !is_governed(layer));
    }
    for layer in found.layers.iter_mut().filter(|layer| is_governed(layer)) {
        let excluded = exclusive.as_ref().filter(|managed| layer.path != **managed);
        let reason = excluded.map(|managed| format!("{} allows only its own servers", managed.display()));
        for entry in &mut layer.entries {
            let known = Known { environment, workspace: &layer.workspace };
            let denied = || policy.as_ref()?.refusal(&entry.name, &launched(entry, &known));
            if let Some(reason) = reason.clone().or_else(denied) {
                Arc::make_mut(&mut entry.config).refusal.get_or_insert(reason);
            }
        }
        layer.policy.clone_from(&policy);
    }
}

/// What an entry starts, as far as that is known without a person.
fn launched(entry: &Entry, known: &Known<'_>) -> Launched {
    let text = |template: &Template| expand(template, known, false).ok();
    match &entry.config.launch {
        LaunchTemplate::Stdio(stdio) => {
            let words: Option<Vec<String>> = std::iter::once(&stdio.command).chain(&stdio.args).map(text).collect();
            words.map_or(Launched::UnknownProgram, |words| Launched::Program { words, file: None })
        }
        LaunchTemplate::Remote(remote) => {
            text(&remote.url).map_or(Launched::UnknownRemote, |url| Launched::Remote { url })
        }
    }
}

fn is_governed(layer: &Layer) -> bool {
    let shared = layer.source.scope == Scope::Project && layer.path.file_name().is_some_and(|name| name == ".mcp.json");
    layer.source.host == Host::ClaudeCode || shared
}

fn read_settings(path: &Path) -> Result<Option<Node>, Problem> {
    let Some(bytes) = disk::read(path, disk::MAX_FILE)? else { return Ok(None) };
    document::parse(&document::decode(&bytes)?.content, Notation::Jsonc)
}
