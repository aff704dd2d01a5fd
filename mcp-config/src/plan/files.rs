//! The files of a workspace that decide what a definition starts.
//!
//! An approval of `./run.sh` is worth nothing when the script may change afterwards. So every word of the command line, and
//! every value in the environment, that names a file inside the workspace makes that file part of the approval: its content,
//! and where it leads if it is a link. Beside those count the files that well-known programs read by themselves from the
//! directory they are pointed at ([`manifests`]).
//!
//! What a script loads in turn is not followed: an approval says what is started, not everything that happens then.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::manifests;
use crate::disk;

/// How many words of one definition are looked up, and how long each may be, in bytes.
const MAX_WORDS: usize = 2048;
const MAX_WORD: usize = 4096;

/// How many files of one definition are part of its approval, and how much they may hold together, in bytes.
const MAX_FILES: usize = 256;
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How many directories of the workspace words are looked up in, beside the one the program runs in.
const MAX_DIRECTORIES: usize = 8;

/// What separates words in a shell's text.
const SEPARATORS: [char; 15] = [' ', '\t', '\n', '\r', ';', '&', '|', '(', ')', '\'', '"', '`', '<', '>', '='];

/// A file of the workspace that decides what runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WorkspaceFile {
    /// As it is named: below the workspace, with `/` between its parts, or absolute if it is reached from outside.
    pub(super) name: String,
    /// Where it leads, if it is a link or lies behind one.
    pub(super) target: Option<PathBuf>,
    /// The hash of its content; `None` for a link to a directory or out of the workspace, whose content is not the
    /// repository's.
    pub(super) digest: Option<String>,
}

/// Finds files of one workspace: first it is told every word and path, then it looks.
pub(super) struct Search<'a> {
    workspace: &'a Path,
    words: BTreeSet<String>,
    directories: Vec<PathBuf>,
    visited: BTreeSet<PathBuf>,
    bytes: u64,
    found: Vec<WorkspaceFile>,
    excess: Option<String>,
}

impl<'a> Search<'a> {
    /// Looks words up from the directory the program runs in, and from those of the workspace that a word names:
    /// `cd app && node x.js`, `npm --prefix app start`.
    pub(super) fn new(workspace: &'a Path, directory: &Path) -> Self {
        let mut search = Self {
            workspace,
            words: BTreeSet::new(),
            directories: vec![directory.to_path_buf()],
            visited: BTreeSet::new(),
            bytes: 0,
            found: Vec::new(),
            excess: None,
        };
        search.path(directory);
        search
    }

    /// Adds everything that may be a path in a text.
    pub(super) fn words(&mut self, text: &str) {
        for word in candidates(text) {
            self.word(word);
        }
    }

    /// Adds what the program reads by itself.
    pub(super) fn manifests(&mut self, command_line: &[&str]) {
        for name in manifests::names(command_line) {
            self.word(&name);
        }
    }

    fn word(&mut self, word: &str) {
        // No file system has a longer path.
        if word.is_empty() || word.len() > MAX_WORD || self.words.contains(word) {
            return;
        }
        if self.words.len() >= MAX_WORDS {
            return self.exceed(format!("it has more than {MAX_WORDS} words that may name a file"));
        }
        self.words.insert(word.to_owned());
    }

    /// Takes a file in, if it is the workspace's.
    pub(super) fn path(&mut self, path: &Path) {
        let named = disk::normalized(path);
        let Ok(real) = std::fs::canonicalize(path) else { return };
        let is_own = real.starts_with(self.workspace);
        if !(is_own || named.starts_with(self.workspace)) || !self.visited.insert(named.clone()) {
            return;
        }
        let is_file = disk::is_file(&real);
        if is_own && disk::is_directory(&real) {
            self.enter(&real);
        }
        let target = (real != named).then(|| real.clone());
        if target.is_none() && !is_file {
            return;
        }
        if self.found.len() >= MAX_FILES {
            return self.exceed(format!("it names more than {MAX_FILES} files of the workspace"));
        }
        let digest = if is_own && is_file { self.digest(&real) } else { None };
        self.found.push(WorkspaceFile { name: self.name(&named), target, digest });
    }

    fn enter(&mut self, directory: &Path) {
        if self.directories.iter().any(|known| known == directory) {
            return;
        }
        if self.directories.len() > MAX_DIRECTORIES {
            return self.exceed(format!("it names more than {MAX_DIRECTORIES} directories of the workspace"));
        }
        self.directories.push(directory.to_path_buf());
    }

    fn digest(&mut self, path: &Path) -> Option<String> {
        let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > MAX_BYTES {
            let limit = MAX_BYTES / 1024 / 1024;
            self.exceed(format!("the files of the workspace that it names hold more than {limit} MiB"));
            return None;
        }
        let digest = disk::digest(path);
        if digest.is_none() {
            let name = self.name(path);
            self.exceed(format!("it names {name:?}, which is too large to check, or cannot be read"));
        }
        digest
    }

    /// Looks, and returns the files sorted by name, and what is not among them: there is more than is looked at, or a file
    /// that cannot be read.
    pub(super) fn finish(mut self) -> (Vec<WorkspaceFile>, Option<String>) {
        let words = std::mem::take(&mut self.words);
        let mut next = 0;
        while let Some(directory) = self.directories.get(next).cloned() {
            for word in &words {
                if self.excess.is_some() {
                    break;
                }
                self.path(&directory.join(word));
            }
            next += 1;
        }
        self.found.sort();
        (self.found, self.excess)
    }

    fn exceed(&mut self, what: String) {
        self.excess.get_or_insert(what);
    }

    fn name(&self, path: &Path) -> String {
        let Ok(below) = path.strip_prefix(self.workspace) else { return path.to_string_lossy().into_owned() };
        let parts = below.components().map(|part| part.as_os_str().to_string_lossy());
        format!("./{}", parts.collect::<Vec<_>>().join("/"))
    }
}

/// Returns what may be a path in one text: the text, the value in `--config=./x.js`, the words of a shell's
/// `node ./x.js && ./y`, and what follows the directory in `$PWD/x.js` or `/x.js`.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let whole = std::iter::once(text).chain(text.split_once('=').map(|(_, value)| value));
    // Without the colon and the comma for `C:\x`, with them for lists of paths.
    let words = text.split(SEPARATORS);
    let parts = text.split(|character| SEPARATORS.contains(&character) || matches!(character, ':' | ','));
    let all = whole.chain(words).chain(parts);
    all.flat_map(|word| [Some(word), below_directory(word)]).flatten()
}

/// The path below a directory that only the shell knows.
fn below_directory(word: &str) -> Option<&str> {
    word.starts_with(['$', '%', '/', '@']).then(|| word.split_once('/').map(|(_, rest)| rest))?
}
