//! `cargo xtask soak`: mcp-transport with servers that others wrote, for as long as somebody works with them.

use xshell::{Shell, cmd};

use crate::{Result, servers};

/// Long enough for every stream to fall silent many times over.
const MINUTES: u64 = 30;

/// The silence an event stream may keep, in seconds: longer than the comments that keep one alive are apart, shorter than
/// the pauses of the run.
const IDLE: &str = "30";

/// Runs it for `minutes`, and prints what was counted of each server.
pub(crate) fn run(shell: &Shell, minutes: Option<&str>) -> Result {
    let minutes = minutes.map_or(Ok(MINUTES), str::parse).map_err(|error| format!("--minutes: {error}"))?;
    let folder = servers::install(shell)?;
    let seconds = (minutes * 60).to_string();
    // The server on rmcp is an example as well, and must lie beside the one that is run.
    cmd!(shell, "cargo build --quiet --package mcp-transport --examples").run()?;
    Ok(cmd!(shell, "cargo run --quiet --package mcp-transport --example soak -- {folder} {seconds} {IDLE}").run()?)
}
