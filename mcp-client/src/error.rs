//! What can go wrong between a configuration and a tool's answer.

use std::error::Error as StdError;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use mcp_schema::Violation;

use crate::logins::HeaderRefused;
use crate::remedy::Remedy;

/// Why a [`Client`](crate::Client) could not do what was asked.
///
/// `Display` speaks of its own level; [`chain`] adds the causes. What to do next is asked of the predicates and of
/// [`remedies`](Self::remedies); no message holds a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The working directory is gone or may not be read.
    #[error("cannot tell the working directory")]
    WorkingDirectory {
        /// What the system said.
        source: std::io::Error,
    },
    /// No configured server has this name.
    #[error("no server `{server}` is configured")]
    UnknownServer {
        /// The name asked for.
        server: String,
        /// The configured names, in order.
        known: Vec<String>,
    },
    /// No tool of the connected servers is meant by this reference.
    #[error("no tool `{reference}`")]
    UnknownTool {
        /// The reference asked for.
        reference: String,
        /// The ids of the tools with the most similar names, best first.
        nearest: Vec<String>,
        /// Servers that are not connected, and so might have it.
        unavailable: Vec<String>,
    },
    /// Several tools have this name.
    #[error("`{reference}` could be any of several tools")]
    AmbiguousTool {
        /// The reference asked for.
        reference: String,
        /// Their ids, in order.
        candidates: Vec<String>,
    },
    /// The server may not be started: nobody approved it, or a policy forbids it.
    #[error(transparent)]
    NotTrusted(#[from] mcp_config::NotTrusted),
    /// The server is switched off in its configuration.
    #[error("server `{server}` is disabled")]
    Disabled {
        /// The server.
        server: String,
        /// Where that is written.
        place: String,
    },
    /// The server's definition cannot be used, for example because a variable is not set.
    #[error("server `{server}` is misconfigured")]
    Definition {
        /// The server.
        server: String,
        /// What is wrong, and where.
        source: Box<mcp_config::Problem>,
    },
    /// The server cannot be connected to.
    #[error("cannot connect to server `{server}`")]
    Connect {
        /// The server.
        server: String,
        /// Why.
        source: mcp_transport::Error,
    },
    /// A call did not come back with an answer.
    #[error("calling `{tool}` failed")]
    Call {
        /// The server.
        server: Box<str>,
        /// The tool's id.
        tool: Box<str>,
        /// Why.
        source: mcp_transport::Error,
    },
    /// The server of the tool is no longer connected.
    #[error("server `{server}` is not connected")]
    NotConnected {
        /// The server.
        server: String,
    },
    /// The tool's schema does not accept the arguments.
    #[error("`{tool}` does not accept these arguments{}", listed(.violations))]
    Arguments {
        /// The tool's id.
        tool: String,
        /// What does not fit, and where.
        violations: Vec<Violation>,
    },
    /// A permission rule, the mode, or the person asked said no.
    #[error("`{tool}` may not be called: {because}")]
    Denied {
        /// The tool's id.
        tool: String,
        /// Which rule or default decided.
        because: String,
        /// The steps that change the decision, in their order; none when none of ours do.
        remedies: Vec<Remedy>,
    },
    /// The tool is not as it was approved, or new, and so nobody is offered it.
    #[error("`{tool}` of server `{server}` is held back: {because}")]
    Held {
        /// The server.
        server: String,
        /// The server's name for the tool.
        tool: String,
        /// What happened to it since its server was approved.
        because: &'static str,
    },
    /// A model asked for an output that is not kept, or in a way that cannot be read.
    #[error("cannot read that output")]
    Output {
        /// Why.
        source: mcp_registry::Error,
    },
    /// Logging in to a server, or out, did not work.
    #[error("cannot log in to server `{server}`")]
    Login {
        /// The server.
        server: String,
        /// Why.
        source: Arc<mcp_oauth::Error>,
    },
    /// A secret, or the answer to a prompt, cannot be kept or read.
    #[error("cannot keep what a server needs")]
    Secrets {
        /// Why.
        source: Arc<mcp_oauth::Error>,
    },
    /// A server that nobody logs in to: a child process.
    #[error("server `{server}` is a program on this machine, which nobody logs in to")]
    NoLogin {
        /// The server.
        server: String,
    },
    /// A file of the toolkit's own cannot be read or written.
    #[error("cannot keep the toolkit's own files")]
    OwnFile {
        /// Why.
        source: mcp_config::Error,
    },
    /// There is no settings file for rules of this scope.
    #[error("there is no settings file for `{scope}`")]
    NoSettings {
        /// The scope.
        scope: &'static str,
    },
    /// A rule cannot be written into a settings file, which stays as it is.
    #[error("`{}` cannot be changed", .path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with the rule or the file.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// What was approved of a server's tools cannot be read or written.
    #[error("cannot tell what was approved of server `{server}`")]
    Pins {
        /// The server.
        server: String,
        /// Why.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A setting has a value that it cannot have.
    #[error("the setting `{key}` cannot be used")]
    Setting {
        /// The key in `settings.json`.
        key: String,
        /// What is wrong with the value.
        source: serde_json::Error,
    },
    /// A model asked one of the toolkit's own tools for something that it cannot do.
    #[error("`{tool}` does not understand this")]
    Request {
        /// The tool.
        tool: String,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// Tools were looked for in vain.
    #[error("no tools can be looked for")]
    Search {
        /// Why.
        source: mcp_search::Error,
    },
    /// A provider would refuse the tools.
    #[error(transparent)]
    Provider(#[from] crate::provider::Refusal),
    /// There is no schema profile of this name.
    #[error("no provider profile `{profile}`")]
    UnknownProfile {
        /// The name asked for.
        profile: String,
        /// The ids there are.
        known: Vec<String>,
    },
}

impl Error {
    /// The same failure for somebody else who waited for the server to be connected; `None` for what no connecting ends with.
    pub(crate) fn shared(&self) -> Option<Self> {
        Some(match self {
            Self::NotTrusted(refusal) => Self::NotTrusted(refusal.clone()),
            Self::Disabled { server, place } => Self::Disabled { server: server.clone(), place: place.clone() },
            Self::Definition { server, source } => Self::Definition { server: server.clone(), source: source.clone() },
            Self::Connect { server, source } => Self::Connect { server: server.clone(), source: source.clone() },
            Self::Secrets { source } => Self::Secrets { source: source.clone() },
            _ => return None,
        })
    }

    /// Whether something took too long.
    pub fn is_timeout(&self) -> bool {
        self.transport().is_some_and(mcp_transport::Error::is_timeout)
    }

    /// Whether a server asks for a login.
    pub fn needs_login(&self) -> bool {
        self.transport().is_some_and(mcp_transport::Error::is_auth_required)
            || self.oauth().is_some_and(mcp_oauth::Error::needs_login)
    }

    /// The server that refused a request because its login does not reach far enough. What is missing is remembered:
    /// another login asks for it.
    pub fn needs_wider_login(&self) -> Option<&str> {
        let lacks = matches!(self.oauth()?, mcp_oauth::Error::NeedsScopes { .. });
        match self {
            Self::Connect { server, .. } if lacks => Some(server),
            Self::Call { server, .. } if lacks => Some(server),
            _ => None,
        }
    }

    /// Whether trust or permission said no.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::NotTrusted(_) | Self::Denied { .. } | Self::Held { .. })
            || self.oauth().is_some_and(mcp_oauth::Error::is_denied)
    }

    /// Whether what was asked for does not exist or does not fit: asking again in the same way fails again.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::WorkingDirectory { .. }
            | Self::UnknownServer { .. }
            | Self::UnknownTool { .. }
            | Self::AmbiguousTool { .. }
            | Self::Disabled { .. }
            | Self::Definition { .. }
            | Self::Arguments { .. }
            | Self::Secrets { .. }
            | Self::NoLogin { .. }
            | Self::Output { .. }
            | Self::NoSettings { .. }
            | Self::Settings { .. }
            | Self::Setting { .. }
            | Self::Request { .. }
            | Self::Search { .. }
            | Self::Provider(_)
            | Self::UnknownProfile { .. } => true,
            // The server read the request and refused it as wrong (JSON-RPC "invalid params").
            Self::Call { source, .. } => {
                source.rpc().is_some_and(|error| error.code == mcp_transport::RpcError::INVALID_PARAMS)
                    || self.header_refused()
            }
            Self::Connect { .. } => self.header_refused(),
            Self::NotTrusted(_)
            | Self::NotConnected { .. }
            | Self::Login { .. }
            | Self::OwnFile { .. }
            | Self::Pins { .. }
            | Self::Held { .. }
            | Self::Denied { .. } => false,
        }
    }

    /// What would change the outcome: steps to be taken in this order; none where nothing is known to.
    pub fn remedies(&self) -> Vec<Remedy> {
        let remedy = match self {
            Self::Denied { remedies, .. } => return remedies.clone(),
            Self::Held { server, tool, .. } => {
                Remedy::Approve { server: server.as_str().into(), tool: Some(tool.as_str().into()) }
            }
            Self::NotTrusted(refusal) => return refusal.remedy().map(Remedy::from).into_iter().collect(),
            // Advice stands in the problem's own words already.
            Self::Definition { source, .. } => {
                let fix = source.fix.clone().map(Remedy::from).filter(|fix| !matches!(fix, Remedy::Advice(_)));
                return fix.into_iter().collect();
            }
            Self::Connect { .. } | Self::Call { .. } if self.header_refused() => {
                Remedy::advice("renew the header, or take it out of the definition and log in")
            }
            Self::Call { server, .. } if self.needs_login() => Remedy::Login { server: server.clone() },
            Self::Connect { server, .. } | Self::Login { server, .. } if self.needs_login() => {
                Remedy::Login { server: server.as_str().into() }
            }
            Self::Disabled { server, .. } => Remedy::Enable { server: server.as_str().into() },
            Self::UnknownProfile { known, .. } => Remedy::advice(format!("choose one of: {}", known.join(", "))),
            Self::UnknownServer { known, .. } if !known.is_empty() => {
                Remedy::advice(format!("configured are: {}", known.join(", ")))
            }
            Self::UnknownServer { .. } => Remedy::Add,
            _ => return Vec::new(),
        };
        vec![remedy]
    }

    /// The login's error, where that is the cause.
    fn oauth(&self) -> Option<&mcp_oauth::Error> {
        match self {
            Self::Login { source, .. } => Some(source),
            _ => self.authorization(),
        }
    }

    /// Whether the server refused the header that its definition has for it.
    fn header_refused(&self) -> bool {
        self.authorization::<HeaderRefused>().is_some()
    }

    /// What signing requests in failed with, if it is that.
    fn authorization<E: StdError + 'static>(&self) -> Option<&E> {
        match self.transport()? {
            mcp_transport::Error::Authorize { source, .. } => source.downcast_ref(),
            _ => None,
        }
    }

    /// The transport's error, where that is the cause.
    pub(crate) fn transport(&self) -> Option<&mcp_transport::Error> {
        match self {
            Self::Connect { source, .. } | Self::Call { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<Arc<mcp_oauth::Error>> for Error {
    fn from(source: Arc<mcp_oauth::Error>) -> Self {
        Self::Secrets { source }
    }
}

fn listed(violations: &[Violation]) -> String {
    violations.iter().fold(String::new(), |mut text, violation| {
        write!(text, "; {violation}").expect("writing to a string cannot fail");
        text
    })
}

/// An error and its causes in one line: `cannot connect to server `x`: cannot start `y`: No such file`.
pub fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let level = error.to_string();
        // Some libraries repeat their cause's words in their own.
        if !text.ends_with(&level) {
            write!(text, ": {level}").expect("writing to a string cannot fail");
        }
        cause = error.source();
    }
    text
}
