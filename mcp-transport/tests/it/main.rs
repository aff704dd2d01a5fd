//! Connections to scripted peers, through the public API.

mod authorize;
mod drive;
mod faults;
mod forgotten;
mod http;
#[cfg(unix)]
mod leaks;
mod passing;
mod real;
mod settling;
mod sse;
mod stdio;
mod support;
mod types;
