//! The table of faults: one row per way a server can be wrong.

mod http;
mod stdio;

use crate::{HttpAnswer, HttpRequest, Script};

pub use http::{legacy as legacy_http, modern as modern_http};

/// One fault: who makes it, and what a client does to meet it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Row {
    /// What goes wrong, in kebab case; unique.
    pub name: &'static str,
    /// The server.
    pub server: Server,
    /// What the client does.
    pub drive: Drive,
    /// Whether the fault is silence, which only a timeout can end.
    pub silent: bool,
}

/// A server that makes a fault.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Server {
    /// A child process that plays this script; started as `PEER ROW`.
    Stdio(Script),
    /// A Streamable HTTP server in the client's own process.
    Http(fn(&HttpRequest) -> HttpAnswer),
    /// A server of unknown transport: Streamable HTTP first, then HTTP+SSE.
    HttpAuto(fn(&HttpRequest) -> HttpAnswer),
}

/// What a client does with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drive {
    /// Connects.
    Connect,
    /// Connects and lists the tools.
    List,
    /// Connects and calls `echo`.
    Call,
    /// Connects and calls `echo` twice, one call after the other.
    CallTwice,
    /// Connects and calls `first` and `second` at the same time.
    CallBoth,
}

impl Row {
    fn stdio(name: &'static str, drive: Drive, script: Script) -> Self {
        Self { name, server: Server::Stdio(script), drive, silent: false }
    }

    fn http(name: &'static str, drive: Drive, respond: fn(&HttpRequest) -> HttpAnswer) -> Self {
        Self { name, server: Server::Http(respond), drive, silent: false }
    }

    fn auto(name: &'static str, drive: Drive, respond: fn(&HttpRequest) -> HttpAnswer) -> Self {
        Self { name, server: Server::HttpAuto(respond), drive, silent: false }
    }

    fn silent(mut self) -> Self {
        self.silent = true;
        self
    }
}

/// Every row, in a fixed order.
pub fn rows() -> Vec<Row> {
    let mut rows = stdio::handshakes();
    rows.extend(stdio::answers());
    rows.extend(stdio::streams());
    rows.extend(stdio::noise());
    rows.extend(stdio::lists());
    rows.extend(stdio::processes());
    rows.extend(http::rows());
    rows
}

/// The script of a row that runs as a process.
pub fn script(name: &str) -> Option<Script> {
    rows().into_iter().find(|row| row.name == name).and_then(|row| match row.server {
        Server::Stdio(script) => Some(script),
        Server::Http(_) | Server::HttpAuto(_) => None,
    })
}
