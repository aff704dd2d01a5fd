//! What state about a server is kept under.

use crate::disk;
use crate::resolved::Resolved;
use crate::secret::sha256;
use crate::source::Scope;

impl Resolved {
    /// Returns what to keep state about this server under: 64 hexadecimal digits, which stay the same when its definition
    /// changes.
    ///
    /// They stand for what approvals are filed under: the source, the file, the name, and for an entry of a project the
    /// workspace. Two projects that give one name to one command have two servers; a user's server is one in every project.
    pub fn state_key(&self) -> String {
        let source = self.origin.source.to_string();
        let path = disk::canonical(&self.origin.path);
        let is_projects = self.origin.source.scope == Scope::Project;
        let workspace = if is_projects { self.context.workspace.as_os_str().as_encoded_bytes() } else { &[] };
        let parts = [source.as_bytes(), path.as_os_str().as_encoded_bytes(), workspace, self.name.as_bytes()];
        // Each part is preceded by its length, so that no two lists of parts run together into the same bytes.
        let counted = |part: &[u8]| [&(part.len() as u64).to_le_bytes(), part].concat();
        sha256(&parts.map(counted).concat())
    }
}
