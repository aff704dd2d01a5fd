//! `cargo xtask deny`: what may be among the dependencies, as `deny.toml` says.

use xshell::{Shell, cmd};

use crate::{Result, tools, workspace};

/// Where `deny.toml` keeps the database of advisories.
const DATABASE: &str = "target/advisory-db";

/// Checks licences, banned crates, duplicates and sources, and asks a database of advisories that was fetched before.
pub(crate) fn check(shell: &Shell) -> Result {
    let deny = tools::DENY.install(shell)?;
    cmd!(shell, "{deny} check --deny unnecessary-skip --deny unmatched-skip bans licenses sources").run()?;
    if has_database() {
        return Ok(cmd!(shell, "{deny} --offline check advisories").run()?);
    }
    eprintln!(
        "SKIPPED: no database of advisories is at hand; `cargo xtask advisories` fetches it, with git, from GitHub"
    );
    Ok(())
}

/// Fetches what is known of vulnerable, unsound and abandoned crates, and asks whether one of ours is among them.
pub(crate) fn advisories(shell: &Shell) -> Result {
    let deny = tools::DENY.install(shell)?;
    Ok(cmd!(shell, "{deny} check advisories").run()?)
}

/// An attempt to fetch it that failed leaves an empty folder.
fn has_database() -> bool {
    let databases = std::fs::read_dir(workspace::root().join(DATABASE));
    databases.is_ok_and(|databases| databases.flatten().any(|database| database.path().join("crates").is_dir()))
}
