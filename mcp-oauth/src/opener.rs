//! Starting a browser.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;
use url::Url;

use crate::error::Error;
use crate::guard::{is_loopback, shown};

/// How long the program that hands a URL to the browser may take. Some stay until the browser is closed, which is fine.
const HANDOVER: Duration = Duration::from_secs(3);

/// The program that hands a URL to the person's browser.
///
/// It is named by its path, and so is where it looks for browsers in turn: a `PATH` with an empty or a relative entry would
/// start whatever lies in the current folder, which may be a repository that nobody trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opener {
    program: PathBuf,
    search_path: Option<OsString>,
}

impl Opener {
    /// What the program is called on this platform, to be looked for on the `PATH`.
    pub const NAME: &str = NAME;

    /// Uses this program, an absolute path, which is given no `PATH`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), search_path: None }
    }

    /// Gives the program this `PATH`, whose entries should be absolute.
    #[must_use]
    pub fn with_search_path(mut self, search_path: impl Into<OsString>) -> Self {
        self.search_path = Some(search_path.into());
        self
    }

    /// Opens `url` in the person's browser.
    ///
    /// The URL is an argument of a program and never part of a command line that a shell reads, and it can be no option and
    /// no file: only `https`, and `http` to this machine, are opened.
    ///
    /// # Errors
    ///
    /// [`Error::UnsafeUrl`] for any other URL; [`Error::Unreachable`] when no browser can be started, as on a machine
    /// without a screen. The person can still be shown the URL.
    ///
    /// # Cancel safety
    ///
    /// The browser may or may not have been started.
    pub async fn open(&self, url: &Url) -> Result<(), Error> {
        check_openable(url)?;
        let unreachable = |source: std::io::Error| Error::Unreachable { url: shown(url), source: Box::new(source) };
        if !self.program.is_absolute() {
            return Err(unreachable(std::io::Error::other(format!(
                "`{}` is no absolute path",
                self.program.display()
            ))));
        }
        let mut child = Command::new(&self.program)
            .args(BEFORE)
            .arg(url.as_str())
            .env_remove("PATH")
            .envs(self.search_path.iter().map(|path| ("PATH", path)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(unreachable)?;
        match timeout(HANDOVER, child.wait()).await {
            Ok(Ok(status)) if !status.success() => {
                Err(unreachable(std::io::Error::other(format!("`{NAME}` ended with {status}"))))
            }
            Ok(Err(source)) => Err(unreachable(source)),
            _ => Ok(()),
        }
    }
}

/// Checks that a page may be opened in a browser
/// (MCP security best practices: only `https`, and `http` to a loopback address).
pub(crate) fn check_openable(url: &Url) -> Result<(), Error> {
    match url.scheme() {
        "https" if url.has_host() => Ok(()),
        "http" if is_loopback(url) => Ok(()),
        _ => Err(Error::UnsafeUrl { url: shown(url), reason: "only https pages are opened" }),
    }
}

#[cfg(target_os = "macos")]
const NAME: &str = "open";
#[cfg(windows)]
const NAME: &str = "rundll32.exe";
#[cfg(not(any(target_os = "macos", windows)))]
const NAME: &str = "xdg-open";

/// What stands before the URL.
const BEFORE: &[&str] = if cfg!(windows) { &["url.dll,FileProtocolHandler"] } else { &[] };

#[cfg(test)]
mod tests;
