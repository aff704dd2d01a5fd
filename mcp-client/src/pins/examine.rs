//! The files that say what was approved, for whoever looks after them: what is wrong with them, and which are needed no more.

use mcp_config::{Problem, ProblemKind, Remedy, Resolved, Severity};
use mcp_registry::PinStore as _;

use super::{FOLDER, FolderPins};
use crate::configuration::Configuration;
use crate::error::{Error, chain};

/// Says which servers' records of what was approved cannot be used, and what mends that. Connects to nothing.
pub fn pin_problems(configuration: &Configuration) -> Vec<Problem> {
    let Some(pins) = pins(configuration) else { return Vec::new() };
    let broken = configuration.definitions().filter_map(|server| {
        let error = pins.load(&server.state_key()).err()?;
        let message = format!("it cannot be told what was approved of its tools: {}", chain(&*error));
        let problem = Problem::new(Severity::Error, ProblemKind::Unreadable, message).with_server(server.name());
        Some(problem.with_fix(Remedy::approve(server.name())))
    });
    broken.collect()
}

/// Forgets what was approved of a server's tools: for one that is configured no longer.
///
/// # Errors
///
/// [`Error::Pins`] when the file cannot be removed.
pub fn forget_pins(configuration: &Configuration, server: &Resolved) -> Result<(), Error> {
    let Some(mut pins) = pins(configuration) else { return Ok(()) };
    let forgotten = pins.forget(&server.state_key());
    forgotten.map_err(|source| Error::Pins { server: server.name().to_owned(), source })
}

/// What is kept; nothing where state is not believed, which the configuration's problems say.
fn pins(configuration: &Configuration) -> Option<FolderPins> {
    configuration.kept(FOLDER).map(FolderPins::new)
}
