//! Which store to use.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::store::directory::DirectoryStore;
use crate::store::encryption::EncryptionKey;
use crate::store::keyring::Keyring;
use crate::store::memory::MemoryStore;
use crate::store::private_file;
use crate::store::protection::Protection;
use crate::store::secrets::SecretStore;
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
    /// Why what is kept is less protected than it could be, or what has been lost, for one line to the user; `None` when
    /// all is well, or when the user was told at an earlier start.
    pub weaker: Option<Error>,
}

/// A store of named secrets, and what the user should know about the choice.
#[derive(Debug)]
pub struct ChosenSecrets {
    /// The store.
    pub secrets: SecretStore,
    /// As [`ChosenStore::weaker`].
    pub weaker: Option<Error>,
}

/// Opens the store of logins in `directory` that the user wants, by these rules:
///
/// 1. [`StorePreference::Auto`] is what `directory` has been since its first use, if it has been used.
/// 2. Otherwise `Auto` probes the keyring by writing, reading and deleting. If that works the files are encrypted, else
///    they are private, and [`ChosenStore::weaker`] says why.
/// 3. Anything else is done as it is said, or fails.
///
/// # Errors
///
/// When the store that was said, or that was chosen before, cannot be had now. A keyring that is locked today does not
/// turn yesterday's encrypted store into files.
pub fn open_store(directory: &Path, preference: StorePreference, keys: &StoreKeys) -> Result<ChosenStore, Error> {
    let (kept, weaker) = choose(directory, preference, keys)?;
    let store: Arc<dyn TokenStore> = match kept {
        Kept::Nowhere => Arc::new(MemoryStore::new()),
        Kept::Files(protection) => Arc::new(DirectoryStore::new(directory.to_owned(), protection)?),
    };
    Ok(ChosenStore { store, weaker })
}

/// Opens the store of named secrets in `directory`, which holds nothing else, by the rules of [`open_store`].
///
/// # Errors
///
/// As for [`open_store`].
pub fn open_secrets(directory: &Path, preference: StorePreference, keys: &StoreKeys) -> Result<ChosenSecrets, Error> {
    let (kept, weaker) = choose(directory, preference, keys)?;
    let secrets = match kept {
        Kept::Nowhere => SecretStore::in_memory(),
        Kept::Files(protection) => SecretStore::in_directory(directory.to_owned(), protection),
    };
    Ok(ChosenSecrets { secrets, weaker })
}

/// Where a store keeps what it is given.
enum Kept {
    Nowhere,
    Files(Protection),
}

type Choosing<T> = Result<(T, Option<Error>), Error>;

fn choose(directory: &Path, preference: StorePreference, keys: &StoreKeys) -> Choosing<Kept> {
    if preference == StorePreference::Memory {
        return Ok((Kept::Nowhere, None));
    }
    // The first key is made once, however many programs start at the same time.
    let _turn = private_file::lock_directory(directory)?;
    let (protection, weaker) = match preference {
        StorePreference::File => (Protection::Plain, None),
        StorePreference::Keyring => (Protection::Entries(keys.open_keyring()?), None),
        StorePreference::EncryptedFile => (Protection::Sealed(keys.open_keyring()?.encryption_key()?), None),
        StorePreference::Auto | StorePreference::Memory => automatic(directory, keys)?,
    };
    Ok((Kept::Files(protection), weaker))
}

fn automatic(directory: &Path, keys: &StoreKeys) -> Choosing<Protection> {
    match remembered(directory)? {
        Some(StoreKind::File) => return Ok((Protection::Plain, None)),
        Some(_) => {
            let (key, lost) = keys.remembered_key()?;
            return Ok((Protection::Sealed(key), lost));
        }
        None => {}
    }
    let probed = keys.open_keyring().and_then(|keyring| {
        keyring.probe()?;
        keyring.encryption_key()
    });
    let (protection, weaker) = match probed {
        Ok(key) => (Protection::Sealed(key), None),
        Err(problem) => (Protection::Plain, Some(problem)),
    };
    remember(directory, protection.kind())?;
    Ok((protection, weaker))
}

impl StoreKeys {
    fn open_keyring(&self) -> Result<Keyring, Error> {
        match &self.keyring {
            Some(opener) => (opener.0)(),
            None => Err(Error::Keyring { operation: "be asked", source: "it is switched off".into() }),
        }
    }

    /// The key of a store that has been used before. Some keyrings are emptied at every restart; a new key opens none of
    /// the old records, and the user should know why they are gone.
    fn remembered_key(&self) -> Result<(EncryptionKey, Option<Error>), Error> {
        let keyring = self.open_keyring()?;
        if let Some(key) = keyring.existing_key()? {
            return Ok((key, None));
        }
        let reason = "the keyring has lost it, and what was kept with it; log in again, store secrets again, or choose another store";
        Ok((keyring.encryption_key()?, Some(Error::Key { what: "encryption key", reason })))
    }
}

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
    private_file::write(&directory.join(CHOICE_FILE), &text)
}

#[cfg(test)]
mod tests;
