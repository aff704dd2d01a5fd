//! What a server may ask of its client, behind one object-safe trait.

use std::fmt;
use std::pin::Pin;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::RpcError;

/// A boxed future, as an object-safe trait needs it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers a server's questions and hears its news.
///
/// Every method has a default that declines. One connection asks one question at a time, in the order the server
/// sent them, and news between two questions stay between them; `server` is the label of
/// [`ConnectOptions`](crate::ConnectOptions), so that a person can be told who asks. Everything in a question is the
/// server's text: make it safe before showing it.
///
/// The future of a question that the server takes back is dropped, so a prompt can close itself. A handler that never
/// answers holds up the questions behind it, but no call: the connection goes on reading, and
/// the call that caused the question ends at its own timeout.
///
/// ```
/// use mcp_transport::{BoxFuture, Elicitation, ElicitationAnswer, Features, Handler};
///
/// struct AlwaysDecline;
///
/// impl Handler for AlwaysDecline {
///     fn features(&self) -> Features {
///         Features { elicitation_form: true, ..Features::default() }
///     }
///
///     fn elicit<'a>(&'a self, server: &'a str, question: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
///         Box::pin(async move {
///             println!("{server} asks: {question:?}");
///             ElicitationAnswer::Decline
///         })
///     }
/// }
/// ```
pub trait Handler: Send + Sync {
    /// What this handler can do; it is declared to the server as client capabilities. Default nothing.
    fn features(&self) -> Features {
        Features::default()
    }

    /// Asks the user for data or to visit a URL. Default declines.
    ///
    /// See [elicitation](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation).
    #[expect(unused_variables, reason = "a default has no use for them; their names are documentation")]
    fn elicit<'a>(&'a self, server: &'a str, question: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async { ElicitationAnswer::Decline })
    }

    /// Lets a model of the client's write a message; takes `CreateMessageRequestParams` and returns
    /// `CreateMessageResult`, both as JSON. Default refuses.
    ///
    /// See [sampling](https://modelcontextprotocol.io/specification/2025-11-25/client/sampling).
    #[expect(unused_variables, reason = "a default has no use for them; their names are documentation")]
    fn sample<'a>(&'a self, server: &'a str, request: &'a RawValue) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        Box::pin(async { Err(RpcError::new(RpcError::METHOD_NOT_FOUND, "sampling is not supported")) })
    }

    /// Returns the folders the server may work in. Default none.
    ///
    /// See [roots](https://modelcontextprotocol.io/specification/2025-11-25/client/roots).
    #[expect(unused_variables, reason = "a default has no use for them; their names are documentation")]
    fn roots<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Vec<Root>> {
        Box::pin(async { Vec::new() })
    }

    /// Hears a log line of the server. Default ignores it.
    #[expect(unused_variables, reason = "a default has no use for them; their names are documentation")]
    fn log(&self, server: &str, record: LogRecord) {}

    /// Hears how far a request is. Default ignores it.
    #[expect(unused_variables, reason = "a default has no use for them; their names are documentation")]
    fn progress(&self, server: &str, progress: Progress) {}
}

impl fmt::Debug for dyn Handler {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handler").field("features", &self.features()).finish()
    }
}

/// The client capabilities a [`Handler`] brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent capability of the protocol")]
pub struct Features {
    /// [`Handler::elicit`] shows forms.
    pub elicitation_form: bool,
    /// [`Handler::elicit`] opens URLs.
    pub elicitation_url: bool,
    /// [`Handler::sample`] answers.
    pub sampling: bool,
    /// [`Handler::roots`] answers.
    pub roots: bool,
}

impl Features {
    /// `ClientCapabilities` as JSON text, with the tasks extension when `tasks`.
    pub(crate) fn to_json(self, tasks: bool) -> String {
        let mut members = Vec::new();
        match (self.elicitation_form, self.elicitation_url) {
            (true, true) => members.push(r#""elicitation":{"form":{},"url":{}}"#),
            (true, false) => members.push(r#""elicitation":{"form":{}}"#),
            (false, true) => members.push(r#""elicitation":{"url":{}}"#),
            (false, false) => {}
        }
        if self.sampling {
            members.push(r#""sampling":{}"#);
        }
        if self.roots {
            members.push(r#""roots":{}"#);
        }
        if tasks {
            members.push(r#""extensions":{"io.modelcontextprotocol/tasks":{}}"#);
        }
        format!("{{{}}}", members.join(","))
    }
}

/// A question for the user.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Elicitation {
    /// Fill in a form.
    Form {
        /// Why the server asks.
        message: String,
        /// `requestedSchema`: a flat JSON Schema object, verbatim.
        schema: Box<RawValue>,
    },
    /// Visit a URL, after showing it in full and asking for consent.
    Url {
        /// Why the server asks.
        message: String,
        /// Where to go.
        url: String,
        /// `elicitationId`, which servers before 2026-07-28 send.
        id: Option<String>,
    },
}

impl Elicitation {
    pub(crate) fn parse(params: &RawValue) -> Result<Self, RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            #[serde(default)]
            mode: Option<String>,
            #[serde(default)]
            message: String,
            requested_schema: Option<Box<RawValue>>,
            url: Option<String>,
            elicitation_id: Option<String>,
        }
        let invalid = |reason: String| RpcError::new(RpcError::INVALID_PARAMS, reason);
        let wire: Wire = serde_json::from_str(params.get()).map_err(|error| invalid(error.to_string()))?;
        match wire.mode.as_deref() {
            None | Some("form") => wire
                .requested_schema
                .map(|schema| Self::Form { message: wire.message, schema })
                .ok_or_else(|| invalid("a form needs `requestedSchema`".to_owned())),
            Some("url") => wire
                .url
                .map(|url| Self::Url { message: wire.message, url, id: wire.elicitation_id })
                .ok_or_else(|| invalid("mode `url` needs `url`".to_owned())),
            Some(other) => Err(invalid(format!("unknown elicitation mode `{other}`"))),
        }
    }
}

/// What the user said to an [`Elicitation`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ElicitationAnswer {
    /// Yes; for a form, with its content as a JSON object.
    Accept(Option<Box<RawValue>>),
    /// No.
    Decline,
    /// Neither: the question was dismissed.
    Cancel,
}

impl ElicitationAnswer {
    pub(crate) fn to_json(&self) -> String {
        match self {
            Self::Accept(Some(content)) => format!(r#"{{"action":"accept","content":{}}}"#, content.get()),
            Self::Accept(None) => r#"{"action":"accept"}"#.to_owned(),
            Self::Decline => r#"{"action":"decline"}"#.to_owned(),
            Self::Cancel => r#"{"action":"cancel"}"#.to_owned(),
        }
    }
}

/// A folder a server may work in.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Root {
    /// A `file://` URI.
    pub uri: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Root {
    /// The folder at `uri`, a `file://` URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None }
    }

    /// Names the folder.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// A log line of a server (`notifications/message`).
#[derive(Debug, Clone, Deserialize)]
#[non_exhaustive]
pub struct LogRecord {
    /// A syslog level, as the server spelled it.
    #[serde(default)]
    pub level: String,
    /// The part of the server that speaks.
    #[serde(default)]
    pub logger: Option<String>,
    /// Any JSON value, verbatim.
    pub data: Box<RawValue>,
}

/// How far a request is (`notifications/progress`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// Grows with every report.
    pub progress: f64,
    /// Where it ends, when the server knows.
    #[serde(default)]
    pub total: Option<f64>,
    /// What is going on, in the server's words.
    #[serde(default)]
    pub message: Option<String>,
}

#[cfg(test)]
mod tests;
