//! Files that only their owner can read, written completely or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::error::Error;

/// Longest file that is read, in bytes. A credential is a few kilobytes.
const LONGEST_FILE: u64 = 1024 * 1024;

/// How long another program may keep a directory: longer than its keyring may take.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// How often a lock that somebody holds is tried again. Operating systems have no file lock with an end.
pub(crate) const LOCK_POLL: Duration = Duration::from_millis(50);

/// How the names of files begin that are not yet in their place.
const UNFINISHED: &str = ".tmp";

/// Moves a file out of the way; the newest unreadable state is kept.
pub(crate) fn set_aside(path: &Path, reason: &'static str) -> Error {
    let aside = path.with_extension("corrupt");
    match fs::rename(path, &aside) {
        Ok(()) => Error::Record { place: aside.display().to_string(), reason },
        Err(source) => Error::File { operation: "set aside", path: path.to_owned(), source },
    }
}

/// The bytes of a regular file, made private if it was not; `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
    let failed = |source| Error::File { operation: "read", path: path.to_owned(), source };
    let kind = match fs::symlink_metadata(path) {
        Ok(kind) => kind,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !kind.is_file() || kind.len() > LONGEST_FILE {
        let reason = "it is not a regular file of at most 1 MiB";
        return Err(Error::Record { place: path.display().to_string(), reason });
    }
    make_private(path, &kind).map_err(failed)?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(kind.len()).unwrap_or_default()));
    let read = File::open(path).and_then(|file| file.take(LONGEST_FILE).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Writes a file so that a reader sees the old bytes or the new ones, also after the power went out.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::File { operation: "write", path: path.to_owned(), source };
    let directory = path.parent().unwrap_or(Path::new("."));
    // Mode 0600 on unix from the start.
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(directory).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    sync_directory(directory).map_err(failed)
}

/// Removes what writers left in `directory` when they were killed. The caller keeps all others out.
pub(crate) fn sweep(directory: &Path) -> Result<(), Error> {
    let failed = |source| Error::File { operation: "list", path: directory.to_owned(), source };
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::File { operation: "remove", path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

/// Keeps other processes out of `directory` as long as the file lives. It blocks, though not for ever: callers that have less
/// time leave it behind on a thread of its own.
pub(crate) fn lock_directory(directory: &Path) -> Result<File, Error> {
    make_private_directory(directory)?;
    let path = directory.join("store.lock");
    let failed = |source| Error::File { operation: "lock", path: path.clone(), source };
    let file = open_to_lock(&path).map_err(failed)?;
    let end = Instant::now() + LOCK_WAIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
            Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                return Err(Error::TimedOut { what: "another program that opens the same store", after: LOCK_WAIT });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_POLL),
        }
    }
}

/// Opens a file whose content does not matter, made if it is not there.
pub(crate) fn open_to_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(crate) fn make_private_directory(path: &Path) -> Result<(), Error> {
    let failed = |source| Error::File { operation: "make the directory", path: path.to_owned(), source };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(failed)?;
    let kind = fs::metadata(path).map_err(failed)?;
    make_private(path, &kind).map_err(failed)
}

#[cfg(unix)]
fn make_private(path: &Path, kind: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = kind.permissions().mode();
    let open_to_others = mode & 0o077;
    if open_to_others == 0 {
        return Ok(());
    }
    tracing::warn!(path = %path.display(), "made private what others could read");
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

#[cfg(not(unix))]
fn make_private(_path: &Path, _kind: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}
