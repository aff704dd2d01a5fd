//! A server that is about to be written into a file.

use std::fmt;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json};

use crate::secret::Secret;
use crate::server::RemoteTransport;

/// A server to be written, variables unexpanded: what stands here stands in the file.
///
/// ```
/// use mcp_config::{NewServer, RemoteTransport};
///
/// let files = NewServer::stdio("npx", ["-y", "@modelcontextprotocol/server-filesystem@2025.11.25", "."])
///     .with_env("LOG_LEVEL", "debug");
/// let issues = NewServer::remote("https://mcp.example.com/mcp", RemoteTransport::Http)
///     .with_header("Authorization", "Bearer ${ISSUES_TOKEN}");
/// # assert_ne!(files, issues);
/// ```
#[derive(Clone, PartialEq)]
pub struct NewServer {
    pub(crate) launch: NewLaunch,
    pub(crate) enabled: bool,
    pub(crate) timeout: Option<Duration>,
    /// What only this toolkit's own files have words for.
    pub(crate) more: Map<String, Json>,
}

/// How a new server is reached. Everything that a person types may hold a secret.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NewLaunch {
    Stdio { command: String, args: Vec<Secret>, env: IndexMap<String, Secret>, cwd: Option<String> },
    Remote { url: Secret, transport: RemoteTransport, headers: IndexMap<String, Secret> },
}

impl NewServer {
    /// Describes a program to run.
    pub fn stdio<S: Into<String>>(command: impl Into<String>, args: impl IntoIterator<Item = S>) -> Self {
        let args = args.into_iter().map(|argument| Secret::new(argument.into())).collect();
        Self::of(NewLaunch::Stdio { command: command.into(), args, env: IndexMap::new(), cwd: None })
    }

    /// Describes a remote server.
    pub fn remote(url: impl Into<String>, transport: RemoteTransport) -> Self {
        Self::of(NewLaunch::Remote { url: Secret::new(url), transport, headers: IndexMap::new() })
    }

    fn of(launch: NewLaunch) -> Self {
        Self { launch, enabled: true, timeout: None, more: Map::new() }
    }

    /// Adds a variable for the child process. A remote server has none, and ignores it.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let NewLaunch::Stdio { env, .. } = &mut self.launch {
            env.insert(name.into(), Secret::new(value));
        }
        self
    }

    /// Adds a header to every request. A program has none, and ignores it.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let NewLaunch::Remote { headers, .. } = &mut self.launch {
            headers.insert(name.into(), Secret::new(value));
        }
        self
    }

    /// Sets the directory a program runs in. A remote server has none, and ignores it.
    #[must_use]
    pub fn with_cwd(mut self, directory: impl Into<String>) -> Self {
        if let NewLaunch::Stdio { cwd, .. } = &mut self.launch {
            *cwd = Some(directory.into());
        }
        self
    }

    /// Sets how long one tool call may take.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Writes it switched off.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.enabled = false;
        self
    }
}

/// Values are hidden: what a person types may be a secret.
impl fmt::Debug for NewServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("NewServer")
            .field("launch", &self.launch)
            .field("enabled", &self.enabled)
            .field("timeout", &self.timeout)
            .field("more", &self.more.keys().collect::<Vec<_>>())
            .finish()
    }
}
