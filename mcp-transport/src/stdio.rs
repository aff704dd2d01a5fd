//! Servers that are child processes and speak over their standard streams.
//!
//! See [stdio](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio).

mod environment;
mod group;
mod lines;
mod link;
mod oddities;
mod process;
mod program;
mod stderr;
#[cfg(unix)]
mod watchdog;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use environment::proxy_secrets;
pub(crate) use link::StdioLink;
pub(crate) use oddities::explanation;

use crate::Error;

/// How to start a server.
///
/// Nothing is read from this process: what the server may inherit is passed in with
/// [`with_host_env`](Self::with_host_env). `Debug` shows no argument, and of environment variables the names.
///
/// ```
/// use mcp_transport::{Inherit, StdioOptions};
///
/// let options = StdioOptions::new("npx")
///     .with_args(["-y", "@modelcontextprotocol/server-everything"])
///     .with_env("API_KEY", "secret")
///     .with_inherit(Inherit::Safe)
///     .with_host_env(std::env::vars_os());
/// assert!(!format!("{options:?}").contains("secret"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct StdioOptions {
    /// The program: a name to look up in the absolute entries of `PATH`, or a path; a relative path counts from `cwd`.
    pub command: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables declared for this server; they win over inherited ones.
    pub env: Vec<(String, String)>,
    /// The folder to start in. Default the host's.
    pub cwd: Option<PathBuf>,
    /// Which variables of `host_env` the server sees. Default [`Inherit::Safe`].
    pub inherit: Inherit,
    /// The environment to inherit from. Default empty.
    pub host_env: Vec<(OsString, OsString)>,
    /// Hears every line the server writes to stderr. Default nobody; the tail is kept all the same.
    pub log: Option<LineSink>,
    /// Whether a small watchdog process ends the server when this process dies without a chance to (`kill -9`).
    /// Default on; Unix only (it is `sh`, waiting on a pipe). A server that leaves its process group escapes it.
    pub watchdog: bool,
    /// What errors call the command and the folder, where they may not be told as they are.
    pub label: Option<StdioLabel>,
}

/// What errors call what is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StdioLabel {
    /// The command.
    pub command: String,
    /// The folder it starts in.
    pub cwd: String,
}

/// Hears lines; called from the connection's task, so it must not block.
pub type LineSink = Arc<dyn Fn(&str) + Send + Sync>;

impl StdioOptions {
    /// Starts `command` without arguments, in the host's folder, with an empty environment to inherit from.
    pub fn new(command: impl Into<OsString>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            inherit: Inherit::default(),
            host_env: Vec::new(),
            log: None,
            watchdog: true,
            label: None,
        }
    }

    /// Appends arguments.
    #[must_use]
    pub fn with_args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Declares a variable.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Starts the server in `cwd`.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Chooses what the server inherits.
    #[must_use]
    pub fn with_inherit(mut self, inherit: Inherit) -> Self {
        self.inherit = inherit;
        self
    }

    /// Gives the environment to inherit from, usually `std::env::vars_os()`.
    #[must_use]
    pub fn with_host_env(mut self, host_env: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.host_env = host_env.into_iter().collect();
        self
    }

    /// Lets `log` hear every line of stderr.
    #[must_use]
    pub fn with_log(mut self, log: LineSink) -> Self {
        self.log = Some(log);
        self
    }

    /// Starts no watchdog process.
    #[must_use]
    pub fn without_watchdog(mut self) -> Self {
        self.watchdog = false;
        self
    }

    /// Calls the command and the folder this in every error: their templates, where what stands for a variable is a secret.
    #[must_use]
    pub fn with_label(mut self, label: StdioLabel) -> Self {
        self.label = Some(label);
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        process::program_of(self).map(drop)
    }

    pub(crate) fn command_text(&self) -> String {
        let label = self.label.as_ref().map(|label| label.command.clone());
        label.unwrap_or_else(|| self.command.to_string_lossy().into_owned())
    }

    pub(crate) fn cwd_text(&self) -> Option<String> {
        let cwd = self.cwd.as_ref()?;
        let label = self.label.as_ref().map(|label| label.cwd.clone());
        Some(label.unwrap_or_else(|| cwd.display().to_string()))
    }
}

impl fmt::Debug for StdioOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("StdioOptions")
            .field("command", &self.command_text())
            .field("args", &format_args!("{} [redacted]", self.args.len()))
            .field("env", &format_args!("{names:?} [redacted]"))
            .field("cwd", &self.cwd_text())
            .field("inherit", &self.inherit)
            .field("host_env", &format_args!("{} variables [redacted]", self.host_env.len()))
            .field("watchdog", &self.watchdog)
            .finish_non_exhaustive()
    }
}

/// Which variables of the host a server sees, besides its declared ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Inherit {
    /// What a program needs to run: on Unix `HOME`, `LANG`, `LC_ALL`, `LC_CTYPE`, `LOGNAME`,
    /// `PATH`, `SHELL`, `TERM`, `TMPDIR`, `TZ`, `USER`; on Windows `APPDATA`, `COMSPEC`, `HOMEDRIVE`, `HOMEPATH`,
    /// `LOCALAPPDATA`, `PATH`, `PATHEXT`, `PROCESSOR_ARCHITECTURE`, `PROGRAMDATA`, `PROGRAMFILES` and their kin, `PUBLIC`,
    /// `SYSTEMDRIVE`, `SYSTEMROOT`, `TEMP`, `TMP`, `USERNAME`, `USERPROFILE`, `WINDIR`.
    ///
    /// Also, everywhere, how to reach the network: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` in either case, and
    /// the certificates to believe (`NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE`, `SSL_CERT_DIR`, `REQUESTS_CA_BUNDLE`,
    /// `CURL_CA_BUNDLE` and their like). A proxy's address may hold a password: no error repeats it.
    ///
    /// Exported shell functions are left out, and so are the relative entries of `PATH`.
    #[default]
    Safe,
    /// Everything, but for the relative entries of `PATH`.
    All,
    /// Nothing; `PATH` of the host is still used to find the command.
    None,
}

/// The variables a server gets: inherited ones first, declared ones over them.
pub(crate) fn environment_of(options: &StdioOptions) -> Vec<(OsString, OsString)> {
    environment::compose(options)
}

/// Where to look for commands: in the absolute entries of the declared `PATH`, else of the host's, whatever is inherited.
/// `None` when there are none.
///
/// An empty entry means the current folder, and a relative one something in it: a program of whoever filled that folder.
pub(crate) fn search_path(options: &StdioOptions) -> Option<OsString> {
    let is_path = |name: &OsStr| environment::same_name(name, "PATH");
    let declared = options.env.iter().rev().find(|(name, _)| is_path(OsStr::new(name)));
    let declared = declared.map(|(_, value)| OsStr::new(value));
    let host = || options.host_env.iter().find(|(name, _)| is_path(name)).map(|(_, value)| value.as_os_str());
    environment::absolute_entries(declared.or_else(host)?)
}

#[cfg(test)]
mod tests;
