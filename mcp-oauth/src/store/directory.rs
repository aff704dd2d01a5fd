//! A store in a directory, one file per credential.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use zeroize::Zeroizing;

use crate::credential::{Credential, Slot};
use crate::error::Error;
use crate::record::{Unreadable, read_authorization, read_credential, write_authorization, write_credential};
use crate::store::directory::protection::Protection;
use crate::store::encryption::EncryptionKey;
use crate::store::keyring::Keyring;
use crate::store::{Listing, LockPurpose, PendingLogin, StoreKind, StoreLock, TokenStore, sort};

mod protection;

/// Longest file that is read, in bytes. A credential is a few kilobytes.
const LONGEST_FILE: u64 = 1024 * 1024;

/// Keeps each credential in a file of its own, below one directory:
///
/// 1. `credentials/` holds the credentials, named by a hash of slot and issuer;
/// 2. `pending/` holds logins that wait for their redirect;
/// 3. `locks/` holds the lock files, which stay where they are: deleting one would let two processes hold the same lock.
///
/// Directories are made for their owner only, and so are files: created with mode 0600, written beside their place,
/// flushed and then moved into it. A file that others may read is made private again. On Windows the profile's access
/// list protects them. A file that does not read back is moved aside to `….corrupt` and reported.
#[derive(Debug)]
pub struct DirectoryStore {
    directory: PathBuf,
    protection: Protection,
}

impl DirectoryStore {
    /// A store whose files anyone can read who can read files of this user.
    ///
    /// # Errors
    ///
    /// [`Error::File`] when the directory cannot be made.
    pub fn plain(directory: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::new(directory.into(), Protection::Plain)
    }

    /// A store whose files are sealed with `key`.
    ///
    /// # Errors
    ///
    /// [`Error::File`] when the directory cannot be made.
    pub fn encrypted(directory: impl Into<PathBuf>, key: EncryptionKey) -> Result<Self, Error> {
        Self::new(directory.into(), Protection::Sealed(key))
    }

    /// A store whose files only say which credentials there are; each credential is an entry of `keyring`. Windows
    /// allows 2,560 bytes per entry, which many logins exceed.
    ///
    /// # Errors
    ///
    /// [`Error::File`] when the directory cannot be made.
    pub fn in_keyring(directory: impl Into<PathBuf>, keyring: Keyring) -> Result<Self, Error> {
        Self::new(directory.into(), Protection::Entries(keyring))
    }

    fn new(directory: PathBuf, protection: Protection) -> Result<Self, Error> {
        for part in ["credentials", "pending", "locks"] {
            make_private_directory(&directory.join(part))?;
        }
        make_private_directory(&directory)?;
        Ok(Self { directory, protection })
    }

    fn credential_path(&self, id: &str) -> PathBuf {
        self.directory.join("credentials").join(format!("{id}.json"))
    }

    fn pending_path(&self, slot: &Slot) -> PathBuf {
        self.directory.join("pending").join(format!("{}.json", slot.id()))
    }

    /// The credentials whose identifier begins with `prefix`.
    fn matching(&self, prefix: &str) -> Result<Listing, Error> {
        let directory = self.directory.join("credentials");
        let failed = |source| Error::File { operation: "list", path: directory.clone(), source };
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        let mut ids = Vec::new();
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json"));
            ids.extend(id.filter(|id| id.starts_with(prefix)).map(str::to_owned));
        }
        ids.sort();
        for id in ids {
            match self.credential(&id) {
                Ok(Some(credential)) => found.push(credential),
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
        sort(&mut found);
        Ok((found, problems))
    }

    /// One credential; `None` when it was removed since the listing.
    fn credential(&self, id: &str) -> Result<Option<Credential>, Error> {
        let path = self.credential_path(id);
        let Some(stored) = read_private(&path)? else { return Ok(None) };
        let Some(plain) = self.protection.open(id, &stored)? else {
            let reason = "it was written with another key, or by another program";
            return Err(Error::Record { place: path.display().to_string(), reason });
        };
        match read_credential(&plain) {
            // A record under another's name was copied there; it is not what was asked for.
            Ok(credential) if credential.id() == id => Ok(Some(credential)),
            Ok(_) => Err(set_aside(&path, "it is the credential of another server")),
            Err(Unreadable::Corrupt) => Err(set_aside(&path, Unreadable::Corrupt.reason())),
            Err(Unreadable::Newer) => {
                Err(Error::Record { place: path.display().to_string(), reason: Unreadable::Newer.reason() })
            }
        }
    }
}

impl TokenStore for DirectoryStore {
    fn kind(&self) -> StoreKind {
        self.protection.kind()
    }

