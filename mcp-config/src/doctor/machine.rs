//! What an examination has to know about the machine.

use std::path::Path;

use crate::disk;
use crate::environment::Environment;
use crate::programs::Programs;

/// Facts about the machine, so that an examination can be made of any.
pub trait Machine {
    /// Tells whether a program can be started: by its path, relative to `directory`, or by its name on `path`, or on the
    /// environment's `PATH` when that is `None`.
    fn has_program(&self, program: &str, path: Option<&str>, directory: &Path) -> bool;

    /// Tells whether a directory is there.
    fn has_directory(&self, path: &Path) -> bool;

    /// Returns a file's permission bits; `None` where there are none.
    fn mode(&self, path: &Path) -> Option<u32>;
}

/// The machine this runs on.
#[derive(Debug, Clone)]
pub struct ThisMachine {
    environment: Environment,
}

impl ThisMachine {
    /// Looks for programs where the environment says.
    pub fn new(environment: &Environment) -> Self {
        Self { environment: environment.clone() }
    }
}

impl Machine for ThisMachine {
    fn has_program(&self, program: &str, path: Option<&str>, directory: &Path) -> bool {
        let programs = Programs::new(&self.environment).with_cwd(directory);
        path.map_or(programs, |path| programs.with_path(path)).find(program).is_some()
    }

    fn has_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn mode(&self, path: &Path) -> Option<u32> {
        disk::mode(path)
    }
}
