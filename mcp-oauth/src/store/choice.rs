//! Which store to use.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::store::directory::{DirectoryStore, lock_directory, write_private};
use crate::store::encryption::EncryptionKey;
use crate::store::keyring::Keyring;
use crate::store::memory::MemoryStore;
use crate::store::{StoreKind, TokenStore};

/// Which store the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StorePreference {
    /// Encrypted files whose key is in the keyring, where the keyring can keep one; else private files. What was found
    /// the first time is written down and stays: a store that changed in between would bring back used-up tokens.
    #[default]
    Auto,
    /// One keyring entry per credential.
    Keyring,
    /// Encrypted files.
    EncryptedFile,
    /// Private files.
    File,
    /// Nothing is kept.
    Memory,
}

/// Where the keys of a store may come from.
#[derive(Debug, Default)]
pub struct StoreKeys {
    /// Opens the system's keyring when it is needed; `None` where it must not be asked.
    pub keyring: Option<KeyringOpener>,
    /// A key that the host was given, for machines without a keyring.
    pub key: Option<EncryptionKey>,
}

/// Opens a keyring. It may block.
pub struct KeyringOpener(Box<dyn Fn() -> Result<Keyring, Error> + Send + Sync>);

impl KeyringOpener {
    /// An opener that calls `open`, for example `|| Keyring::system("mcp-toolkit", Keyring::UNATTENDED)`.
    pub fn new(open: impl Fn() -> Result<Keyring, Error> + Send + Sync + 'static) -> Self {
        Self(Box::new(open))
    }
}

impl std::fmt::Debug for KeyringOpener {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("KeyringOpener")
    }
}

/// A store, and what the user should know about the choice.
#[derive(Debug)]
pub struct ChosenStore {
    /// The store.
    pub store: Arc<dyn TokenStore>,
    /// Why logins are less protected than they could be, or what has been lost, for one line to the user; `None` when
    /// all is well, or when the user was told at an earlier start.
    pub weaker: Option<Error>,
}

/// Opens the store in `directory` that the user wants, by these rules:
///
/// 1. A key from the host makes encrypted files of [`StorePreference::Auto`].
/// 2. Otherwise `Auto` is what `directory` has been since its first use, if it has been used.
/// 3. Otherwise `Auto` probes the keyring by writing, reading and deleting. If that works the files are encrypted, else
///    they are private, and [`ChosenStore::weaker`] says why.
/// 4. Anything else is done as it is said, or fails.
///
/// # Errors
///
/// When the store that was said, or that was chosen before, cannot be had now. A keyring that is locked today does not
/// turn yesterday's encrypted store into files.
pub fn open_store(directory: &Path, preference: StorePreference, keys: &StoreKeys) -> Result<ChosenStore, Error> {
    let chosen = |store: DirectoryStore| ChosenStore { store: Arc::new(store), weaker: None };
    // The first key is made once, however many programs start at the same time.
    let _turn = (preference != StorePreference::Memory).then(|| lock_directory(directory)).transpose()?;
    match preference {
        StorePreference::Memory => Ok(ChosenStore { store: Arc::new(MemoryStore::new()), weaker: None }),
        StorePreference::File => DirectoryStore::plain(directory).map(chosen),
        StorePreference::Keyring => DirectoryStore::in_keyring(directory, keys.open_keyring()?).map(chosen),
        StorePreference::EncryptedFile => DirectoryStore::encrypted(directory, keys.encryption_key()?).map(chosen),
        StorePreference::Auto => automatic(directory, keys),
    }
}

fn automatic(directory: &Path, keys: &StoreKeys) -> Result<ChosenStore, Error> {
    let chosen = |store: DirectoryStore, weaker| ChosenStore { store: Arc::new(store), weaker };
    if let Some(key) = &keys.key {
        return Ok(chosen(DirectoryStore::encrypted(directory, key.clone())?, None));
    }
    match remembered(directory)? {
        Some(StoreKind::File) => return Ok(chosen(DirectoryStore::plain(directory)?, None)),
        Some(_) => {
            let (key, lost) = keys.remembered_key()?;
            return Ok(chosen(DirectoryStore::encrypted(directory, key)?, lost));
        }
        None => {}
    }
    let probed = keys.open_keyring().and_then(|keyring| {
        keyring.probe()?;
        keyring.encryption_key()
    });
    let (store, weaker) = match probed {
        Ok(key) => (DirectoryStore::encrypted(directory, key)?, None),
        Err(problem) => (DirectoryStore::plain(directory)?, Some(problem)),
    };
    remember(directory, store.kind())?;
    Ok(chosen(store, weaker))
}

impl StoreKeys {
    fn open_keyring(&self) -> Result<Keyring, Error> {
        match &self.keyring {
            Some(opener) => (opener.0)(),
            None => Err(Error::Keyring { operation: "be asked", source: Box::new(NotAllowed) }),
        }
    }

    /// The key of a store that has been used before. Some keyrings are emptied at every restart; a new key opens none of
    /// the old records, and the user should know why they are gone.
    fn remembered_key(&self) -> Result<(EncryptionKey, Option<Error>), Error> {
        let keyring = self.open_keyring()?;
        if let Some(key) = keyring.existing_key()? {
            return Ok((key, None));
        }
        let reason = "the keyring has lost it, and earlier logins with it; log in again, or choose another store";
        Ok((keyring.encryption_key()?, Some(Error::Key { what: "encryption key", reason })))
    }

    fn encryption_key(&self) -> Result<EncryptionKey, Error> {
        match &self.key {
            Some(key) => Ok(key.clone()),
            None => self.open_keyring()?.encryption_key(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("it is switched off, and no key was given")]
struct NotAllowed;

#[derive(Serialize, Deserialize)]
struct Choice {
    kind: StoreKind,
}

const CHOICE_FILE: &str = "store.json";

fn remembered(directory: &Path) -> Result<Option<StoreKind>, Error> {
    let path = directory.join(CHOICE_FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::File { operation: "read", path, source }),
    };
    let reason = "it does not say which store this directory is; delete it to choose again";
    let choice: Choice =
        serde_json::from_str(&text).map_err(|_source| Error::Record { place: path.display().to_string(), reason })?;
    Ok(Some(choice.kind))
}

fn remember(directory: &Path, kind: StoreKind) -> Result<(), Error> {
    let text = serde_json::to_vec(&Choice { kind }).expect("a name is JSON");
    write_private(&directory.join(CHOICE_FILE), &text)
}

#[cfg(test)]
mod tests;
