//! The files that say what was approved, for whoever looks after them: what is wrong with them, and which are needed no more.

use mcp_config::{Problem, ProblemKind, Remedy, Resolved, Severity};
use mcp_registry::PinStore as _;

use super::{FolderPins, folder};
use crate::configuration::Configuration;
use crate::error::{Error, chain};

/// Says which servers' records of what was approved cannot be used, and what mends that. Connects to nothing.
pub fn pin_problems(configuration: &Configuration) -> Vec<Problem> {
    let Some(folder) = folder(&configuration.environment) else { return Vec::new() };
    let old = folder.with_extension("json");
    let pins = FolderPins::new(folder);
    let broken = configuration.definitions().filter_map(|server| {
        let error = pins.load(&server.state_key()).err()?;
        let message = format!("it cannot be told what was approved of its tools: {}", chain(&*error));
        let problem = Problem::new(Severity::Error, ProblemKind::Unreadable, message).with_server(server.name());
        Some(problem.with_fix(Remedy::approve(server.name())))
    });
    let mut problems: Vec<Problem> = broken.collect();
    if old.is_file() {
        let message = "an earlier version kept here what was approved; it is not read any more";
        let problem = Problem::new(Severity::Note, ProblemKind::Unused, message).with_path(old);
        problems.push(problem.with_fix("remove it"));
    }
    problems
}

/// Forgets what was approved of a server's tools: for one that is configured no longer.
///
/// # Errors
///
/// [`Error::Pins`] when the file cannot be removed.
pub fn forget_pins(configuration: &Configuration, server: &Resolved) -> Result<(), Error> {
    let Some(folder) = folder(&configuration.environment) else { return Ok(()) };
    let forgotten = FolderPins::new(folder).forget(&server.state_key());
    forgotten.map_err(|source| Error::Pins { server: server.name().to_owned(), source })
}
