//! The one thing the rest of the crate knows about transports.

use std::time::Duration;

use ::http::HeaderMap;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::Error;
use crate::http::{HttpLink, SseLink};
use crate::stdio::StdioLink;
use crate::wire::Members;

/// A request on its way out.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) id: u64,
    pub(crate) method: String,
    /// The message, on one line.
    pub(crate) body: String,
    /// The protocol version it is sent at, where that differs from the connection's.
    pub(crate) version: Option<&'static str>,
    /// What the method is about (a tool, a resource), for gateways.
    pub(crate) name: Option<String>,
    /// `Mcp-Param-*`.
    pub(crate) headers: HeaderMap,
    pub(crate) repeat: Repeat,
    /// Nobody waits for the answer any longer.
    pub(crate) until: Instant,
}

/// When a request is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It may change something.
    Never,
    /// When its connection broke. What the server says instead of an answer is for the caller to understand.
    WhenLost,
    /// Also when the server, or what stands before it, cannot answer now.
    WhenUnavailable,
}

/// Carries messages to one server. Incoming ones go to the [`Inbox`](crate::inbox::Inbox).
#[derive(Debug)]
pub(crate) enum Link {
    Stdio(StdioLink),
    Http(HttpLink),
    Sse(SseLink),
    /// A peer in the test's own task, which answers through the inbox.
    #[cfg(test)]
    Memory(tokio::sync::mpsc::UnboundedSender<String>),
}

impl Link {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
            #[cfg(test)]
            Self::Memory(_) => "memory",
        }
    }

    /// Sends a request. Over Streamable HTTP the future also carries the answer, and dropping it cancels the request.
    pub(crate) async fn send(&self, outgoing: Outgoing) -> Result<(), Error> {
        match self {
            Self::Stdio(link) => link.send(outgoing.body).await,
            Self::Http(link) => link.send(outgoing).await,
            Self::Sse(link) => link.send(outgoing).await,
            #[cfg(test)]
            Self::Memory(peer) => peer.send(outgoing.body).map_err(|_gone| Error::closed("the test ended")),
        }
    }

    /// Sends a notification and, over HTTP, waits until it has arrived.
    pub(crate) async fn notify(&self, body: String) -> Result<(), Error> {
        match self {
            Self::Stdio(link) => link.send(body).await,
            Self::Http(link) => link.notify(body).await,
            Self::Sse(link) => link.notify(body).await,
            #[cfg(test)]
            Self::Memory(peer) => peer.send(body).map_err(|_gone| Error::closed("the test ended")),
        }
    }

    /// Whether [`send`](Self::send) ends with the answer.
    pub(crate) fn answers_in_place(&self) -> bool {
        matches!(self, Self::Http(_))
    }

    /// Opens what a legacy server may push messages on.
    pub(crate) async fn listen(&self) {
        if let Self::Http(link) = self {
            link.listen().await;
        }
    }

    /// The version is agreed on: later messages carry it.
    pub(crate) fn established(&self, version: &str, modern: bool) {
        if let Self::Http(link) = self {
            link.established(version, modern);
        }
    }

    /// Whether requests carry a session, which the server may forget.
    pub(crate) fn has_session(&self) -> bool {
        matches!(self, Self::Http(link) if link.has_session())
    }

    /// Forgets the session, before another handshake on the same link.
    pub(crate) fn forget_session(&self) {
        if let Self::Http(link) = self {
            link.forget_session();
        }
    }

    pub(crate) fn process_id(&self) -> Option<u32> {
        match self {
            Self::Stdio(link) => Some(link.process_id()),
            _ => None,
        }
    }

    pub(crate) fn stderr_tail(&self) -> String {
        match self {
            Self::Stdio(link) => link.stderr_tail(),
            _ => String::new(),
        }
    }

    /// Ends the connection in an orderly way, each step within `grace`.
    pub(crate) async fn shutdown(&self, grace: Duration) {
        match self {
            Self::Stdio(link) => link.shutdown(grace).await,
            Self::Http(link) => link.shutdown(grace).await,
            Self::Sse(link) => link.shutdown(grace).await,
            #[cfg(test)]
            Self::Memory(_) => {}
        }
    }

    /// Ends the connection now, without waiting and without a runtime.
    pub(crate) fn release(&self) {
        match self {
            Self::Stdio(link) => link.release(),
            Self::Http(link) => link.release(),
            Self::Sse(link) => link.release(),
            #[cfg(test)]
            Self::Memory(_) => {}
        }
    }
}

/// What a request is about, for gateways: a prompt, a resource, a task.
pub(crate) fn subject(method: &str, params: Option<&RawValue>) -> Option<String> {
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return None,
    };
    let members = Members::parse(params?.get()).ok()?;
    members.value(key).and_then(|value| serde_json::from_str(value.get()).ok())
}
