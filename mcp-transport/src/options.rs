//! What a caller chooses for every transport: times, sizes, who we are, who answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::sent::Sent;
use crate::{EraMemory, Handler};

/// Choices that hold for every transport. Everything has a default.
#[derive(Clone)]
#[non_exhaustive]
pub struct ConnectOptions {
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// How much to accept.
    pub limits: Limits,
    /// What we tell the server about ourselves.
    pub client: ClientInfo,
    /// What questions and log lines are labelled with; the server's name in the configuration.
    pub label: String,
    /// Which eras to try, in which order.
    pub negotiation: Negotiation,
    /// Who answers the server's questions; nobody by default, and then no client capability is declared.
    pub handler: Option<Arc<dyn Handler>>,
    /// From which level on the server should send its log to [`Handler::log`]; its own choice by default.
    pub log_level: Option<LogLevel>,
    /// Where verdicts on a server's era outlive the connection; nowhere by default.
    pub eras: Option<Arc<dyn EraMemory>>,
    /// Whether to declare the tasks extension, so that a server may turn a long call into a task we poll.
    ///
    /// On by default: [`Connection::call_tool`](crate::Connection::call_tool) polls a task to its end by itself.
    pub tasks: bool,
    /// What no error and no other words of this connection repeat.
    pub(crate) sent: Sent,
}

impl ConnectOptions {
    /// Keeps these values out of everything that is said of the connection, whoever says it: errors, stderr of the server,
    /// reasons for leaving something out. What the server answers is not touched.
    ///
    /// Headers, logins, and the password and the query of a URL are kept out anyway. Values of fewer than eight bytes are
    /// not looked for: a text without every `true` and `8080` could not be read.
    #[must_use]
    pub fn with_secrets(mut self, secrets: impl IntoIterator<Item = String>) -> Self {
        self.sent = self.sent.with(secrets);
        self
    }

    /// Replaces the timeouts.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces the name and version we announce.
    #[must_use]
    pub fn with_client(mut self, client: ClientInfo) -> Self {
        self.client = client;
        self
    }

    /// Labels the server's questions, logs and errors.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Replaces the order of eras.
    #[must_use]
    pub fn with_negotiation(mut self, negotiation: Negotiation) -> Self {
        self.negotiation = negotiation;
        self
    }

    /// Lets `handler` answer the server's questions.
    #[must_use]
    pub fn with_handler(mut self, handler: Arc<dyn Handler>) -> Self {
        self.handler = Some(handler);
        self
    }

    /// Asks the server for its log from `level` on.
    #[must_use]
    pub fn with_log_level(mut self, level: LogLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Remembers which era a server speaks.
    #[must_use]
    pub fn with_eras(mut self, eras: Arc<dyn EraMemory>) -> Self {
        self.eras = Some(eras);
        self
    }

    /// Does not declare the tasks extension.
    #[must_use]
    pub fn without_tasks(mut self) -> Self {
        self.tasks = false;
        self
    }
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            client: ClientInfo::default(),
            label: "server".to_owned(),
            negotiation: Negotiation::default(),
            handler: None,
            log_level: None,
            eras: None,
            tasks: true,
            sent: Sent::default(),
        }
    }
}

impl fmt::Debug for ConnectOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ConnectOptions")
            .field("timeouts", &self.timeouts)
            .field("limits", &self.limits)
            .field("client", &self.client)
            .field("label", &self.label)
            .field("negotiation", &self.negotiation)
            .field("log_level", &self.log_level)
            .field("tasks", &self.tasks)
            .finish_non_exhaustive()
    }
}

/// How important a server's log line is, least first ([RFC 5424](https://www.rfc-editor.org/rfc/rfc5424) §6.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of the RFC")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    /// The level's name in the protocol.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

/// Which of the two protocol eras to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Negotiation {
    /// In this order:
    ///
    /// 1. what [`EraMemory`] recalls of this server;
    /// 2. `server/discover` at 2026-07-28, for at most [`Timeouts::probe`];
    /// 3. `initialize` offering 2025-11-25, accepting anything down to 2024-11-05;
    /// 4. a late answer to step 2, when step 3 was refused.
    #[default]
    Auto,
    /// `server/discover` only.
    ModernOnly,
    /// `initialize` only.
    LegacyOnly,
}

