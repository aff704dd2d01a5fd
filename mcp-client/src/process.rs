//! What this process stands in, read once and handed on as data.

use mcp_config::Environment;

use crate::Error;

/// Reads this process's working directory, home and variables.
///
/// This is the only place where the toolkit's libraries read the process. A test, or a server that acts for several
/// people, makes an [`Environment`] of its own instead.
///
/// Variables whose name or value is not Unicode are left out.
///
/// # Errors
///
/// [`Error::WorkingDirectory`] when the working directory is gone or may not be read.
pub fn process_environment() -> Result<Environment, Error> {
    let cwd = std::env::current_dir().map_err(|source| Error::WorkingDirectory { source })?;
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let environment = Environment::new(cwd).with_vars(variables);
    Ok(match std::env::home_dir() {
        Some(home) => environment.with_home(home),
        None => environment,
    })
}
