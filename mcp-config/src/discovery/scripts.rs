//! Finds the files of a workspace that a definition runs.

use std::path::Path;

use crate::disk;
use crate::layer::{Entry, Script};
use crate::server::LaunchTemplate;

/// How many words of one command line are looked up, and how long each may be, in bytes.
const MAX_WORDS: usize = 256;
const MAX_PATH: usize = 4096;

/// How many files of one command line are part of its approval.
const MAX_SCRIPTS: usize = 16;

/// Returns the files inside the workspace that a command line names, with the hash of what they hold now: an approval of
/// `./run.sh` is worth nothing when the script may change afterwards.
///
/// What a script loads in turn, what `npm run` finds in its manifest and what a directory such as `node .` stands for is not
/// followed: an approval says what is started, not everything that happens then.
pub(super) fn scripts(entry: &Entry, workspace: &Path) -> Vec<Script> {
    let LaunchTemplate::Stdio(stdio) = &entry.config.launch else { return Vec::new() };
    let base =
        stdio.cwd.as_ref().map_or_else(|| workspace.to_path_buf(), |cwd| workspace.join(in_workspace(cwd.raw())));
    let mut scripts: Vec<Script> = Vec::new();
    let words = std::iter::once(&stdio.command).chain(&stdio.args).flat_map(|template| candidates(template.raw()));
    for candidate in words.take(MAX_WORDS) {
        let path = disk::canonical(&base.join(candidate));
        let known = scripts.iter().any(|script| script.path == path);
        if !known && scripts.len() < MAX_SCRIPTS && path.starts_with(workspace) && disk::is_file(&path) {
            let content = disk::digest(&path);
            scripts.push(Script { path, content });
        }
    }
    scripts
}

/// Returns what may be a path in one argument: the argument, the value in `--config=./x.js`, and the words of a shell's
/// `node ./x.js && ./y`.
fn candidates(argument: &str) -> Vec<&str> {
    let mut candidates = vec![argument];
    candidates.extend(argument.split_once('=').map(|(_, value)| value));
    if argument.contains([' ', ';', '&', '|']) {
        candidates.extend(argument.split([' ', '\t', '\n', ';', '&', '|', '(', ')', '\'', '"', '`', '<', '>', '=']));
    }
    candidates.retain(|candidate| !candidate.is_empty() && candidate.len() <= MAX_PATH);
    candidates.into_iter().map(in_workspace).collect()
}

fn in_workspace(word: &str) -> &str {
    ["${workspaceFolder}/", "${workspaceFolder}\\", "${CLAUDE_PROJECT_DIR}/"]
        .iter()
        .find_map(|prefix| word.strip_prefix(prefix))
        .unwrap_or(word)
}