/// How long to wait. Nothing waits for ever: every field is finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// From [`connect`](crate::connect) to a usable connection, including every fallback. Default 30 s: a cold `npx`
    /// downloads first.
    pub connect: Duration,
    /// How long an unknown server may stay silent on the modern probe before `initialize` goes out as well.
    /// Default 800 ms.
    pub probe: Duration,
    /// One whole listing, all pages. Default 30 s.
    pub list: Duration,
    /// One call without an answer or a progress notification; progress starts it anew, and so does a question that the
    /// [`Handler`] is still answering when it ends. Default 60 s.
    pub call: Duration,
    /// One call in total, however much progress it reports and however often it asks: every exchange, question and retry
    /// it consists of. A question that a person has not answered by then is dropped. Default 10 min.
    pub call_total: Duration,
    /// How long an open event stream may deliver no byte, its head included, before it is torn down and opened again; comments
    /// count. And how long a child process may read nothing of what waits for it, before its connection is closed. Default 5 min.
    pub idle: Duration,
    /// How long each step of a shutdown may take: end of input, then `SIGTERM`, then `SIGKILL`. Default 1 s.
    pub shutdown: Duration,
}

impl Timeouts {
    /// Replaces the time to a usable connection.
    #[must_use]
    pub fn with_connect(mut self, connect: Duration) -> Self {
        self.connect = connect;
        self
    }

    /// Replaces the time of the modern probe.
    #[must_use]
    pub fn with_probe(mut self, probe: Duration) -> Self {
        self.probe = probe;
        self
    }

    /// Replaces the time of a listing.
    #[must_use]
    pub fn with_list(mut self, list: Duration) -> Self {
        self.list = list;
        self
    }

    /// Replaces the time of a call; the total grows with it when it would be smaller.
    #[must_use]
    pub fn with_call(mut self, call: Duration) -> Self {
        self.call = call;
        self.call_total = self.call_total.max(call);
        self
    }

    /// Replaces the ceiling of a call that reports progress.
    #[must_use]
    pub fn with_call_total(mut self, call_total: Duration) -> Self {
        self.call_total = call_total;
        self
    }

    /// Replaces the silence an event stream may keep.
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// Replaces the time of each shutdown step.
    #[must_use]
    pub fn with_shutdown(mut self, shutdown: Duration) -> Self {
        self.shutdown = shutdown;
        self
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            probe: Duration::from_millis(800),
            list: Duration::from_secs(30),
            call: Duration::from_mins(1),
            call_total: Duration::from_mins(10),
            idle: Duration::from_mins(5),
            shutdown: Duration::from_secs(1),
        }
    }
}

/// How much to accept from a peer. All sizes are bytes after decompression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// One message, or one event of a stream. Default 16 MiB.
    pub message: usize,
    /// Items of one listing. Default 10,000.
    pub items: usize,
    /// Pages of one listing. Default 1,000.
    pub pages: usize,
    /// The end of stderr that is kept. Default 8 KiB.
    pub stderr_tail: usize,
    /// The beginning of an HTTP error body that is kept for the error text. Default 4 KiB.
    pub error_body: usize,
    /// Rounds of questions a single call may ask before it is given up. Default 10.
    pub input_rounds: usize,
}

impl Limits {
    /// Replaces the size of one message.
    #[must_use]
    pub fn with_message(mut self, message: usize) -> Self {
        self.message = message;
        self
    }

    /// Replaces the number of items of one listing.
    #[must_use]
    pub fn with_items(mut self, items: usize) -> Self {
        self.items = items;
        self
    }

    /// Replaces the number of pages of one listing.
    #[must_use]
    pub fn with_pages(mut self, pages: usize) -> Self {
        self.pages = pages;
        self
    }

    /// Replaces the kept end of stderr.
    #[must_use]
    pub fn with_stderr_tail(mut self, stderr_tail: usize) -> Self {
        self.stderr_tail = stderr_tail;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 16 << 20,
            items: 10_000,
            pages: 1_000,
            stderr_tail: 8 << 10,
            error_body: 4 << 10,
            input_rounds: 10,
        }
    }
}

/// The name and version a client announces.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientInfo {
    /// The program's name.
    pub name: String,
    /// The program's version.
    pub version: String,
}

impl ClientInfo {
    /// Announces `name` at `version`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into() }
    }
}

impl Default for ClientInfo {
    fn default() -> Self {
        Self::new("mcp-transport", env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests;
