//! What a definition leaves for a person to give, and under which name that is kept.

use std::path::Path;

use mcp_config::{Input, Origin, Resolved};
use mcp_oauth::SecretName;

/// Something that a definition leaves for a person to give.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wanted {
    /// The server whose definition it is.
    pub server: String,
    /// What it is kept under.
    pub name: SecretName,
    /// The prompt it answers; `None` for a secret.
    pub prompt: Option<Input>,
}

/// Between a file and the place in it; no path holds one.
const WITHIN: char = '\0';

impl Wanted {
    /// Everything that a definition refers to, given or not: its secrets, then its prompts.
    ///
    /// Everybody means the same secret by a name. An answer belongs to the file whose prompt it answers, so that no other
    /// repository gets it by asking for the same id; where the file does not describe the prompt, it belongs to the one
    /// server.
    pub fn by(server: &Resolved) -> Vec<Self> {
        let wanted = |name, prompt| Self { server: server.name().to_owned(), name, prompt };
        let secrets = server.secrets().into_iter().map(|name| wanted(SecretName::shared(name), None));
        let prompts = server.prompts().into_iter();
        let prompts = prompts.map(|prompt| wanted(answer_name(server.origin(), &prompt), Some(prompt)));
        secrets.chain(prompts).collect()
    }

    /// The file whose prompt a name answers, there or not; `None` for a secret.
    pub fn file_of(name: &SecretName) -> Option<&str> {
        name.owner.as_deref()?.split(WITHIN).next()
    }

    /// Whether a name is that of an answer to a prompt of this file, also of one that is there no more.
    pub fn is_answer_in(name: &SecretName, file: &Path) -> bool {
        Self::file_of(name) == Some(place(file).as_str())
    }
}

fn answer_name(origin: &Origin, prompt: &Input) -> SecretName {
    let file = place(&origin.path);
    let owner = if prompt.is_described { file } else { format!("{file}{WITHIN}{}", origin.pointer) };
    SecretName::owned(owner, &prompt.id)
}

/// A file, whatever links lead to it: behind the same link may be another repository tomorrow.
fn place(file: &Path) -> String {
    let canonical = std::fs::canonicalize(file);
    let path = canonical.as_deref().unwrap_or(file);
    // What is no text is escaped, so that no two paths look alike.
    path.to_str().map_or_else(|| path.as_os_str().as_encoded_bytes().escape_ascii().to_string(), str::to_owned)
}
