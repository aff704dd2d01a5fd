//! Finding the program of a server, and saying what is in the way.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::{StdioOptions, search_path};
use crate::Error;

/// A line that names an interpreter is no longer than this on any system.
const LONGEST_INTERPRETER: usize = 512;

/// Finds the program as the server's environment would.
pub(super) fn find(options: &StdioOptions) -> Result<PathBuf, Error> {
    if options.command.is_empty() {
        return Err(Error::InvalidOption { option: "command", reason: "is empty".to_owned() });
    }
    let folder = match &options.cwd {
        Some(cwd) => cwd.clone(),
        None => std::env::current_dir()
            .map_err(|error| Error::Spawn { command: options.command_text(), source: error.into() })?,
    };
    // Which error it was does not matter: each means that no such program is there, and why is looked up.
    let found = which::which_in(&options.command, search_path(options), &folder).ok();
    found.ok_or_else(|| obstacle(options, &folder))
}

/// Why no program was found: what lies there instead.
fn obstacle(options: &StdioOptions, folder: &Path) -> Error {
    let command = options.command_text();
    let unusable = |reason: &str| Error::CommandUnusable { command: command.clone(), reason: reason.to_owned() };
    let given = Path::new(&options.command);
    let is_path = given.components().count() > 1 || given.is_absolute();
    let searched = search_path(options);
    let places = searched.iter().flat_map(std::env::split_paths).map(|place| place.join(given));
    let there = if is_path { Some(folder.join(given)) } else { places.into_iter().find(|place| place.exists()) };
    match there {
        Some(path) if path.is_dir() => unusable("it is a folder; name the program in it"),
        Some(path) if path.exists() => {
            unusable("the file is not executable; make it so, or name the program that runs it")
        }
        Some(_) if given.is_relative() => {
            let place = options.cwd_text().unwrap_or_else(|| "the current folder".to_owned());
            unusable(&format!("no such file; a relative command counts from the server's `cwd`, here {place}"))
        }
        _ => Error::CommandNotFound { command },
    }
}

/// What a refusal to start means, where the file itself tells: the interpreter in its first line is missing.
pub(super) fn explained(options: &StdioOptions, program: &Path, error: &io::Error) -> Option<Error> {
    if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) || !program.is_file() {
        return None;
    }
    let mut start = Vec::new();
    let mut file = File::open(program).ok()?.take(LONGEST_INTERPRETER as u64);
    file.read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).trim_end_matches('\r').trim().to_owned();
    let carriage = if start.split(|byte| *byte == b'\n').next()?.ends_with(b"\r") {
        "; its lines end with a carriage return, which belongs to the name for this system"
    } else {
        ""
    };
    let reason = format!("the interpreter in its first line, `{line}`, is missing{carriage}");
    Some(Error::CommandUnusable { command: options.command_text(), reason })
}
