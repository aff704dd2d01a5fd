//! Everything the crate does to the file system, but for the appending of [`OwnFile`](crate::OwnFile).

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::remedy::Remedy;
use crate::temporary;

/// The largest configuration file that is read: a thousand times what the largest real one holds.
pub(crate) const MAX_FILE: u64 = 1024 * 1024;

/// `~/.claude.json` also holds Claude Code's history and grows to megabytes.
pub(crate) const MAX_STATE_FILE: u64 = 16 * 1024 * 1024;

/// The largest script whose content is part of an approval.
const MAX_SCRIPT: u64 = 16 * 1024 * 1024;

/// How many copies of a file are kept beside it before somebody has to clear up.
const MAX_BACKUPS: u32 = 1000;

/// How many files of a directory are looked at.
const MAX_DIRECTORY: usize = 1000;

/// Reads a file of at most `limit` bytes; `None` is a file that is not there.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Problem> {
    let unreadable = |message: String| Problem::new(Severity::Error, ProblemKind::Unreadable, message).with_path(path);
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(unreadable(format!("cannot be read: {error}"))),
    };
    // To open a device may already do something.
    expect_file(&metadata).map_err(unreadable)?;
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(unreadable("cannot be read: permission denied".to_owned()).with_fix(Remedy::chmod("u+r", path)));
        }
        Err(error) => return Err(unreadable(format!("cannot be read: {error}"))),
    };
    // What was there a moment ago need not be what was opened.
    let metadata = file.metadata().map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    expect_file(&metadata).map_err(unreadable)?;
    let mut bytes = Vec::new();
    match file.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > limit => Err(unreadable(format!(
            "expected at most {} KiB, found {} KiB",
            limit / 1024,
            metadata.len().div_ceil(1024)
        ))),
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(unreadable(format!("cannot be read: {error}"))),
    }
}

/// A pipe or a device would block, and a directory says nothing useful when it is opened.
fn expect_file(metadata: &Metadata) -> Result<(), String> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(format!("expected a file, found {}", if metadata.is_dir() { "a directory" } else { "something else" }))
}

/// Opens a file for reading. What blocks until somebody writes, as a pipe does and some files of `/proc` do, says so instead.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A path through something that is not a directory leads nowhere, which is the same as not being there.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the path with symbolic links resolved, or as it is when it does not exist.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Returns a path as it reads, without `.` and with each `..` taken back; no link is followed.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

pub(crate) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Tells whether something is there, or may be: only what is known to be missing is missing.
pub(crate) fn may_exist(path: &Path) -> bool {
    fs::symlink_metadata(path).map_or_else(|error| !is_missing(&error), |_| true)
}

pub(crate) fn is_directory(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns a directory's entries whose name ends in one of `extensions`, sorted by name: the order in which a directory is
/// listed differs from one file system to the next.
pub(crate) fn list(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted)))
        .take(MAX_DIRECTORY)
        .collect();
    paths.sort();
    paths
}

/// Returns the sub-directories of a directory, sorted by name.
pub(crate) fn subdirectories(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_directory(path)).take(MAX_DIRECTORY).collect();
    paths.sort();
    paths
}

/// Returns the hash of a file's content; `None` when it cannot be read, is no file, or is too large to hash.
pub(crate) fn digest(path: &Path) -> Option<String> {
    read(path, MAX_SCRIPT).ok().flatten().map(|bytes| crate::secret::sha256(&bytes))
}

/// What tells two states of a file apart without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    identity: u64,
}

/// Returns a file's stamp; `None` when it is not there.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp { length: metadata.len(), modified: metadata.modified().ok(), identity: identity(&metadata) })
}

/// A file that was replaced by renaming has another inode, even when its length and time are the same.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;

    metadata.ino() ^ metadata.dev().rotate_left(32)
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> u64 {
    0
}

/// Returns how many bytes a file says that it holds; `None` when it is not there.
pub(crate) fn length(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|metadata| metadata.len())
}

