//! What can go wrong, where, and what a user can do about it.

use std::error::Error as StdError;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crate::stdio::explanation;

/// A cause from a library below this one; its type is not part of the contract.
pub type Cause = Box<dyn StdError + Send + Sync>;

/// A [`Cause`] that copies of one error have in common. It stands for the error in it: `source.downcast_ref()`.
#[derive(Debug, Clone)]
pub struct SharedCause(Arc<dyn StdError + Send + Sync>);

impl<E: Into<Cause>> From<E> for SharedCause {
    fn from(cause: E) -> Self {
        Self(cause.into().into())
    }
}

impl Deref for SharedCause {
    type Target = dyn StdError + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// A failure of [`connect`](crate::connect) or of a [`Connection`](crate::Connection).
///
/// A clone is the same failure, for somebody else who waited for it. `Display` prints this level only; [`source`](StdError::source) has the cause. What was sent and is secret never
/// appears, not even where the server quotes it: see [`ConnectOptions::with_secrets`](crate::ConnectOptions::with_secrets). Callers that only want to know what to do next ask the predicates
/// ([`is_timeout`](Self::is_timeout), [`is_auth_required`](Self::is_auth_required), …) rather than match.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option cannot work, whatever the server does.
    #[error("invalid option `{option}`: {reason}")]
    InvalidOption {
        /// The field's name.
        option: &'static str,
        /// What was expected.
        reason: String,
    },
    /// No file of that name is on the server's `PATH`.
    #[error("command `{command}` not found; install it, fix `PATH`, or give its full path")]
    CommandNotFound {
        /// The command as given.
        command: String,
    },
    /// There is something of that name, and it cannot be run.
    #[error("cannot start `{command}`: {reason}")]
    CommandUnusable {
        /// The command as given.
        command: String,
        /// What it is, and what to do.
        reason: String,
    },
    /// The operating system refused to start the command.
    #[error("cannot start `{command}`")]
    Spawn {
        /// The command as given.
        command: String,
        /// What the operating system said.
        #[source]
        source: SharedCause,
    },
    /// The server process ended.
    #[error("server process ended: {0}")]
    Exited(Arc<Exit>),
    /// The connection is over for another reason than the end of the process.
    #[error("connection is closed: {reason}; connect again")]
    Closed {
        /// Why it closed.
        reason: Arc<str>,
    },
    /// Nothing came in time; the server has been told that nobody waits any more.
    #[error("no answer to `{method}` within {after:?}; give it a longer `timeout`, or check the server")]
    Timeout {
        /// The method that was waiting.
        method: String,
        /// How long it waited.
        after: Duration,
    },
    /// The server was there and did not finish the handshake in time.
    #[error(
        "no handshake within {after:?}{}{}; give it a longer `startupTimeout` if it is only slow",
        first_line(.stdout.as_deref()),
        last_lines(.stderr_tail)
    )]
    Silent {
        /// How long it had.
        after: Duration,
        /// The beginning of the first line it wrote to stdout that is no message. Server text.
        stdout: Option<String>,
        /// The last bytes the process wrote to stderr; empty without a process. Server text.
        stderr_tail: String,
    },
    /// The server answered with a JSON-RPC error.
    #[error("server refused `{method}`: {error}")]
    Rpc {
        /// The method that was refused.
        method: String,
        /// The server's error.
        error: RpcError,
    },
    /// The server answered with something the protocol does not allow.
    #[error("answer to `{method}` breaks the protocol: {reason}")]
    Protocol {
        /// The method that was answered.
        method: String,
        /// What was expected and what came.
        reason: String,
    },
    /// A message was larger than [`Limits`](crate::Limits) allow.
    #[error("answer to `{method}` is larger than {limit} bytes, which is the most that is taken")]
    TooLarge {
        /// The method that was answered.
        method: String,
        /// The limit in bytes, counted after decompression.
        limit: usize,
    },
    /// No protocol version is spoken by both sides.
    #[error("server speaks none of our protocol versions; it offers {supported:?}")]
    NoCommonVersion {
        /// What the server offered, as it spelled it.
        supported: Vec<String>,
    },
    /// The server's address cannot be reached.
    #[error("cannot reach `{url}`")]
    Unreachable {
        /// The address, without whatever in it is secret.
        url: String,
        /// What the network said.
        #[source]
        source: SharedCause,
    },
    /// The exchange began and broke off.
    #[error("exchange with `{url}` broke off")]
    Interrupted {
        /// The address, without whatever in it is secret.
        url: String,
        /// What the network said.
        #[source]
        source: SharedCause,
    },
    /// The server answered with an HTTP status that carries no answer.
    #[error("`{url}` answered HTTP {status}: {detail}")]
    Http {
        /// The address, without whatever in it is secret.
        url: String,
        /// The status code.
        status: u16,
        /// The beginning of the body, or what was expected instead.
        detail: String,
        /// How long the server asks to wait before the next try.
        retry_after: Option<Duration>,
    },
    /// The server speaks the transport of 2024-11-05, and was asked for another.
    #[error(
        "`{url}` speaks HTTP+SSE, the transport of 2024-11-05; set its `type` to `sse`, or add it with `--transport sse`"
    )]
    OlderTransport {
        /// The address, without whatever in it is secret.
        url: String,
    },
    /// The server wants a login, another login, or wider scopes.
    #[error("`{url}` needs a login (HTTP {status})")]
    AuthRequired {
        /// The address, without whatever in it is secret.
        url: String,
        /// 401 or 403.
        status: u16,
        /// The `WWW-Authenticate` header, when there was one.
        challenge: Option<String>,
    },
    /// The login hook failed.
    #[error("authorization for `{url}` failed")]
    Authorize {
        /// The address, without whatever in it is secret.
        url: String,
        /// What the hook said.
        #[source]
        source: SharedCause,
    },
    /// The server redirected to a place that must not see this request.
    #[error("`{url}` redirects to `{target}`, {reason}")]
    Redirect {
        /// The address, without whatever in it is secret.
        url: String,
        /// Where it points, without query.
        target: String,
        /// Why it was not followed.
        reason: &'static str,
    },
    /// The server forgot this session (HTTP 404); the connection opens a new one by itself.
    #[error("server no longer knows this session")]
    SessionExpired,
}

