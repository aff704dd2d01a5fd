//! What opens a browser on this machine.

use mcp_config::{Environment, Programs};
use mcp_oauth::Opener;

/// Finds the program that opens a browser, on the `PATH` of this environment; `None` where there is none.
///
/// It is never a program of the working directory, which may be a repository that nobody trusts.
pub fn browser_opener(environment: &Environment) -> Option<Opener> {
    let programs = Programs::new(environment);
    let opener = Opener::new(programs.find(Opener::NAME)?);
    Some(match programs.search_path() {
        Some(path) => opener.with_search_path(path),
        None => opener,
    })
}
