//! Opening a page in the person's browser.
//!
//! The `open` crate does not keep our rules: it lists programs by names to be looked for on whatever the `PATH` holds, and
//! PowerShell under WSL, which reads the address as a command line. Here one program is found as every other is, and given
//! the address as an argument.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use mcp_config::{Environment, Programs};
use tokio::process::Command;
use tokio::time::timeout;
use url::Url;

/// How long the program that hands a URL to the browser may take. Some stay until the browser is closed, which is fine.
const HANDOVER: Duration = Duration::from_secs(3);

/// The program that hands a page to the person's browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Browser {
    program: PathBuf,
    search_path: Option<OsString>,
}

impl Browser {
    /// What the program is called on this platform.
    pub const PROGRAM: &str = match () {
        () if cfg!(target_os = "macos") => "open",
        () if cfg!(windows) => "rundll32.exe",
        () => "xdg-open",
    };

    /// Finds the program on the `PATH` of this environment; `None` where there is none.
    ///
    /// It is never a program of the working directory, which may be a repository that nobody trusts.
    pub fn find(environment: &Environment) -> Option<Self> {
        let programs = Programs::new(environment);
        Some(Self { program: programs.find(Self::PROGRAM)?, search_path: programs.search_path().map(OsString::from) })
    }

    /// Opens a page.
    ///
    /// # Errors
    ///
    /// When no browser can be started, as on a machine without a screen, and for an address that is no page: a browser
    /// opens files and starts programs as well. The person can still be shown the address.
    ///
    /// # Cancel safety
    ///
    /// The browser may or may not have been started.
    pub async fn open(&self, page: &Url) -> io::Result<()> {
        if !matches!(page.scheme(), "https" | "http") {
            return Err(io::Error::other("only pages are opened"));
        }
        let before: &[&str] = if cfg!(windows) { &["url.dll,FileProtocolHandler"] } else { &[] };
        let mut child = Command::new(&self.program)
            .args(before)
            .arg(page.as_str())
            .env_remove("PATH")
            .envs(self.search_path.iter().map(|path| ("PATH", path)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        match timeout(HANDOVER, child.wait()).await {
            Ok(ended) if ended.as_ref().is_ok_and(std::process::ExitStatus::success) => Ok(()),
            Ok(ended) => Err(io::Error::other(format!("`{}` ended with {}", Self::PROGRAM, ended?))),
            Err(_still_there) => Ok(()),
        }
    }
}