    fn list(&self) -> Result<Listing, Error> {
        self.matching("")
    }

    fn find(&self, slot: &Slot) -> Result<Listing, Error> {
        let (mut found, problems) = self.matching(&slot.id())?;
        found.retain(|credential| credential.slot == *slot);
        Ok((found, problems))
    }

    fn save(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        lock.covers(credential)?;
        let id = credential.id();
        let path = self.credential_path(&id);
        // What cannot be read is moved aside before something takes its place.
        if let Err(Error::Record { .. }) = self.credential(&id)
            && path.exists()
        {
            drop(set_aside(&path, ""));
        }
        let stored = self.protection.seal(&id, &write_credential(credential))?;
        write_private(&path, &stored)
    }

    fn remove(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        lock.covers(credential)?;
        self.protection.forget(&credential.id())?;
        remove_file(&self.credential_path(&credential.id()))
    }

    fn try_lock(&self, slot: &Slot, purpose: LockPurpose) -> Result<Option<StoreLock>, Error> {
        let suffix = match purpose {
            LockPurpose::Change => "lock",
            LockPurpose::Login => "login.lock",
        };
        let path = self.directory.join("locks").join(format!("{}.{suffix}", slot.id()));
        let failed = |source| Error::File { operation: "lock", path: path.clone(), source };
        let file = private_options().create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(StoreLock::new(slot.clone(), file))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    fn save_pending(&self, pending: &PendingLogin) -> Result<(), Error> {
        let plain = write_authorization(&pending.slot, &pending.authorization, pending.proof_key.as_ref());
        let stored = self.protection.seal(&pending_name(&pending.slot), &plain)?;
        write_private(&self.pending_path(&pending.slot), &stored)
    }

    fn pending(&self, slot: &Slot) -> Result<Option<PendingLogin>, Error> {
        let path = self.pending_path(slot);
        let Some(stored) = read_private(&path)? else { return Ok(None) };
        let opened = self.protection.open(&pending_name(slot), &stored)?;
        let read = opened.and_then(|plain| read_authorization(&plain).ok());
        match read {
            Some((kept, authorization, proof_key)) if kept == *slot => {
                Ok(Some(PendingLogin { slot: kept, authorization, proof_key }))
            }
            _ => Err(set_aside(&path, Unreadable::Corrupt.reason())),
        }
    }

    fn forget_pending(&self, slot: &Slot) -> Result<(), Error> {
        self.protection.forget(&pending_name(slot))?;
        remove_file(&self.pending_path(slot))
    }
}

fn pending_name(slot: &Slot) -> String {
    format!("pending-{}", slot.id())
}

/// Moves a file out of the way; the newest unreadable state is kept.
fn set_aside(path: &Path, reason: &'static str) -> Error {
    let aside = path.with_extension("corrupt");
    match fs::rename(path, &aside) {
        Ok(()) => Error::Record { place: aside.display().to_string(), reason },
        Err(source) => Error::File { operation: "set aside", path: path.to_owned(), source },
    }
}

/// The bytes of a regular file, made private if it was not; `None` when there is none.
fn read_private(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
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
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::File { operation: "write", path: path.to_owned(), source };
    let directory = path.parent().unwrap_or(Path::new("."));
    // Mode 0600 on unix from the start.
    let mut file = NamedTempFile::new_in(directory).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    sync_directory(directory).map_err(failed)
}

fn remove_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::File { operation: "remove", path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

/// Keeps other processes out of `directory` as long as the file lives. It waits for as long as the other's keyring takes.
pub(crate) fn lock_directory(directory: &Path) -> Result<File, Error> {
    make_private_directory(directory)?;
    let path = directory.join("store.lock");
    let locked = private_options().create(true).truncate(false).open(&path).and_then(|file| {
        file.lock()?;
        Ok(file)
    });
    locked.map_err(|source| Error::File { operation: "lock", path, source })
}

fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make_private_directory(path: &Path) -> Result<(), Error> {
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

#[cfg(test)]
mod tests;
