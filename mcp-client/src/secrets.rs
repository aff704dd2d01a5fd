//! The secrets that definitions name, and the answers to their prompts: where `mcp-oauth`'s store meets `mcp-config`'s
//! activation.

mod lookup;
mod wanted;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use mcp_oauth::{ChosenSecrets, Secret, SecretName, SecretStore, StoreKeys, StoreKind, StorePreference, open_secrets};

use crate::error::{Error, chain};
use crate::logins;

pub use self::wanted::Wanted;

/// Why the store cannot be had; every later question fails for the same reason.
type OpenError = Arc<mcp_oauth::Error>;

/// The secrets that definitions name as `${keyring:NAME}`, and the answers to their prompts (`${input:ID}`), as this user
/// keeps them.
///
/// Nothing is opened until something was stored: a keyring may ask its user for a password. The methods block, as long as
/// a keyring takes; asynchronous callers give them a thread.
#[derive(Debug)]
pub struct Secrets {
    directory: Option<PathBuf>,
    preference: StorePreference,
    store: OnceLock<Result<ChosenSecrets, OpenError>>,
}

impl Secrets {
    /// Secrets kept in this folder; in memory when there is none.
    pub(crate) fn new(directory: Option<PathBuf>, preference: StorePreference) -> Self {
        Self { directory, preference, store: OnceLock::new() }
    }

    /// The names of everything that is kept, in order, and what cannot be read.
    ///
    /// # Errors
    ///
    /// [`Error::Secrets`] when the store cannot be opened.
    pub fn list(&self) -> Result<(Vec<SecretName>, Vec<mcp_oauth::Error>), Error> {
        match self.existing()? {
            Some(store) => store.list().map_err(kept),
            None => Ok((Vec::new(), Vec::new())),
        }
    }

    /// Keeps a secret, or the answer to a prompt, in place of an earlier one, and tells where.
    ///
    /// # Errors
    ///
    /// [`Error::Secrets`] when it is not one that can be kept (see [`SecretStore::set`]), or cannot be written.
    pub fn set(&self, name: &SecretName, value: &Secret) -> Result<StoreKind, Error> {
        let store = self.store()?;
        store.set(name, value).map_err(kept)?;
        Ok(store.kind())
    }

    /// Forgets a secret or an answer, and tells whether there was one.
    ///
    /// # Errors
    ///
    /// [`Error::Secrets`] when it may still be there.
    pub fn remove(&self, name: &SecretName) -> Result<bool, Error> {
        match self.existing()? {
            Some(store) => store.remove(name).map_err(kept),
            None => Ok(false),
        }
    }

    /// Where things are kept; `None` while nothing is.
    ///
    /// # Errors
    ///
    /// [`Error::Secrets`] when the store cannot be opened.
    pub fn kind(&self) -> Result<Option<StoreKind>, Error> {
        Ok(self.existing()?.map(SecretStore::kind))
    }

    /// Why things are less protected than they could be, once the store has been opened.
    pub fn notice(&self) -> Option<String> {
        let chosen = self.store.get()?.as_ref().ok()?;
        chosen.weaker.as_ref().map(|error| chain(error))
    }

    /// What is kept under a name.
    fn get(&self, name: &SecretName) -> Result<Option<Secret>, OpenError> {
        match self.existing()? {
            Some(store) => store.get(name).map_err(Arc::new),
            None => Ok(None),
        }
    }

    fn store(&self) -> Result<&SecretStore, OpenError> {
        match self.store.get_or_init(|| self.open().map_err(Arc::new)) {
            Ok(chosen) => Ok(&chosen.secrets),
            Err(error) => Err(Arc::clone(error)),
        }
    }

    /// The store, if there is one.
    fn existing(&self) -> Result<Option<&SecretStore>, OpenError> {
        let is_there =
            self.store.get().is_some() || self.directory.as_ref().is_some_and(|directory| directory.exists());
        if is_there { self.store().map(Some) } else { Ok(None) }
    }

    fn open(&self) -> Result<ChosenSecrets, mcp_oauth::Error> {
        match &self.directory {
            Some(directory) => open_secrets(directory, self.preference, &logins::keys()),
            None => open_secrets("".as_ref(), StorePreference::Memory, &StoreKeys::default()),
        }
    }
}

fn kept(error: mcp_oauth::Error) -> Error {
    Arc::new(error).into()
}
