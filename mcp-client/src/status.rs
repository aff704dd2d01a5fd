//! How a server is, for a person and for a program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_registry::{DriftEntry, DriftKind, Standing};
use serde::{Serialize, Serializer};

use crate::error::{Error, chain};
use crate::remedy::Remedy;

/// What became of a configured server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ServerState {
    /// It answers.
    Connected,
    /// Nobody has asked for it yet.
    Idle,
    /// It could not be connected to, or its connection ended.
    Failed,
    /// It asks for a login first.
    NeedsLogin,
    /// A person must approve it first.
    NeedsApproval,
    /// A policy, or the host it belongs to, keeps it from running here.
    Refused,
    /// It is switched off.
    Disabled,
}

/// One configured server, and how it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name.
    pub server: String,
    /// Its state.
    pub state: ServerState,
    /// The file that defines it.
    pub path: PathBuf,
    /// The line of its entry, from 1.
    pub line: u32,
    /// `stdio`, `http` or `sse`, once connected.
    pub transport: Option<&'static str>,
    /// The negotiated protocol version, once connected.
    pub protocol_version: Option<String>,
    /// How many tools it offers, once connected.
    pub tools: Option<usize>,
    /// Tools that were left out because they break the protocol.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedTool>,
    /// What else is missing of its tools, or was passed over: pages that did not come, names that came twice, patterns of the
    /// configuration that match nothing. Parts of it may be the server's text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What it wrote where messages belong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// How it differs from what was approved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drifted>,
    /// Why it is not known what was approved of it, or why that could not be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin_trouble: Option<String>,
    /// How long the server took to answer, just now.
    #[serde(rename = "round_trip_ms", serialize_with = "milliseconds")]
    pub round_trip: Option<Duration>,
    /// The process, for a child.
    pub process_id: Option<u32>,
    /// Why it is not connected.
    pub cause: Option<Cause>,
    /// What would mend that.
    pub fix: Option<Remedy>,
}

impl ServerStatus {
    pub(crate) fn idle(server: &str, path: &Path, line: u32) -> Self {
        Self {
            server: server.to_owned(),
            state: ServerState::Idle,
            path: path.to_owned(),
            line,
            transport: None,
            protocol_version: None,
            tools: None,
            rejected: Vec::new(),
            left_out: Vec::new(),
            noise: None,
            drift: Vec::new(),
            pin_trouble: None,
            round_trip: None,
            process_id: None,
            cause: None,
            fix: None,
        }
    }
}

/// Lines of a server that are no messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Noise {
    /// How many there were, with other messages that meant nothing.
    pub count: u64,
    /// The beginning of the first: the server's text.
    pub first: String,
}

impl From<(u64, String)> for Noise {
    fn from((count, first): (u64, String)) -> Self {
        Self { count, first }
    }
}

/// A tool of a server's list that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RejectedTool {
    /// Its name, if it has one.
    pub tool: Option<String>,
    /// What is wrong with it.
    pub reason: String,
}

/// Something of a server that is not as it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Drifted {
    /// What it is: a tool, a prompt, the instructions.
    pub what: String,
    /// What happened to it: `added`, `removed`, `reworded`, `became-read-only` or `changed`.
    pub change: &'static str,
    /// What follows until it is approved: it is `held` back, offered as it was approved (`reworded`), its calls `ask`, or it is
    /// only `noted`.
    pub standing: &'static str,
}

impl From<&DriftEntry> for Drifted {
    fn from(entry: &DriftEntry) -> Self {
        let change = match entry.kind {
            DriftKind::Added => "added",
            DriftKind::Removed => "removed",
            DriftKind::Reworded => "reworded",
            DriftKind::BecameReadOnly => "became-read-only",
            _ => "changed",
        };
        let standing = match entry.standing {
            Standing::Approved | Standing::Noted => "noted",
            Standing::Reworded => "reworded",
            Standing::AskAgain => "ask",
            Standing::Held => "held",
        };
        Self { what: entry.pin.to_string(), change, standing }
    }
}

/// Why a server is not connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// What kind of failure it is.
    pub kind: CauseKind,
    /// What happened, with every cause below it. Parts of it may be the server's text.
    pub message: String,
    /// The exit status of a child that ended by itself.
    pub exit_status: Option<i32>,
    /// The signal that ended a child.
    pub signal: Option<i32>,
    /// The last lines a child wrote to stderr: the server's text.
    pub stderr_tail: Option<String>,
}

/// Kinds of failure, as far as they call for different answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CauseKind {
    /// The command does not exist, the host does not answer, the child died, or the peer breaks the protocol.
    Unreachable,
    /// It did not answer in time.
    Timeout,
    /// It asks for a login.
    LoginNeeded,
    /// It is not approved, or refused by a policy.
    Denied,
    /// Its definition cannot be used as it is.
    Misconfigured,
}

impl Cause {
    pub(crate) fn of(error: &Error) -> Self {
        let exit = error.transport().and_then(mcp_transport::Error::exit);
        Self {
            kind: CauseKind::of(error),
            message: chain(error),
            exit_status: exit.and_then(|exit| exit.status),
            signal: exit.and_then(|exit| exit.signal),
            stderr_tail: exit.map(|exit| exit.stderr_tail.clone()),
        }
    }
}

impl Cause {
    /// The connection was there and is no more.
    pub(crate) fn closed(connection: &mcp_transport::Connection) -> Self {
        Self {
            kind: CauseKind::Unreachable,
            message: "the server ended the connection".to_owned(),
            exit_status: None,
            signal: None,
            stderr_tail: Some(connection.stderr_tail()).filter(|tail| !tail.is_empty()),
        }
    }
}

impl CauseKind {
    fn of(error: &Error) -> Self {
        if error.is_timeout() {
            Self::Timeout
        } else if error.needs_login() {
            Self::LoginNeeded
        } else if error.is_denied() {
            Self::Denied
        } else if error.is_usage() {
            Self::Misconfigured
        } else {
            Self::Unreachable
        }
    }
}

#[expect(clippy::ref_option, reason = "serde hands a field on as it is")]
fn milliseconds<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match duration {
        // Microseconds are as fine as a round trip through two processes means anything.
        Some(duration) => serializer.serialize_some(&((duration.as_secs_f64() * 1e6).round() / 1e3)),
        None => serializer.serialize_none(),
    }
}
