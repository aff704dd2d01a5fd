//! Where the toolkit keeps what it remembers, and whether that can be believed.
//!
//! Whoever can write the record of approvals approves. So the record is nobody's but the user's: not in the project, which
//! somebody else wrote, and not in a file or directory that others may write.

use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::remedy::Remedy;
use crate::workspace::Workspace;

impl Environment {
    /// Returns the directory that state is kept in, `mcp-toolkit` below [`state_home`](Self::state_home), which need not exist;
    /// `None` without a home.
    ///
    /// # Errors
    /// Says why it is not used: it lies inside the project, belongs to somebody else, or can be written by everybody.
    pub fn state_directory(&self) -> Result<Option<PathBuf>, Problem> {
        let Some(directory) = self.state_home().map(|state| state.join("mcp-toolkit")) else { return Ok(None) };
        if Workspace::of(self).owns(&directory) {
            let message = "the toolkit's state would lie inside the project, which could write its own approvals";
            let fix = "set XDG_STATE_HOME to a directory outside the project";
            return Err(refused(message, &directory, Remedy::advice(fix)));
        }
        check(&directory, Kind::Directory, self.home.as_deref().into_iter())?;
        for above in directory.ancestors().skip(1) {
            if access(above).is_some_and(Access::lets_anybody_move) {
                let message = "everybody may write it, and so could put another place for the toolkit's state there";
                return Err(refused(message, above, Remedy::chmod("o-w", above)));
            }
        }
        Ok(Some(directory))
    }

    /// Tells which of the user's own files, settings and servers, somebody else may write and so choose what runs.
    ///
    /// They are used all the same: they are the user's to keep, and a group that writes them is usual where every user has a
    /// group of their own.
    pub fn exposed_files(&self) -> Vec<Problem> {
        let files = [self.settings_file(), self.user_file()];
        let home = self.home.as_deref();
        files.iter().flatten().filter_map(|file| exposed(file, home)).collect()
    }
}

fn exposed(file: &Path, home: Option<&Path>) -> Option<Problem> {
    let owners: Vec<u32> = home.and_then(access_of_owner).into_iter().chain([user()]).collect();
    let (message, fix) = match access(file)?.fault(Kind::Shared, &owners)? {
        Fault::Owner(owner) => (
            format!("it belongs to another user ({owner}), who could choose what runs"),
            Remedy::advice("make it your own, once you have looked at it"),
        ),
        Fault::Mode => ("everybody may write it, and so choose what runs".to_owned(), Remedy::chmod("o-w", file)),
    };
    Some(refused(message, file, fix))
}

/// Tells whether a file of state that is there is the user's alone to write; one that is not there is.
///
/// # Errors
/// Says why it is not believed, and what mends that.
pub(crate) fn check_file(path: &Path) -> Result<(), Problem> {
    check(path, Kind::File, path.parent().into_iter())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    /// A file that a person writes, and may share with a group.
    Shared,
    Directory,
}

/// Who owns something, and who may write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Access {
    owner: u32,
    mode: u32,
}

/// What is wrong with somebody's access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Owner(u32),
    Mode,
}

impl Access {
    /// `owners` are who may own it beside the administrator: the user; and, as a program may run for somebody else (`sudo`), the
    /// owner of the place it is in.
    fn fault(self, kind: Kind, owners: &[u32]) -> Option<Fault> {
        if self.owner != 0 && !owners.contains(&self.owner) {
            return Some(Fault::Owner(self.owner));
        }
        let is_open = match kind {
            Kind::File => self.mode & 0o022 != 0,
            Kind::Shared => self.mode & 0o002 != 0,
            // A group's directory is usual where every user has a group of their own, and what somebody else puts there is
            // theirs. Where the sticky bit is, nobody replaces another's file.
            Kind::Directory => self.mode & 0o002 != 0 && self.mode & 0o1000 == 0,
        };
        is_open.then_some(Fault::Mode)
    }

    /// Whether anybody may put something else in the place of what is in this directory, whoever owns that.
    fn lets_anybody_move(self) -> bool {
        self.mode & 0o002 != 0 && self.mode & 0o1000 == 0
    }
}

fn check<'a>(path: &Path, kind: Kind, places: impl Iterator<Item = &'a Path>) -> Result<(), Problem> {
    let Some(access) = access(path) else { return Ok(()) };
    let owners: Vec<u32> = places.filter_map(access_of_owner).chain([user()]).collect();
    match access.fault(kind, &owners) {
        None => Ok(()),
        Some(Fault::Owner(owner)) => {
            let message = format!("it belongs to another user ({owner}), who could write approvals");
            Err(refused(message, path, Remedy::advice("remove it, or make it your own, once you have looked at it")))
        }
        Some(Fault::Mode) => {
            let mode = if kind == Kind::File { "600" } else { "700" };
            Err(refused("others may write it, and so could approve", path, Remedy::chmod(mode, path)))
        }
    }
}

fn access_of_owner(path: &Path) -> Option<u32> {
    access(path).map(|access| access.owner)
}

fn refused(message: impl Into<Box<str>>, path: &Path, fix: Remedy) -> Problem {
    Problem::new(Severity::Warning, ProblemKind::Refused, message).with_path(path).with_fix(fix)
}

#[cfg(unix)]
fn access(path: &Path) -> Option<Access> {
    use std::os::unix::fs::MetadataExt as _;

    fs::metadata(path).ok().map(|metadata| Access { owner: metadata.uid(), mode: metadata.mode() })
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Other platforms say neither.
#[cfg(not(unix))]
fn access(_: &Path) -> Option<Access> {
    None
}

#[cfg(not(unix))]
fn user() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_write_what() {
        const ME: u32 = 1000;
        const OTHER: u32 = 1001;
        let cases = [
            (Kind::File, ME, 0o600, None),
            (Kind::File, ME, 0o644, None),
            (Kind::File, ME, 0o664, Some(Fault::Mode)),
            (Kind::File, ME, 0o606, Some(Fault::Mode)),
            (Kind::File, ME, 0o666, Some(Fault::Mode)),
            (Kind::File, 0, 0o600, None),
            (Kind::File, 0, 0o666, Some(Fault::Mode)),
            (Kind::File, OTHER, 0o600, Some(Fault::Owner(OTHER))),
            (Kind::Shared, ME, 0o664, None),
            (Kind::Shared, ME, 0o646, Some(Fault::Mode)),
            (Kind::Shared, OTHER, 0o600, Some(Fault::Owner(OTHER))),
            (Kind::Directory, ME, 0o700, None),
            (Kind::Directory, ME, 0o775, None),
            (Kind::Directory, ME, 0o777, Some(Fault::Mode)),
            (Kind::Directory, ME, 0o1777, None),
            (Kind::Directory, 0, 0o1777, None),
            (Kind::Directory, OTHER, 0o1777, Some(Fault::Owner(OTHER))),
        ];
        for (kind, owner, mode, expected) in cases {
            assert_eq!(Access { owner, mode }.fault(kind, &[ME]), expected, "{kind:?} {owner} {mode:o}");
        }
        // Somebody runs it for another, whose home it is.
        assert_eq!(Access { owner: OTHER, mode: 0o600 }.fault(Kind::File, &[ME, OTHER]), None);
    }
}
