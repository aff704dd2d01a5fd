//! One server's definition in the words of no host in particular.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use crate::login::OauthHints;
use crate::template::Template;

/// How long to wait. Both are a number of milliseconds or seconds in a file, depending on the host; here the unit is in the
/// type. `None` is the connecting program's default.
///
/// Serialised, they are numbers of milliseconds: `{"startup_ms": 10000, "call_ms": 60000}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[non_exhaustive]
pub struct Timeouts {
    /// For starting, connecting and listing tools.
    #[serde(rename = "startup_ms", serialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    pub startup: Option<Duration>,
    /// For one tool call.
    #[serde(rename = "call_ms", serialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    pub call: Option<Duration>,
}

impl Timeouts {
    /// Tells whether neither is given.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::ref_option, reason = "the signature is serde's")]
fn milliseconds<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    duration.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)).serialize(serializer)
}

/// Which of a server's tools are offered. A denied tool stays denied when it is also allowed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[non_exhaustive]
pub struct ToolFilter {
    /// Only these, by their name on the server; `*` stands for any run of characters. `None` is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Never these, by their name on the server; `*` stands for any run of characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

impl ToolFilter {
    /// Tells whether a tool, by its name on the server, is offered.
    ///
    /// ```
    /// let filter = mcp_config::ToolFilter::default().with_allow(["get_*"]).with_deny(["get_secret"]);
    /// assert!(filter.permits("get_issue"));
    /// assert!(!filter.permits("get_secret"));
    /// assert!(!filter.permits("delete_issue"));
    /// ```
    pub fn permits(&self, tool: &str) -> bool {
        let matches = |patterns: &[String]| patterns.iter().any(|pattern| wildcard(pattern, tool));
        !matches(&self.deny) && self.allow.as_deref().is_none_or(matches)
    }

    /// Tells whether every tool is offered.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Replaces the allow list.
    #[must_use]
    pub fn with_allow<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.allow = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Adds to the deny list.
    #[must_use]
    pub fn with_deny<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.deny.extend(tools.into_iter().map(Into::into));
        self
    }
}

/// Matches `*` as any run of characters, in time proportional to the product of the lengths.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return text.is_empty() };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// The tools a host would call without asking.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AutoApprove {
    /// None.
    #[default]
    Nothing,
    /// These, by their name on the server.
    Tools(Vec<String>),
    /// All of them.
    Everything,
}

impl AutoApprove {
    /// Tells whether anything is approved.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// Which variables of the host's own environment a child process inherits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Inherit {
    /// The few that programs need to run: home, path, user, locale, temporary directory, proxies and certificates.
    #[default]
    Safe,
    /// All of them, as hoocode does.
    All,
}

/// How a server is reached, unexpanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LaunchTemplate {
    Stdio(StdioTemplate),
    Remote(RemoteTemplate),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StdioTemplate {
    pub(crate) command: Template,
    pub(crate) args: Vec<Template>,
    pub(crate) env: IndexMap<String, Template>,
    /// Names of the host's own variables that are passed on when they are set.
    pub(crate) forward: Vec<String>,
    pub(crate) env_file: Option<Template>,
    pub(crate) cwd: Option<Template>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteTemplate {
    pub(crate) transport: RemoteTransport,
    pub(crate) url: Template,
    pub(crate) headers: IndexMap<String, Template>,
}

/// How a remote server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemoteTransport {
    /// Streamable HTTP.
    Http,
    /// The legacy HTTP+SSE transport of 2024-11-05.
    Sse,
    /// Streamable HTTP, and HTTP+SSE when the server refuses it.
    HttpAuto,
}

/// A value a person is asked for before the server starts (VS Code's `inputs`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Input {
    /// The name that `${input:…}` refers to.
    pub id: String,
    /// Whether its file describes it. Servers of one file that refer to a prompt described there mean the same answer.
    pub is_described: bool,
    /// The question.
    pub description: Option<String>,
    /// Whether the answer is a secret.
    pub is_secret: bool,
    /// What to suggest to a person, and what is used when nobody was asked.
    pub default: Option<String>,
    /// The answers to choose from; empty for any.
    pub options: Vec<String>,
}

/// Everything a file says about one server.
///
/// Its contents are private: a definition that was merely *discovered* may come from a repository somebody else wrote.
/// [`Resolved::trusted`](crate::Resolved::trusted) is the only way to one, and
/// [`Trusted::activate`](crate::Trusted::activate) the only way to its contents.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    pub(crate) launch: LaunchTemplate,
    pub(crate) enabled: bool,
    pub(crate) timeouts: Timeouts,
    pub(crate) tools: ToolFilter,
    pub(crate) auto_approve: AutoApprove,
    pub(crate) oauth: OauthHints,
    pub(crate) inherit: Inherit,
    /// hoocode's `background`, Claude Code's `alwaysLoad`, Codex's `required`, a description: what a program may act on.
    pub(crate) hints: Hints,
    /// The prompts its variables refer to.
    /// Shared by the servers of a file: a thousand may ask the same long question.
    pub(crate) inputs: Vec<Arc<Input>>,
    /// Why the server must not run whoever trusts it: the host that wrote it would sandbox it, or a policy denies it.
    pub(crate) refusal: Option<String>,
    /// The keys that only the file's own host acts on.
    pub(crate) skipped: Vec<&'static str>,
    /// What the dialect cannot express, as it stands in the file.
    pub(crate) unknown: Unknown,
}

/// The keys of a definition that have no meaning here, with their values as they stand in the file.
///
/// A token in an unexpected place is still a token, so `Debug` prints the keys alone.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct Unknown(pub(crate) Map<String, Json>);

impl fmt::Debug for Unknown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// What a definition says that changes neither how the server is reached nor what it may do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Hints {
    /// What the server is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether calls run in the background (hoocode; its default is yes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// Whether the tools are never deferred (Claude Code's `alwaysLoad`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_load: Option<bool>,
    /// Whether the program must not go on without the server (Codex's `required`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Whether calls may run in parallel (Codex's `supports_parallel_tool_calls`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_calls: Option<bool>,
}

impl ServerConfig {
    pub(crate) fn new(launch: LaunchTemplate) -> Self {
        Self {
            launch,
            enabled: true,
            timeouts: Timeouts::default(),
            tools: ToolFilter::default(),
            auto_approve: AutoApprove::default(),
            oauth: OauthHints::default(),
            inherit: Inherit::default(),
            hints: Hints::default(),
            inputs: Vec::new(),
            refusal: None,
            skipped: Vec::new(),
            unknown: Unknown::default(),
        }
    }

    /// Returns every template with the name of its field, in the order a person reads a definition.
    pub(crate) fn templates(&self) -> Vec<(String, &Template)> {
        let mut templates = Vec::new();
        match &self.launch {
            LaunchTemplate::Stdio(stdio) => {
                templates.push(("command".to_owned(), &stdio.command));
                templates.extend(stdio.args.iter().enumerate().map(|(index, value)| (format!("args[{index}]"), value)));
                templates.extend(stdio.env.iter().map(|(name, value)| (format!("env.{name}"), value)));
                templates.extend(stdio.env_file.iter().map(|value| ("envFile".to_owned(), value)));
                templates.extend(stdio.cwd.iter().map(|value| ("cwd".to_owned(), value)));
            }
            LaunchTemplate::Remote(remote) => {
                templates.push(("url".to_owned(), &remote.url));
                templates.extend(remote.headers.iter().map(|(name, value)| (format!("headers.{name}"), value)));
            }
        }
        templates.extend(self.oauth.secrets.iter().map(|(place, value)| (place.field.to_owned(), value)));
        templates
    }
}
