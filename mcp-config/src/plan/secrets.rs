//! Which values of a plan must be in no words, whoever says them.

use std::cell::RefCell;
use std::path::Path;

use super::text::Text;
use super::values::Scoped;
use super::{Content, PlannedEnvFile, PlannedLaunch, PlannedProgram, PlannedRemote};
use crate::mask;
use crate::secret::Secret;
use crate::template::Values;

/// Variables that every program has and no secret lives in. Without their values a text about files could not be read.
const EVERYDAY: [&str; 20] = [
    "APPDATA",
    "CLAUDE_PROJECT_DIR",
    "HOME",
    "HOMEPATH",
    "HOSTNAME",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PROGRAMFILES",
    "PWD",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERPROFILE",
];

/// The values of one text, and which of them are the person's own.
pub(super) struct Heard<'a> {
    values: &'a Scoped<'a>,
    own: RefCell<Vec<Secret>>,
}

impl<'a> Heard<'a> {
    pub(super) fn new(values: &'a Scoped<'a>) -> Self {
        Self { values, own: RefCell::default() }
    }

    /// Returns the person's own values that were asked for.
    pub(super) fn into_own(self) -> Vec<Secret> {
        self.own.into_inner()
    }

    fn heard(&self, value: Option<String>) -> Option<String> {
        self.own.borrow_mut().extend(value.iter().map(Secret::new));
        value
    }
}

impl Values for Heard<'_> {
    fn environment(&self, name: &str) -> Option<String> {
        let value = self.values.environment(name);
        if is_everyday(name) { value } else { self.heard(value) }
    }

    fn input(&self, id: &str) -> Option<String> {
        self.heard(self.values.input(id))
    }

    fn keyring(&self, name: &str) -> Result<Option<String>, String> {
        Ok(self.heard(self.values.keyring(name)?))
    }

    fn file(&self, path: &str) -> Result<Option<String>, String> {
        Ok(self.heard(self.values.file(path)?))
    }

    fn workspace(&self) -> &Path {
        self.values.workspace()
    }

    fn home(&self) -> Option<&Path> {
        self.values.home()
    }

    fn plugin(&self) -> Option<(&Path, &Path)> {
        self.values.plugin()
    }
}

impl Content {
    /// Returns the person's own values, and those that are spelt out and look like secrets.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        let mut secrets: Vec<Secret> = self.texts().flat_map(|text| text.own.iter().cloned()).collect();
        match &self.launch {
            PlannedLaunch::Stdio(program) => spelt_out(program, &mut secrets),
            PlannedLaunch::Remote(PlannedRemote { url, headers, transport: _ }) => {
                secrets.extend(mask::hidden_in_url(url.here()).map(Secret::new));
                secrets.extend(headers.values().map(Text::here).map(Secret::new));
            }
        }
        secrets.extend(self.login_secrets.iter().map(|(_, secret)| Secret::new(secret.here())));
        secrets.retain(|secret| !secret.expose().trim().is_empty());
        secrets
    }
}

fn spelt_out(program: &PlannedProgram, secrets: &mut Vec<Secret>) {
    let PlannedProgram { command, args, forward, env_file, env, program: _, cwd: _, directory: _ } = program;
    let words: Vec<&str> = std::iter::once(command).chain(args).map(Text::here).collect();
    for (word, shown) in words.iter().zip(mask::arguments(words.iter().copied())) {
        secrets.extend(mask::hidden_in_argument(word, &shown).map(Secret::new));
    }
    secrets.extend(forward.iter().filter(|(name, _)| !is_everyday(name)).filter_map(|(_, value)| value.clone()));
    let in_file =
        env_file.iter().filter_map(|PlannedEnvFile { variables, path: _, is_own: _ }| variables.as_ref().ok());
    let in_file = in_file.flatten().map(|(name, value)| (name.as_str(), value.expose()));
    let named = env.iter().map(|(name, value)| (name.as_str(), value.here())).chain(in_file);
    secrets.extend(named.filter(|(name, value)| mask::is_secret(name, value)).map(|(_, value)| Secret::new(value)));
}

fn is_everyday(name: &str) -> bool {
    EVERYDAY.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_")
}
