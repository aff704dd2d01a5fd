//! Connections to scripted peers, through the public API.

mod http;
mod stdio;
mod support;