impl Error {
    /// True if the server did not answer in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::Silent { .. })
    }

    /// True if a login, or a better one, would help (HTTP 401, or 403 with a challenge).
    pub fn is_auth_required(&self) -> bool {
        matches!(self, Self::AuthRequired { .. })
    }

    /// True if the connection is over: the process ended or the peer closed it.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Exited(_) | Self::Closed { .. })
    }

    /// True if no server was there to talk to: spawn failure, refused connection, unknown host.
    pub fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::CommandNotFound { .. } | Self::CommandUnusable { .. } | Self::Spawn { .. } | Self::Unreachable { .. }
        )
    }

    /// The end of the server process, when that is what happened.
    pub fn exit(&self) -> Option<&Exit> {
        match self {
            Self::Exited(exit) => Some(exit),
            _ => None,
        }
    }

    /// The server's own JSON-RPC error, when it answered with one.
    pub fn rpc(&self) -> Option<&RpcError> {
        match self {
            Self::Rpc { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The HTTP status, when the failure was one, or came with one.
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::Http { status, .. } | Self::AuthRequired { status, .. } => Some(*status),
            Self::Rpc { error, .. } => error.http_status,
            _ => None,
        }
    }

    /// How long the server asked to wait before the next try (`Retry-After`).
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Http { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    pub(crate) fn protocol(method: &str, reason: impl Into<String>) -> Self {
        Self::Protocol { method: method.to_owned(), reason: reason.into() }
    }

    pub(crate) fn closed(reason: &str) -> Self {
        Self::Closed { reason: Arc::from(reason) }
    }
}

/// A JSON-RPC error object as the server sent it.
///
/// `message` is the server's text: make it safe before showing it to a person or a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RpcError {
    /// The error code, see [JSON-RPC 2.0 §5.1](https://www.jsonrpc.org/specification#error_object).
    pub code: i64,
    /// The server's one-sentence message.
    pub message: String,
    /// The `data` member as JSON text.
    pub data: Option<String>,
    /// The HTTP status it came with, where that was none of success.
    pub(crate) http_status: Option<u16>,
}

impl RpcError {
    /// `-32700`: the message is no JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// `-32600`: the message is no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// `-32601`: the method does not exist.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// `-32602`: the parameters are wrong.
    pub const INVALID_PARAMS: i64 = -32602;
    /// `-32603`: the peer failed inside.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// `-32020`: the HTTP headers do not match the body (2026-07-28).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// `-32021`: the request needs a client capability that was not declared (2026-07-28).
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// `-32022`: the protocol version is not supported (2026-07-28).
    pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

    /// Whether the peer could not even tell which request it refuses.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self.code, Self::PARSE_ERROR | Self::INVALID_REQUEST)
    }

    /// An error to answer a server's request with.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, http_status: None }
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (code {})", self.message, self.code)
    }
}

/// How a server process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Exit {
    /// The exit status, unless a signal ended the process.
    pub status: Option<i32>,
    /// The signal that ended the process (Unix).
    pub signal: Option<i32>,
    /// The last lines the process wrote to stderr, bounded by [`Limits::stderr_tail`](crate::Limits::stderr_tail).
    ///
    /// Server text: make it safe before showing it.
    pub stderr_tail: String,
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, self.signal) {
            (_, Some(signal)) => write!(formatter, "killed by signal {signal}")?,
            (Some(status), None) => write!(formatter, "exit status {status}")?,
            (None, None) => write!(formatter, "exit status unknown")?,
        }
        match last_lines(&self.stderr_tail) {
            lines if lines.is_empty() => formatter.write_str("; it wrote nothing to stderr"),
            lines => formatter.write_str(&lines),
        }
    }
}

/// The first line that is no message, and what it tells, as the end of a sentence; nothing if there is none.
fn first_line(line: Option<&str>) -> String {
    line.map(|line| format!("; it wrote `{line}`: {}", explanation(line))).unwrap_or_default()
}

/// The last three lines of `text` as the end of a sentence; nothing if there are none.
fn last_lines(text: &str) -> String {
    let mut last: Vec<&str> = text.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
    last.reverse();
    if last.is_empty() { String::new() } else { format!("; stderr ends with: {}", last.join(" | ")) }
}

#[cfg(test)]
mod tests;