/// Tells whether a path is a file that can be run.
pub(crate) fn is_executable(path: &Path) -> bool {
    is_file(path) && mode(path).is_none_or(|mode| mode & 0o111 != 0)
}

/// Returns the permission bits of a file on Unix.
#[cfg(unix)]
pub(crate) fn mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;

    fs::metadata(path).ok().map(|metadata| metadata.permissions().mode() & 0o7777)
}

/// Other platforms have no permission bits.
#[cfg(not(unix))]
pub(crate) fn mode(_: &Path) -> Option<u32> {
    None
}

/// An exclusive lock on the files of one directory, held until dropped, also against other processes.
///
/// On Unix the directory itself is locked: a lock on the file would be lost when the file is replaced, and a lock file
/// beside it would litter the user's repository. Elsewhere a directory cannot be opened, and a lock file it is.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Waits for the lock on `path`'s directory, creating the directory first.
pub(crate) fn lock(path: &Path) -> Result<Lock, Error> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(|source| io_error("create the directory of", path, source))?;
    let file = open_for_lock(directory, path).map_err(|source| io_error("lock", path, source))?;
    file.lock().map_err(|source| io_error("lock", path, source))?;
    Ok(Lock { _file: file })
}

/// Like [`lock`], for a file of the toolkit's own: a directory that is not there yet is its owner's alone.
pub(crate) fn lock_own(path: &Path) -> Result<Lock, Error> {
    let directory = path.parent().unwrap_or(Path::new("."));
    private_directories().create(directory).map_err(|source| io_error("create the directory of", path, source))?;
    lock(path)
}

#[cfg(unix)]
fn private_directories() -> fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;

    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder
}

#[cfg(not(unix))]
fn private_directories() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    builder
}

#[cfg(unix)]
fn open_for_lock(directory: &Path, _: &Path) -> io::Result<File> {
    File::open(directory)
}

#[cfg(not(unix))]
fn open_for_lock(_: &Path, path: &Path) -> io::Result<File> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".lock");
    File::options().create(true).truncate(false).write(true).open(path.with_file_name(name))
}

/// Returns the file that a write to `path` ends up in: symbolic links are followed, so that a linked file stays linked.
pub(crate) fn write_target(path: &Path) -> Result<PathBuf, Error> {
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
            Ok(path.to_path_buf())
        }
        Err(source) => Err(io_error("follow the link", path, source)),
    }
}

/// Replaces a file in one step: readers see the old content or the new, never a part. A new file is readable by its owner
/// only; an existing one keeps its mode.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| io_error("write", path, source);
    let directory = path.parent().unwrap_or(Path::new("."));
    let permissions = fs::metadata(path).ok().map(|metadata| metadata.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(failed(io::ErrorKind::PermissionDenied.into()));
    }
    let mut temporary = temporary::create_in(directory).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    sync_directory(directory);
    Ok(())
}

/// Writes a file's content beside it, under the first name that nothing has, and returns where. It is readable by its owner
/// only.
pub(crate) fn keep(path: &Path, bytes: &[u8]) -> Result<PathBuf, Error> {
    let failed = |source| io_error("keep a copy of", path, source);
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut temporary = temporary::create_in(directory).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    for number in 1..=MAX_BACKUPS {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(if number == 1 { ".bak".to_owned() } else { format!(".bak.{number}") });
        let copy = path.with_file_name(name);
        match temporary.persist_noclobber(&copy) {
            Ok(_) => return Ok(copy),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => temporary = taken.file,
            Err(error) => return Err(failed(error.error)),
        }
    }
    Err(failed(io::ErrorKind::AlreadyExists.into()))
}

/// Makes the rename itself durable where that is possible; a file system that cannot is not an error.
fn sync_directory(directory: &Path) {
    if cfg!(unix) {
        File::open(directory).and_then(|directory| directory.sync_all()).unwrap_or_default();
    }
}

/// Removes a file; tells whether it was there.
pub(crate) fn remove(path: &Path) -> Result<bool, Error> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(io_error("remove", path, source)),
    }
}

pub(crate) fn io_error(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io { action, path: path.to_path_buf(), source }
}
