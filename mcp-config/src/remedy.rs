//! What would mend a problem, as data.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::source::Host;

/// What would mend a problem. A program turns it into the words of its own command line, a button or a question.
///
/// Names in it are foreign text: a repository may call its server `docs; rm -r x` or `--settings`. A command line made of one
/// is quoted by whoever makes it, which is why no remedy here, and no message, is a command line.
///
/// `Display` says it in words that are not to be pasted. As JSON it is `{"trust": {"server": NAME}}`, `"trust-settings"`,
/// `{"import": {"host": HOST}}`, `{"store-secret": {"name": NAME}}`, `{"answer": {"server": NAME, "prompt": ID}}`,
/// `{"approve": {"server": NAME}}`, `{"run": {"command": [PROGRAM, ARGUMENT…]}}` or `{"advice": TEXT}`.
///
/// ```
/// use mcp_config::{Problem, ProblemKind, Remedy, Severity};
///
/// let problem = Problem::new(Severity::Warning, ProblemKind::Approval, "it does not start before it is approved");
/// assert_eq!(problem.clone().with_fix(Remedy::trust("docs")).to_string(), format!("{problem} (fix: approve `docs`)"));
/// // What no command mends is said in words.
/// assert_eq!(problem.with_fix("remove one of the two").fix, Some(Remedy::advice("remove one of the two")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
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
    /// Store a secret that definitions name.
    StoreSecret {
        /// Its name.
        name: Box<str>,
    },
    /// Answer a prompt of a server's definition.
    Answer(Box<PromptOf>),
    /// Look at how a server's tools changed, and approve them.
    Approve {
        /// The server's name.
        server: Box<str>,
    },
    /// Run a program that is not ours.
    Run {
        /// The program and its arguments.
        command: Vec<Box<str>>,
    },
    /// Do something that is no command, such as editing a file: a sentence without a full stop.
    Advice(Box<str>),
}

/// A prompt of one server's definition.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct PromptOf {
    /// The server's name.
    pub server: Box<str>,
    /// The prompt's id.
    pub prompt: Box<str>,
}

impl Remedy {
    /// Look at what a server would run, and approve it.
    pub fn trust(server: impl Into<Box<str>>) -> Self {
        Self::Trust { server: server.into() }
    }

    /// Look at how a server's tools changed, and approve them.
    pub fn approve(server: impl Into<Box<str>>) -> Self {
        Self::Approve { server: server.into() }
    }

    /// Take the servers of another host over.
    pub fn import(host: Host) -> Self {
        Self::Import { host }
    }

    /// Do something that is no command.
    pub fn advice(text: impl Into<Box<str>>) -> Self {
        Self::Advice(text.into())
    }

    /// Change who may do what with a file.
    pub(crate) fn chmod(mode: &str, path: &Path) -> Self {
        Self::Run { command: vec!["chmod".into(), mode.into(), path.to_string_lossy().into()] }
    }
}

impl<T: Into<Box<str>>> From<T> for Remedy {
    fn from(advice: T) -> Self {
        Self::advice(advice)
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trust { server } => write!(formatter, "approve `{server}`"),
            Self::TrustSettings => formatter.write_str("approve the project's settings"),
            Self::Import { host } => write!(formatter, "import from {host}"),
            Self::StoreSecret { name } => write!(formatter, "store the secret `{name}`"),
            Self::Answer(of) => write!(formatter, "answer the prompt `{}` of `{}`", of.prompt, of.server),
            Self::Approve { server } => write!(formatter, "approve the tools of `{server}`"),
            Self::Run { command } => write!(formatter, "run {command:?}"),
            Self::Advice(text) => formatter.write_str(text),
        }
    }
}
