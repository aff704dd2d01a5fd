//! Logins that the host hands over, for machines without a disk of their own.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::credential::{Credential, Slot};
use crate::error::Error;
use crate::record::{read_credential, write_credential};
use crate::secret::Secret;
use crate::store::memory::MemoryStore;
use crate::store::{Listing, LockPurpose, PendingLogin, StoreKind, StoreLock, TokenStore};

impl Credential {
    /// The whole credential, tokens and client included, as one line of text for an environment variable or a CI
    /// secret. Whoever has the text has the login.
    pub fn export(&self) -> Secret {
        Secret::new(URL_SAFE_NO_PAD.encode(&*write_credential(self)))
    }
}

/// Credentials that were [exported](Credential::export) elsewhere.
///
/// What is renewed here is kept in memory. It suits servers that do not replace refresh tokens, and clients that speak
/// for themselves; where a refresh token is replaced at each use, the exported login ends with the first process that
/// renews it.
#[derive(Debug)]
pub struct EnvironmentStore {
    held: MemoryStore,
}

impl EnvironmentStore {
    /// Reads `(name, value)` pairs. A value that is no credential is a problem that names the variable.
    pub fn new(values: impl IntoIterator<Item = (String, Secret)>) -> (Self, Vec<Error>) {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for (name, value) in values {
            match read(&value) {
                Ok(credential) => found.push(credential),
                Err(reason) => problems.push(Error::Record { place: name, reason }),
            }
        }
        (Self { held: MemoryStore::holding(found) }, problems)
    }
}

fn read(value: &Secret) -> Result<Credential, &'static str> {
    let bytes = URL_SAFE_NO_PAD.decode(value.expose().trim()).map_err(|_source| "it is not base64url")?;
    read_credential(&bytes).map_err(crate::record::Unreadable::reason)
}

impl TokenStore for EnvironmentStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Environment
    }

    fn list(&self) -> Result<Listing, Error> {
        self.held.list()
    }

    fn save(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        self.held.save(lock, credential)
    }

    fn remove(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        self.held.remove(lock, credential)
    }

    fn try_lock(&self, slot: &Slot, purpose: LockPurpose) -> Result<Option<StoreLock>, Error> {
        self.held.try_lock(slot, purpose)
    }

    fn save_pending(&self, pending: &PendingLogin) -> Result<(), Error> {
        self.held.save_pending(pending)
    }

    fn pending(&self, slot: &Slot) -> Result<Option<PendingLogin>, Error> {
        self.held.pending(slot)
    }

    fn forget_pending(&self, slot: &Slot) -> Result<(), Error> {
        self.held.forget_pending(slot)
    }
}
