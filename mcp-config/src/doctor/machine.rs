//! What an examination has to know about the machine.

use std::path::Path;

use crate::disk;
use crate::environment::{Environment, Platform};

/// Facts about the machine, so that an examination can be made of any.
pub trait Machine {
    /// Tells whether a program can be started: by its path, relative to `directory`, or by its name on `path`, or on the
    /// environment's `PATH` when that is `None`.
    fn has_program(&self, program: &str, path: Option<&str>, directory: &Path) -> bool;

    /// Returns a file's permission bits; `None` where there are none.
    fn mode(&self, path: &Path) -> Option<u32>;
}

/// The machine this runs on.
#[derive(Debug, Clone)]
pub struct ThisMachine {
    environment: Environment,
    extensions: Vec<String>,
}

impl ThisMachine {
    /// Looks for programs where the environment says.
    pub fn new(environment: &Environment) -> Self {
        let extensions = match environment.platform {
            Platform::Windows => {
                environment.var("PATHEXT").unwrap_or(".COM;.EXE;.BAT;.CMD").split(';').map(str::to_owned).collect()
            }
            Platform::Linux | Platform::MacOs => Vec::new(),
        };
        Self { environment: environment.clone(), extensions }
    }

    fn is_program(&self, path: &Path) -> bool {
        let with = |extension: &String| {
            let mut name = path.as_os_str().to_owned();
            name.push(extension);
            disk::is_executable(Path::new(&name))
        };
        disk::is_executable(path) || self.extensions.iter().any(with)
    }
}

impl Machine for ThisMachine {
    fn has_program(&self, program: &str, path: Option<&str>, directory: &Path) -> bool {
        if program.contains(['/', '\\']) {
            return self.is_program(&directory.join(self.environment.expand_home(Path::new(program))));
        }
        let path = path.or_else(|| self.environment.var("PATH")).unwrap_or_default();
        std::env::split_paths(path).any(|directory| self.is_program(&directory.join(program)))
    }

    fn mode(&self, path: &Path) -> Option<u32> {
        disk::mode(path)
    }
}
