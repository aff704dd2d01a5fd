//! Which entry of which file a server is, whatever the entry says.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::resolved::Resolved;
use crate::secret::sha256;
use crate::source::{Scope, Source};

/// Which entry of which file a server is: what stays the same when its definition changes.
///
/// It is what approvals are kept under: the source, the file, the name, and for an entry of a project the workspace. Two
/// projects that give one name to one command have two servers; a user's server is one in every project.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    source: Source,
    path: PathBuf,
    workspace: Option<PathBuf>,
    name: String,
}

impl Identity {
    /// Returns a name for the state that is kept about the server: 64 hexadecimal digits.
    pub fn key(&self) -> String {
        let source = self.source.to_string();
        let workspace = self.workspace.as_ref().map(|path| path.as_os_str().as_encoded_bytes());
        let parts = [
            source.as_bytes(),
            self.path.as_os_str().as_encoded_bytes(),
            workspace.unwrap_or_default(),
            self.name.as_bytes(),
        ];
        // Each part is preceded by its length, so that no two lists of parts run together into the same bytes.
        let bytes: Vec<u8> = parts
            .iter()
            .flat_map(|part| (part.len() as u64).to_le_bytes().into_iter().chain(part.iter().copied()))
            .collect();
        sha256(&bytes)
    }

    /// Returns the server's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the file that defines it, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Identity {
    /// Writes `name (path)`, and the workspace where it counts.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({}", self.name, self.path.display())?;
        match &self.workspace {
            Some(workspace) => write!(formatter, ", in {})", workspace.display()),
            None => formatter.write_str(")"),
        }
    }
}

impl Resolved {
    /// Returns which entry of which file this is, whatever the entry says.
    pub fn identity(&self) -> Identity {
        let is_projects = self.origin.source.scope == Scope::Project;
        Identity {
            source: self.origin.source,
            path: disk::canonical(&self.origin.path),
            workspace: is_projects.then(|| self.context.workspace.clone()),
            name: self.name.clone(),
        }
    }
}
