//! The keyrings of the operating systems, through `keyring-core`.

use std::fmt;
use std::sync::Arc;

use keyring_core::{CredentialStore, Entry};

use crate::secret::Secret;
use crate::store::keyring::{KeyringEntries, KeyringFailure};

/// The keyring of the system.
pub(super) fn open(service: &str) -> Result<Arc<dyn KeyringEntries>, KeyringFailure> {
    Ok(Arc::new(SystemEntries { service: service.to_owned(), store: system_store().map_err(Refusal::from)? }))
}

#[cfg(target_os = "macos")]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(not(any(target_os = "macos", windows)))]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

struct SystemEntries {
    service: String,
    /// Named at every entry: the process-wide default store belongs to the host.
    store: Arc<CredentialStore>,
}

impl SystemEntries {
    #[cfg(not(windows))]
    fn entry(&self, name: &str) -> Result<Entry, Refusal> {
        Ok(Entry::new_in_store(&self.store, &self.service, name)?)
    }

    /// Windows would otherwise carry the entry to every machine of the domain.
    #[cfg(windows)]
    fn entry(&self, name: &str) -> Result<Entry, Refusal> {
        let local = std::collections::HashMap::from([("persistence", "Local")]);
        Ok(Entry::new_in_store_with_modifiers(&self.store, &self.service, name, &local)?)
    }
}

impl KeyringEntries for SystemEntries {
    fn read(&self, name: &str) -> Result<Option<Secret>, KeyringFailure> {
        match self.entry(name)?.get_secret() {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_source| Refusal("the entry is not text".to_owned()))?;
                Ok(Some(Secret::new(text)))
            }
            Err(keyring_core::Error::NoEntry) => Ok(None),
            Err(error) => Err(Box::new(Refusal::from(error))),
        }
    }

    /// As bytes, not as a password: Windows stores a password in twice as many, and its limit is 2,560.
    fn write(&self, name: &str, secret: &Secret) -> Result<(), KeyringFailure> {
        Ok(self.entry(name)?.set_secret(secret.expose().as_bytes()).map_err(Refusal::from)?)
    }

    fn delete(&self, name: &str) -> Result<(), KeyringFailure> {
        match self.entry(name)?.delete_credential() {
            Ok(()) | Err(keyring_core::Error::NoEntry) => Ok(()),
            Err(error) => Err(Box::new(Refusal::from(error))),
        }
    }
}

impl fmt::Debug for SystemEntries {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SystemEntries").field("service", &self.service).finish_non_exhaustive()
    }
}

/// What the keyring said, in words only: its own error may carry the bytes of an entry.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refusal(String);

impl From<keyring_core::Error> for Refusal {
    fn from(error: keyring_core::Error) -> Self {
        Self(match error {
            keyring_core::Error::TooLong(_, limit) => {
                format!("an entry may be {limit} bytes long and a login is longer; keep logins in encrypted files")
            }
            error => error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests;
