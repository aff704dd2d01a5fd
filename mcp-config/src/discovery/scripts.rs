//! Finds the files of a workspace that a definition runs.

use std::path::Path;

use crate::disk;
use crate::layer::{Entry, Script};
use crate::server::LaunchTemplate;

/// How many files of one command line are part of its approval.
const MAX_SCRIPTS: usize = 16;

/// Returns the files inside the workspace that a command line names, with the hash of what they hold now: an approval of
/// `./run.sh` is worth nothing when the script may change afterwards.
pub(super) fn scripts(entry: &Entry, workspace: &Path) -> Vec<Script> {
    let LaunchTemplate::Stdio(stdio) = &entry.config.launch else { return Vec::new() };
    let base =
        stdio.cwd.as_ref().map_or_else(|| workspace.to_path_buf(), |cwd| workspace.join(in_workspace(cwd.raw())));
    let mut scripts: Vec<Script> = Vec::new();
    for word in std::iter::once(&stdio.command).chain(&stdio.args).map(|template| in_workspace(template.raw())) {
        // `--config=./x.js` names a file as well.
        let candidates = [word, word.split_once('=').map_or("", |(_, value)| value)];
        for candidate in candidates.into_iter().filter(|candidate| !candidate.is_empty()) {
            let path = disk::canonical(&base.join(candidate));
            let known = scripts.iter().any(|script| script.path == path);
            if !known && scripts.len() < MAX_SCRIPTS && path.starts_with(workspace) && disk::is_file(&path) {
                let content = disk::digest(&path);
                scripts.push(Script { path, content });
            }
        }
    }
    scripts
}

fn in_workspace(word: &str) -> &str {
    ["${workspaceFolder}/", "${workspaceFolder}\\", "${CLAUDE_PROJECT_DIR}/"]
        .iter()
        .find_map(|prefix| word.strip_prefix(prefix))
        .unwrap_or(word)
}
