//! Finds the plugins Claude Code has installed: `plugins/installed_plugins.json` says where each is, and `enabledPlugins`
//! of the user's settings which are on (<https://code.claude.com/docs/en/plugins-reference>).

use std::path::{Path, PathBuf};

use crate::disk;
use crate::document::{self, Node, Notation};
use crate::environment::Environment;

/// How many plugins are looked at.
const MAX_PLUGINS: usize = 200;

/// Returns the files that decide which plugins there are.
pub(super) fn files(environment: &Environment) -> Vec<PathBuf> {
    let directory = environment.directory_var("CLAUDE_CONFIG_DIR").or_else(|| environment.in_home(".claude"));
    let names = ["plugins/installed_plugins.json", "settings.json"];
    directory.map(|directory| names.map(|name| directory.join(name)).to_vec()).unwrap_or_default()
}

/// Returns the directories of the plugins that are switched on, in the order of their ids.
pub(super) fn directories(environment: &Environment) -> Vec<PathBuf> {
    let files = files(environment);
    let [installed, settings] = files.as_slice() else { return Vec::new() };
    let (Some(installed), Some(settings)) = (read(installed), read(settings)) else { return Vec::new() };
    let is_on = |id: &str| {
        settings.child("enabledPlugins").and_then(|enabled| enabled.child(id)).and_then(Node::as_bool) == Some(true)
    };
    let plugins = installed.child("plugins").and_then(Node::members).unwrap_or_default();
    let mut enabled: Vec<_> = plugins.iter().filter(|member| is_on(&member.key)).collect();
    enabled.sort_by(|left, right| left.key.cmp(&right.key));
    enabled.into_iter().take(MAX_PLUGINS).filter_map(|member| install_path(&member.node)).collect()
}

/// Version 1 writes one installation, version 2 an array of them; the user's own comes first.
fn install_path(node: &Node) -> Option<PathBuf> {
    let installations = node.items().unwrap_or(std::slice::from_ref(node));
    let is_users = |node: &&Node| node.child("scope").and_then(Node::as_str).is_none_or(|scope| scope == "user");
    let path = PathBuf::from(installations.iter().find(is_users)?.child("installPath")?.as_str()?);
    path.is_absolute().then_some(path)
}

/// A file of another program's state that cannot be read says nothing, and nobody here can mend it.
fn read(path: &Path) -> Option<Node> {
    let bytes = disk::read(path, disk::MAX_STATE_FILE).ok()??;
    document::parse(&document::decode(&bytes).ok()?.content, Notation::Jsonc).ok()?
}
