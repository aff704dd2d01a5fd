//! What would change an outcome, as data.

use std::fmt;

use mcp_config::Host;
use serde::Serialize;

/// What would change an outcome: something this toolkit can do, another program's command, or advice.
///
/// The names in it are foreign text: a repository may call its server `docs; rm -r x` or `--settings`. So no error and no
/// status holds a command line. A program with a command line makes its own of this, and quotes it; one with buttons makes
/// buttons.
///
/// As JSON, a variant with fields is an object with one member (`{"trust": {"server": NAME}}`), one without is its name
/// (`"trust-settings"`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// Configure a server.
    Add,
    /// Look at what a server would run, and approve it.
    Trust {
        /// The server's name.
        server: Box<str>,
    },
    /// Look at what the project's settings loosen, and approve it.
    TrustSettings,
    /// Take the servers of another host over.
    Import {
        /// The host.
        host: Host,
    },
    /// Switch a server on.
    Enable {
        /// The server's name.
        server: Box<str>,
    },
    /// Store a secret that definitions name: [`Secrets::set`](crate::Secrets::set).
    StoreSecret {
        /// Its name.
        name: Box<str>,
    },
    /// Answer a prompt of a server's definition: [`Secrets::set`](crate::Secrets::set).
    Answer {
        /// The server's name.
        server: Box<str>,
        /// The prompt's id.
        prompt: Box<str>,
    },
    /// Log in to a server.
    Login {
        /// The server's name.
        server: Box<str>,
    },
    /// Look at how a server's tools changed, and approve them: [`Client::review`](crate::Client::review).
    Approve {
        /// The server's name.
        server: Box<str>,
        /// The server's name for the one tool that is concerned; none for all it says.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool: Option<Box<str>>,
    },
    /// Allow calls by a rule in the user's settings.
    Allow {
        /// The rule.
        rule: Box<str>,
    },
    /// Refuse calls by a rule in the user's settings.
    Deny {
        /// The rule.
        rule: Box<str>,
    },
    /// Take a rule away.
    Forget {
        /// The rule, as it is written.
        rule: Box<str>,
        /// Whose settings it stands in: `user` or `project`.
        scope: &'static str,
    },
    /// Run a program that is not ours.
    Run {
        /// The program and its arguments.
        command: Vec<Box<str>>,
    },
    /// Do something that is no command, such as editing a file: a sentence without a full stop.
    Advice(Box<str>),
}

impl Remedy {
    pub(crate) fn advice(text: impl Into<Box<str>>) -> Self {
        Self::Advice(text.into())
    }
}

impl fmt::Display for Remedy {
    /// Says it in words that are not to be pasted.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add => formatter.write_str("configure a server"),
            Self::Trust { server } => write!(formatter, "approve `{server}`"),
            Self::TrustSettings => formatter.write_str("approve the project's settings"),
            Self::Import { host } => write!(formatter, "import from {host}"),
            Self::Enable { server } => write!(formatter, "switch `{server}` on"),
            Self::StoreSecret { name } => write!(formatter, "store the secret `{name}`"),
            Self::Answer { server, prompt } => write!(formatter, "answer the prompt `{prompt}` of `{server}`"),
            Self::Login { server } => write!(formatter, "log in to `{server}`"),
            Self::Approve { server, tool: None } => write!(formatter, "approve the tools of `{server}`"),
            Self::Approve { server, tool: Some(tool) } => write!(formatter, "approve the tool `{tool}` of `{server}`"),
            Self::Allow { rule } => write!(formatter, "allow `{rule}`"),
            Self::Deny { rule } => write!(formatter, "deny `{rule}`"),
            Self::Forget { rule, scope } => write!(formatter, "forget the rule `{rule}` of the {scope}"),
            Self::Run { command } => write!(formatter, "run {command:?}"),
            Self::Advice(text) => formatter.write_str(text),
        }
    }
}

impl From<mcp_config::Remedy> for Remedy {
    fn from(remedy: mcp_config::Remedy) -> Self {
        use mcp_config::Remedy as Theirs;
        match remedy {
            Theirs::Trust { server } => Self::Trust { server },
            Theirs::TrustSettings => Self::TrustSettings,
            Theirs::Import { host } => Self::Import { host },
            Theirs::StoreSecret { name } => Self::StoreSecret { name },
            Theirs::Answer(of) => Self::Answer { server: of.server, prompt: of.prompt },
            Theirs::Approve { server } => Self::Approve { server, tool: None },
            Theirs::Run { command } => Self::Run { command },
            other => Self::Advice(other.to_string().into()),
        }
    }
}

impl From<mcp_registry::Remedy> for Remedy {
    fn from(remedy: mcp_registry::Remedy) -> Self {
        use mcp_registry::Remedy as Theirs;
        match remedy {
            Theirs::Forget { rule, scope } => Self::Forget { rule: (*rule).into(), scope: scope.as_str() },
            Theirs::Approve { server } => Self::Approve { server: (*server).into(), tool: None },
            Theirs::Allow { rule } => Self::Allow { rule: (*rule).into() },
            Theirs::Deny { rule } => Self::Deny { rule: (*rule).into() },
            other => Self::Advice(other.to_string().into()),
        }
    }
}
