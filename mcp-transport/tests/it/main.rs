//! Connections to scripted peers, through the public API.

mod drive;
mod faults;
mod http;
mod stdio;
mod support;
