//! A store in a directory, one file per credential.

use std::fs;
use std::path::PathBuf;

use crate::credential::{Credential, Slot};
use crate::error::Error;
use crate::record::{Unreadable, read_credential, read_pending, write_credential, write_pending};
use crate::store::encryption::EncryptionKey;
use crate::store::keyring::Keyring;
use crate::store::private_file::{self, make_private_directory, set_aside};
use crate::store::protection::Protection;
use crate::store::{Listing, LockPurpose, PendingLogin, StoreKind, StoreLock, TokenStore, sort};

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

    pub(crate) fn new(directory: PathBuf, protection: Protection) -> Result<Self, Error> {
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
        let Some(stored) = private_file::read(&path)? else { return Ok(None) };
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
        private_file::write(&path, &stored)
    }

    fn remove(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        lock.covers(credential)?;
        self.protection.forget(&credential.id())?;
        private_file::remove(&self.credential_path(&credential.id()))
    }

    fn try_lock(&self, slot: &Slot, purpose: LockPurpose) -> Result<Option<StoreLock>, Error> {
        let suffix = match purpose {
            LockPurpose::Change => "lock",
            LockPurpose::Login => "login.lock",
        };
        let path = self.directory.join("locks").join(format!("{}.{suffix}", slot.id()));
        let failed = |source| Error::File { operation: "lock", path: path.clone(), source };
        let file = private_file::open_to_lock(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(StoreLock::new(slot.clone(), file))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    fn save_pending(&self, pending: &PendingLogin) -> Result<(), Error> {
        let stored = self.protection.seal(&pending_name(&pending.slot), &write_pending(pending))?;
        private_file::write(&self.pending_path(&pending.slot), &stored)
    }

    fn pending(&self, slot: &Slot) -> Result<Option<PendingLogin>, Error> {
        let path = self.pending_path(slot);
        let Some(stored) = private_file::read(&path)? else { return Ok(None) };
        let opened = self.protection.open(&pending_name(slot), &stored)?;
        match opened.and_then(|plain| read_pending(&plain).ok()) {
            Some(pending) if pending.slot == *slot => Ok(Some(pending)),
            _ => Err(set_aside(&path, Unreadable::Corrupt.reason())),
        }
    }

    fn forget_pending(&self, slot: &Slot) -> Result<(), Error> {
        self.protection.forget(&pending_name(slot))?;
        private_file::remove(&self.pending_path(slot))
    }
}

fn pending_name(slot: &Slot) -> String {
    format!("pending-{}", slot.id())
}

#[cfg(test)]
mod tests;
