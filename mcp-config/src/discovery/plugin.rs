//! Reads the servers a plugin brings along.
//!
//! Three manifests are known, and the first that is there counts: `.agents-plugin/plugin.json`,
//! `.claude-plugin/plugin.json` (<https://code.claude.com/docs/en/plugins-reference>), and Copilot's at the root or below
//! `.github`. Its `mcpServers` is a map, or the path of a file inside the plugin; without it, `.mcp.json` is looked at.

use std::path::{Component, Path, PathBuf};

use super::Found;
use super::read::{Content, Context, place};
use crate::dialect::Dialect;
use crate::disk;
use crate::document::{Node, Value};
use crate::layer::PluginDirectories;
use crate::problem::{Position, Problem, ProblemKind, Severity};
use crate::source::{Host, Scope, Source};
use crate::workspace::is_inside;

const MANIFESTS: [&str; 5] = [
    ".agents-plugin/plugin.json",
    ".claude-plugin/plugin.json",
    "plugin.json",
    ".github/plugin/plugin.json",
    ".github/copilot-plugin.json",
];

/// Where servers are when the manifest does not say.
const SERVERS: [&str; 2] = [".mcp.json", ".github/mcp.json"];

pub(super) fn read(context: &Context<'_>, host: Host, root: &Path, found: &mut Found) {
    let source = Source::new(host, Scope::Plugin);
    let directories = PluginDirectories { root: disk::canonical(root), data: context.plugin_data(root) };
    let plugin = Plugin { context, source, directories };
    let manifest = MANIFESTS.iter().map(|name| root.join(name)).find(|path| disk::is_file(path));
    let Some(manifest) = manifest else { return plugin.read_default(found) };
    let place = place(source, Dialect::PluginManifest, &manifest);
    let content = context.document(&place);
    let servers = match &content {
        Ok(Content::Document(document)) => document.child("mcpServers").cloned(),
        Ok(_) => None,
        Err(_) => return context.add(&place, content, Some(&plugin.directories), found),
    };
    match servers {
        None => plugin.read_default(found),
        Some(Node { value: Value::String(path), position }) => plugin.read_named(&manifest, position, &path, found),
        Some(_) => context.add(&place, content, Some(&plugin.directories), found),
    }
}

/// Returns the files that decide what a plugin brings.
pub(super) fn files(root: &Path) -> Vec<PathBuf> {
    MANIFESTS.iter().chain(&SERVERS).map(|name| root.join(name)).collect()
}

/// One plugin.
struct Plugin<'a> {
    context: &'a Context<'a>,
    source: Source,
    directories: PluginDirectories,
}

impl Plugin<'_> {
    fn read_default(&self, found: &mut Found) {
        for name in SERVERS.iter().rev() {
            self.read_file(&self.directories.root.join(name), found);
        }
    }

    /// Reads the file that a manifest names, which must lie inside the plugin.
    fn read_named(&self, manifest: &Path, position: Position, path: &str, found: &mut Found) {
        let root = &self.directories.root;
        let file = disk::canonical(&root.join(path));
        let climbs = Path::new(path).components().any(|part| matches!(part, Component::ParentDir));
        if climbs || !is_inside(&file, root) {
            let message = "expected `mcpServers` to name a file inside the plugin";
            let problem = Problem::new(Severity::Error, ProblemKind::Refused, message).with_path(manifest);
            found.problems.push(problem.with_pointer("/mcpServers").at_position(position));
            return;
        }
        self.read_file(&file, found);
    }

    fn read_file(&self, path: &Path, found: &mut Found) {
        let place = place(self.source, Dialect::Plugin, path);
        self.context.add(&place, self.context.document(&place), Some(&self.directories), found);
    }
}
