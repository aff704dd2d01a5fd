//! What may be shown of a server.

use std::fmt;

use indexmap::IndexMap;
use serde::Serialize;

use crate::login::{IdentityProviderHint, OauthHints, ResourceHint};
use crate::mask;
use crate::server::{AutoApprove, Hints, LaunchTemplate, RemoteTransport, ServerConfig, Timeouts, ToolFilter};

/// A server's definition with everything hidden that may be a secret, variables as they are written.
///
/// It can be printed, logged and serialised; it cannot be turned back into a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Preview {
    /// How it is reached.
    #[serde(flatten)]
    pub launch: LaunchPreview,
    /// Whether it is switched on.
    pub enabled: bool,
    /// How long to wait.
    #[serde(skip_serializing_if = "Timeouts::is_default")]
    pub timeouts: Timeouts,
    /// Which of its tools are offered.
    #[serde(skip_serializing_if = "ToolFilter::is_default")]
    pub tools: ToolFilter,
    /// The tools its definition says to call without asking.
    #[serde(skip_serializing_if = "AutoApprove::is_nothing")]
    pub auto_approve: AutoApprove,
    /// What its definition says about logging in.
    #[serde(skip_serializing_if = "OauthHints::is_default")]
    pub oauth: OauthHints,
    /// What a program may act on.
    #[serde(flatten)]
    pub hints: Hints,
    /// The keys of the definition that have no meaning here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_keys: Vec<String>,
}

/// How a server is reached, secrets hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "transport", rename_all = "kebab-case")]
pub enum LaunchPreview {
    /// A child process.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments, secrets hidden.
        args: Vec<String>,
        /// Its variables; of a value only the variables in it are shown.
        #[serde(skip_serializing_if = "IndexMap::is_empty")]
        env: IndexMap<String, String>,
        /// The file that more variables come from.
        #[serde(skip_serializing_if = "Option::is_none")]
        env_file: Option<String>,
        /// The directory it runs in, when the definition names one.
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
    },
    /// Streamable HTTP.
    Http(RemotePreview),
    /// HTTP+SSE of 2024-11-05.
    Sse(RemotePreview),
    /// Streamable HTTP, and HTTP+SSE when the server refuses it.
    HttpAuto(RemotePreview),
}

/// Where a remote server is, secrets hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RemotePreview {
    /// The endpoint, without user information and the values of its query.
    pub url: String,
    /// Headers; of a value only the variables in it are shown.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
}

impl Preview {
    pub(crate) fn of(config: &ServerConfig) -> Self {
        Self {
            launch: launch(&config.launch),
            enabled: config.enabled,
            timeouts: config.timeouts,
            tools: config.tools.clone(),
            auto_approve: config.auto_approve.clone(),
            oauth: oauth(&config.oauth),
            hints: config.hints.clone(),
            unknown_keys: config.unknown.0.keys().cloned().collect(),
        }
    }
}

/// Addresses may carry a user and a query.
fn oauth(hints: &OauthHints) -> OauthHints {
    let url = |url: &Option<String>| url.as_deref().map(mask::url);
    let provider = |provider: &IdentityProviderHint| IdentityProviderHint {
        token_endpoint: mask::url(&provider.token_endpoint),
        ..provider.clone()
    };
    OauthHints {
        redirect_uri: url(&hints.redirect_uri),
        metadata_url: url(&hints.metadata_url),
        issuer: url(&hints.issuer),
        issuer_aliases: hints.issuer_aliases.iter().map(|issuer| mask::url(issuer)).collect(),
        resource: hints.resource.as_ref().map(|resource| match resource {
            ResourceHint::Omitted => ResourceHint::Omitted,
            ResourceHint::Exactly(resource) => ResourceHint::Exactly(mask::url(resource)),
        }),
        identity_provider: hints.identity_provider.as_ref().map(provider),
        ..hints.clone()
    }
}

pub(crate) fn launch(template: &LaunchTemplate) -> LaunchPreview {
    match template {
        LaunchTemplate::Stdio(stdio) => LaunchPreview::Stdio {
            command: mask::argument(stdio.command.raw()),
            args: mask::arguments(stdio.args.iter().map(crate::template::Template::raw)),
            env: stdio.env.iter().map(|(name, value)| (name.clone(), mask::value(value))).collect(),
            env_file: stdio.env_file.as_ref().map(|file| file.raw().to_owned()),
            cwd: stdio.cwd.as_ref().map(|cwd| cwd.raw().to_owned()),
        },
        LaunchTemplate::Remote(remote) => {
            let url = mask::url(remote.url.raw());
            let headers = remote.headers.iter().map(|(name, value)| (name.clone(), mask::value(value))).collect();
            let preview = RemotePreview { url, headers };
            match remote.transport {
                RemoteTransport::Http => LaunchPreview::Http(preview),
                RemoteTransport::Sse => LaunchPreview::Sse(preview),
                RemoteTransport::HttpAuto => LaunchPreview::HttpAuto(preview),
            }
        }
    }
}

/// One line: the command line, or the URL.
impl fmt::Display for Preview {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.launch {
            LaunchPreview::Stdio { command, args, .. } => {
                formatter.write_str(command)?;
                args.iter().try_for_each(|argument| write!(formatter, " {}", shown(argument)))
            }
            LaunchPreview::Http(remote) | LaunchPreview::Sse(remote) | LaunchPreview::HttpAuto(remote) => {
                formatter.write_str(&remote.url)
            }
        }
    }
}

/// Quotes an argument that would not be one word in a shell.
fn shown(argument: &str) -> String {
    if argument.is_empty() || argument.contains([' ', '\t', '\n', '"', '\'', '\\']) {
        format!("{argument:?}")
    } else {
        argument.to_owned()
    }
}
