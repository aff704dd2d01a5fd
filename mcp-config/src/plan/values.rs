//! What the variables of one server's definition stand for.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::disk;
use crate::document;
use crate::environment::Environment;
use crate::resolved::LaunchContext;
use crate::server::Input;
use crate::template::Values;
use crate::trusted::Answers;

/// What a project's server wants in order to see every variable of the person's, in the form in which it is confirmed.
pub(super) const WHOLE_ENVIRONMENT: &str = "environment";

/// The values one server may have.
#[derive(Clone, Copy)]
pub(super) struct Scoped<'a> {
    pub(super) environment: &'a Environment,
    pub(super) answers: &'a dyn Answers,
    pub(super) context: &'a LaunchContext,
    pub(super) confirmed: &'a BTreeSet<String>,
    pub(super) inputs: &'a [Arc<Input>],
}

impl Scoped<'_> {
    /// A project's server has what lies inside its workspace, and beyond that what was confirmed by name.
    pub(super) fn check_reach(&self, reach: &str, path: Option<&Path>) -> Result<(), String> {
        let inside = path.is_some_and(|path| self.context.holds(path));
        if !self.context.confined || inside || self.confirmed.contains(reach) {
            return Ok(());
        }
        Err(format!("a project's server gets `{reach}` only after it was confirmed by name"))
    }

    /// Where a file that a value names is.
    pub(super) fn file_path(&self, path: &str) -> std::path::PathBuf {
        self.environment.below(&self.context.default_cwd, Path::new(path))
    }
}

impl Values for Scoped<'_> {
    fn environment(&self, name: &str) -> Option<String> {
        if name == "CLAUDE_PROJECT_DIR" && self.environment.var(name).is_none() {
            return Some(self.context.workspace.to_string_lossy().into_owned());
        }
        self.environment.var(name).map(str::to_owned)
    }

    fn input(&self, id: &str) -> Option<String> {
        let suggested = || self.inputs.iter().find(|input| input.id == id)?.default.clone();
        self.answers.input(id).map(|secret| secret.expose().to_owned()).or_else(suggested)
    }

    fn keyring(&self, name: &str) -> Result<Option<String>, String> {
        self.check_reach(&format!("keyring:{name}"), None)?;
        Ok(self.answers.keyring(name).map(|secret| secret.expose().to_owned()))
    }

    fn file(&self, path: &str) -> Result<Option<String>, String> {
        let absolute = self.file_path(path);
        self.check_reach(&format!("file:{path}"), Some(&absolute))?;
        let bytes = disk::read(&absolute, disk::MAX_FILE).map_err(|problem| problem.message.into_string())?;
        let Some(bytes) = bytes else { return Ok(None) };
        let text = document::decode(&bytes).map_err(|problem| problem.message.into_string())?;
        Ok(Some(text.content.trim_end().to_owned()))
    }

    fn workspace(&self) -> &Path {
        &self.context.workspace
    }

    fn home(&self) -> Option<&Path> {
        self.environment.home.as_deref()
    }

    fn plugin(&self) -> Option<(&Path, &Path)> {
        self.context.plugin.as_ref().map(|plugin| (plugin.root.as_path(), plugin.data.as_path()))
    }
}
