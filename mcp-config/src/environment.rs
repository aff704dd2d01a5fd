//! What the process looks like from outside: home, working directory, variables, platform.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// The operating system whose file locations and variable rules apply.
///
/// A value rather than a `cfg`, so that the Windows and macOS locations are tested on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Platform {
    /// Linux and every other Unix that follows the XDG base directories.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// Returns the platform this crate was compiled for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// Everything the crate wants to know about the process, as plain data.
///
/// The crate never reads the process itself: the binary fills one of these once, and a test fills another.
///
/// ```
/// use mcp_config::Environment;
///
/// let environment = Environment::new("/work/project")
///     .with_home("/home/ada")
///     .with_vars([("GITHUB_TOKEN", "t0p-secret")]);
/// assert_eq!(environment.var("GITHUB_TOKEN"), Some("t0p-secret"));
/// assert!(!format!("{environment:?}").contains("t0p-secret"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Environment {
    /// The user's home directory, absolute. Without one, no user-level file is looked for.
    pub home: Option<PathBuf>,
    /// The working directory, absolute: project files are looked for from here up to the repository's root.
    pub cwd: PathBuf,
    /// The variables of the process. `Debug` prints their number only.
    pub vars: BTreeMap<String, String>,
    /// The platform whose locations apply; defaults to the one this was compiled for.
    pub platform: Platform,
    /// The directory that machine-wide files are below: `/`, or `C:\` on Windows. Something else only in tests.
    pub system_root: PathBuf,
}

impl Environment {
    /// Creates an environment with a working directory, no home and no variables.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        let system_root = PathBuf::from(if cfg!(windows) { "C:\\" } else { "/" });
        Self { home: None, cwd: cwd.into(), vars: BTreeMap::new(), platform: Platform::current(), system_root }
    }

    /// Sets the home directory.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Adds variables; a later value replaces an earlier one of the same name.
    #[must_use]
    pub fn with_vars<N, V>(mut self, vars: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<String>,
        V: Into<String>,
    {
        self.vars.extend(vars.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Sets the platform.
    #[must_use]
    pub fn with_platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Sets the directory that machine-wide files are below.
    #[must_use]
    pub fn with_system_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.system_root = root.into();
        self
    }

    /// Returns a variable's value. On Windows names are compared without regard to ASCII case.
    pub fn var(&self, name: &str) -> Option<&str> {
        if let Some(value) = self.vars.get(name) {
            return Some(value);
        }
        if self.platform == Platform::Windows {
            return self.vars.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
        }
        None
    }

    /// Returns a variable that must hold an absolute path; an empty or relative value counts as unset, as the XDG base
    /// directory specification asks.
    pub(crate) fn directory_var(&self, name: &str) -> Option<PathBuf> {
        self.var(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// Returns a variable that names a file: a relative value counts from the working directory, as it does for the hosts that
    /// read it, and an empty one as unset.
    pub(crate) fn file_var(&self, name: &str) -> Option<PathBuf> {
        self.var(name).filter(|value| !value.is_empty()).map(|value| self.absolute(Path::new(value)))
    }

    /// Returns `path` below the home directory.
    pub(crate) fn in_home(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(path))
    }

    /// Returns `$XDG_CONFIG_HOME`, or `~/.config`: what command-line programs use on every platform.
    pub fn config_home(&self) -> Option<PathBuf> {
        self.directory_var("XDG_CONFIG_HOME").or_else(|| self.in_home(".config"))
    }

    /// Returns `$XDG_STATE_HOME`, or `~/.local/state` (`%LOCALAPPDATA%` on Windows): where the trust records live.
    pub fn state_home(&self) -> Option<PathBuf> {
        let platform = match self.platform {
            Platform::Windows => self.directory_var("LOCALAPPDATA"),
            Platform::Linux | Platform::MacOs => None,
        };
        self.directory_var("XDG_STATE_HOME").or(platform).or_else(|| self.in_home(".local/state"))
    }

    /// Returns where desktop programs keep their settings: `~/Library/Application Support`, `%APPDATA%` or
    /// [`config_home`](Self::config_home).
    pub(crate) fn application_support(&self) -> Option<PathBuf> {
        match self.platform {
            Platform::Linux => self.config_home(),
            Platform::MacOs => self.in_home("Library/Application Support"),
            Platform::Windows => self.directory_var("APPDATA").or_else(|| self.in_home("AppData/Roaming")),
        }
    }

    /// Returns the file the toolkit keeps its trust records in: `mcp-toolkit/trust.json` below
    /// [`state_home`](Self::state_home).
    pub fn trust_file(&self) -> Option<PathBuf> {
        self.state_home().map(|state| state.join("mcp-toolkit").join("trust.json"))
    }

    /// Returns the file that user-level servers are written to: `~/.agents/mcp.json`.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.in_home(".agents/mcp.json")
    }

    /// Returns the file that project-level servers are written to: `.mcp.json` in the working directory.
    pub fn project_file(&self) -> PathBuf {
        self.cwd.join(".mcp.json")
    }

    /// Writes the home directory for a leading `~`; every other path stays as it is, and so does `~ada`, which only a shell
    /// understands.
    ///
    /// ```
    /// use std::path::Path;
    /// use mcp_config::Environment;
    ///
    /// let environment = Environment::new("/work").with_home("/home/ada");
    /// assert_eq!(environment.expand_home(Path::new("~/x")), Path::new("/home/ada/x"));
    /// assert_eq!(environment.expand_home(Path::new("~ada/x")), Path::new("~ada/x"));
    /// ```
    pub fn expand_home(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_path_buf(),
        }
    }

    /// Puts a path below a directory, and expands a leading `~`. `./x` below `/p` is `/p/x`: some programs take the dot for part
    /// of the name.
    pub(crate) fn below(&self, directory: &Path, path: &Path) -> PathBuf {
        let path = self.expand_home(path);
        directory.join(path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>())
    }

    /// Makes a path absolute against the working directory, and expands a leading `~`.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.cwd.join(self.expand_home(path))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("home", &self.home)
            .field("cwd", &self.cwd)
            .field("vars", &format_args!("[{} redacted]", self.vars.len()))
            .field("platform", &self.platform)
            .field("system_root", &self.system_root)
            .finish()
    }
}
