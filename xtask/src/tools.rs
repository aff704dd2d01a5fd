//! Programs of the Rust ecosystem that judge this workspace: pinned here, built from crates.io once, kept below `target/`.

use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::{Result, workspace};

/// Judges the dependencies, as `deny.toml` says.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };

/// Breaks code on purpose, in one place at a time.
pub(crate) const MUTANTS: Tool = Tool { name: "cargo-mutants", version: "27.1.0" };

/// A package that is one program of the same name.
#[derive(Debug)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    /// Builds the program unless this version of it is there, and returns where it is.
    ///
    /// Its own lock file pins what it is made of. It is not optimized, as it takes longer to build than it ever runs.
    pub(crate) fn install(&self, shell: &Shell) -> Result<PathBuf> {
        let Self { name, version } = self;
        let folder = workspace::target(shell)?.join("tools").join(format!("{name}-{version}"));
        let program = folder.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        if !shell.path_exists(&program) {
            let build = folder.join("build");
            cmd!(
                shell,
                "cargo install {name} --version ={version} --locked --quiet --debug --config profile.dev.debug=false
                 --root {folder} --target-dir {build}"
            )
            .run()?;
            shell.remove_path(build)?;
        }
        Ok(program)
    }
}
