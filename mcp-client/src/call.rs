//! One call of a tool, from what a model or a person wrote to what the tool answered.

use std::fmt;
use std::time::Duration;

use mcp_registry::{Answer as Reply, Effect, Output};
use mcp_transport::BoxFuture;
use serde_json::Value;
use serde_json::value::RawValue;

/// How far a person has agreed to a call, and so which questions about it are answered. Deny rules hold all the same, and a
/// tool that changed since its server was approved asks again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Consent {
    /// Not at all: every question is put to the approver.
    #[default]
    None,
    /// A person wants exactly this call. That answers the question which is put where no rule speaks.
    Wanted,
    /// A person wants exactly this call and said yes when a rule made them be asked. That answers such a rule too.
    Confirmed,
}

/// A call to be made: [`Client::call_with`](crate::Client::call_with).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// An id, `server.tool`, or a tool's bare name where only one has it.
    pub tool: String,
    /// The server, when `tool` is that server's own name for the tool.
    pub server: Option<String>,
    /// The arguments: an object.
    pub arguments: Value,
    /// The schema profile under which a model was offered the tool; its arguments are decoded accordingly.
    pub profile: Option<String>,
    /// How far a person has agreed to the call.
    pub consent: Consent,
    /// How long to wait instead of the server's own limit.
    pub timeout: Option<Duration>,
}

impl Call {
    /// A call of this tool with these arguments.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self { tool: tool.into(), server: None, arguments, profile: None, consent: Consent::default(), timeout: None }
    }

    /// Takes the tool's name for that server's own.
    #[must_use]
    pub fn on_server(mut self, server: impl Into<String>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// Decodes the arguments of a model that was offered the schema of this profile.
    #[must_use]
    pub fn for_profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }

    /// Says that a person asked for exactly this call: [`Consent::Wanted`].
    #[must_use]
    pub fn with_consent(mut self) -> Self {
        self.consent = Consent::Wanted;
        self
    }

    /// Says that a person wants exactly this call and was asked: [`Consent::Confirmed`].
    #[must_use]
    pub fn with_confirmation(mut self) -> Self {
        self.consent = Consent::Confirmed;
        self
    }

    /// Waits for this long and no longer, whatever the server's own limit is.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

/// What a tool answered.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The id of the tool that answered.
    pub tool: String,
    /// The server's answer, verbatim (a `CallToolResult`).
    pub raw: Box<RawValue>,
    /// The answer with its parts told apart.
    pub output: Output,
}

impl Answer {
    /// The text for the model or the person, each thing said once. It is the server's text.
    pub fn text(&self) -> String {
        self.output.for_model()
    }

    /// Whether the tool says that it failed.
    pub fn is_error(&self) -> bool {
        self.output.is_error
    }
}

/// What a person is asked before a call that changes something.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Question {
    /// The server.
    pub server: String,
    /// The server's name for the tool.
    pub tool: String,
    /// What the call does to the world.
    pub effect: Effect,
    /// The arguments as they will be sent.
    pub arguments: Value,
    /// Why the question is put.
    pub because: String,
    /// The replies that can settle it.
    pub answers: &'static [Reply],
}

/// Asks a person whether a call may be made. Without one, a call that needs asking is denied.
pub trait Approve: Send + Sync {
    /// Whether the call may be made, and for how long that holds: once, for the session, or as a rule written into the
    /// project's or the user's settings.
    fn approve<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Reply>;
}

impl fmt::Debug for dyn Approve {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("dyn Approve")
    }
}
