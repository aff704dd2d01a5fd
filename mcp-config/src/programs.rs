//! Which program a name would start.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::environment::{Environment, Platform};

/// What Windows appends to a name when the environment does not say.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// Where programs are looked for: the one answer for servers, for the doctor and for a host's own helpers.
///
/// 1. A program with a separator in it is a path; it counts from the directory that the program is started in, and `~/` is
///    the home directory.
/// 2. Any other is looked for in the directories of a `PATH`, in their order, and only in those that are absolute. An empty
///    entry, `.` and `bin` mean something in the directory that happens to be current: in a repository that nobody has
///    approved, a program of whoever wrote the repository.
/// 3. On Windows the extensions of `PATHEXT` are tried in their order, unless the name ends in one of them already.
///
/// ```
/// use mcp_config::{Environment, Platform, Programs};
///
/// let environment = Environment::new("/work")
///     .with_platform(Platform::Linux)
///     .with_vars([("PATH", "/usr/local/bin::.:bin:/usr/bin")]);
/// let programs = Programs::new(&environment);
/// let candidates: Vec<_> = programs.candidates("npx").collect();
/// assert_eq!(candidates, ["/usr/local/bin/npx", "/usr/bin/npx"].map(std::path::PathBuf::from));
/// assert_eq!(programs.search_path().as_deref(), Some("/usr/local/bin:/usr/bin"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Programs<'a> {
    environment: &'a Environment,
    path: &'a str,
    cwd: &'a Path,
}

impl<'a> Programs<'a> {
    /// Looks on the environment's `PATH`, for programs that are started in its working directory.
    pub fn new(environment: &'a Environment) -> Self {
        Self { environment, path: environment.var("PATH").unwrap_or_default(), cwd: &environment.cwd }
    }

    /// Looks on another `PATH`: the one that a server's definition declares.
    #[must_use]
    pub fn with_path(self, path: &'a str) -> Self {
        Self { path, ..self }
    }

    /// Starts programs in another directory, absolute.
    #[must_use]
    pub fn with_cwd(self, cwd: &'a Path) -> Self {
        Self { cwd, ..self }
    }

    /// Returns the file that is started, if there is one.
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        self.candidates(program).find(|candidate| disk::is_executable(candidate))
    }

    /// Returns the files that would be started, best first, whether or not they exist; nothing is looked up.
    pub fn candidates(&self, program: &str) -> impl Iterator<Item = PathBuf> + use<'a> {
        let names = self.names(program);
        self.bases(program).flat_map(move |base| names.clone().into_iter().map(move |name| base.join(name)))
    }

    /// Returns the absolute entries of the `PATH`, which a program that looks for others may be given. `None` is no entry at
    /// all: no `PATH` is to be set then, as an empty one means the current directory.
    pub fn search_path(&self) -> Option<String> {
        let entries: Vec<&str> = self.entries().collect();
        (!entries.is_empty()).then(|| entries.join(self.separator()))
    }

    /// The directories in which a program may be.
    fn bases(&self, program: &str) -> impl Iterator<Item = PathBuf> + use<'a> {
        let is_path = program.contains(['/', '\\']) || (self.is_windows() && program.contains(':'));
        let own = is_path.then(|| self.cwd.to_path_buf());
        let listed = self.entries().map(PathBuf::from).filter(move |_| !is_path);
        own.into_iter().chain(listed)
    }

    /// What the file may be called.
    fn names(&self, program: &str) -> Vec<PathBuf> {
        let path = self.environment.expand_home(Path::new(program));
        if program.is_empty() || !self.is_windows() {
            return Vec::from_iter((!program.is_empty()).then_some(path));
        }
        let extensions =
            || self.environment.var("PATHEXT").unwrap_or(EXTENSIONS).split(';').filter(|one| !one.is_empty());
        let ends_in = |extension: &str| {
            let start = program.len().checked_sub(extension.len()).and_then(|start| program.get(start..));
            start.is_some_and(|end| end.eq_ignore_ascii_case(extension))
        };
        let complete = extensions().any(ends_in).then(|| path.clone());
        let completed = extensions().map(|extension| {
            let mut name = path.clone().into_os_string();
            name.push(extension);
            PathBuf::from(name)
        });
        complete.into_iter().chain(completed).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let windows = self.is_windows();
        let entries = self.path.split(self.separator());
        // Windows allows quotes around an entry.
        let bare = entries.map(move |entry| if windows { entry.trim_matches('"') } else { entry });
        bare.filter(move |entry| Path::new(entry).is_absolute() || (windows && has_drive(entry)))
    }

    fn separator(&self) -> &'static str {
        if self.is_windows() { ";" } else { ":" }
    }

    fn is_windows(&self) -> bool {
        self.environment.platform == Platform::Windows
    }
}

/// Tells `C:\bin` and `C:/bin` from `C:bin`, which counts from wherever one is on that drive.
fn has_drive(entry: &str) -> bool {
    matches!(entry.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests;
