//! Where logins and named secrets are kept.

use std::any::Any;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::authorization::Authorization;
use crate::challenge::Challenge;
use crate::credential::{Credential, Slot};
use crate::error::Error;
use crate::secret::Secret;

pub(crate) mod choice;
pub(crate) mod directory;
pub(crate) mod encryption;
pub(crate) mod keyring;
pub(crate) mod memory;
pub(crate) mod private_file;
pub(crate) mod protection;
pub(crate) mod secrets;

/// What kind of store it is, as a status shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StoreKind {
    /// In the operating system's keyring, one entry per credential.
    Keyring,
    /// In encrypted files; the key is in the keyring or was given by the host.
    EncryptedFile,
    /// In files that only their owner can read.
    File,
    /// In this process, and gone with it.
    Memory,
}

impl fmt::Display for StoreKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Keyring => "keyring",
            Self::EncryptedFile => "encrypted-file",
            Self::File => "file",
            Self::Memory => "memory",
        })
    }
}

/// What is kept from others while a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LockPurpose {
    /// Changing the slot's credentials. Held for a few seconds at most.
    Change,
    /// Waiting for a person to log in. Held for minutes; tokens can be renewed meanwhile.
    Login,
}

/// The right to change one slot; dropping it gives the right back, and so does the end of the process.
pub struct StoreLock {
    slot: Slot,
    /// Whatever keeps the others out, until it is dropped.
    _guard: Box<dyn Any + Send>,
}

impl StoreLock {
    /// A lock that lasts as long as `guard`.
    pub fn new(slot: Slot, guard: impl Any + Send) -> Self {
        Self { slot, _guard: Box::new(guard) }
    }

    /// Checks that this is the lock for `credential`.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] for a credential of another slot.
    pub fn covers(&self, credential: &Credential) -> Result<(), Error> {
        if self.slot == credential.slot {
            return Ok(());
        }
        Err(Error::Conflict { server: credential.slot.server.clone() })
    }
}

impl fmt::Debug for StoreLock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StoreLock").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// A login that waits for its redirect, kept so that a second process can finish it.
#[derive(Debug, Clone)]
pub struct PendingLogin {
    pub(crate) slot: Slot,
    pub(crate) authorization: Authorization,
    pub(crate) proof_key: Option<Secret>,
    /// What the server asked for.
    pub(crate) challenge: Option<Challenge>,
}

/// What a store holds, and what it cannot read.
pub type Listing = (Vec<Credential>, Vec<Error>);

/// Keeps credentials.
///
/// The methods block, some on a person who has to unlock a keyring; asynchronous callers give them a thread. An
/// implementation
///
/// 1. writes a credential completely or not at all;
/// 2. reports what it cannot read, sets it aside before anything is written in its place, and goes on with the rest;
/// 3. lists in the order of slot, then issuer;
/// 4. lets at most one [`StoreLock`] per slot and purpose exist, across all processes that share the store.
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// What kind of store it is.
    fn kind(&self) -> StoreKind;

    /// Every credential.
    ///
    /// # Errors
    ///
    /// Only when nothing at all can be read; a single unreadable credential is in the listing's second half.
    fn list(&self) -> Result<Listing, Error>;

    /// The credentials of one slot.
    ///
    /// # Errors
    ///
    /// As for [`list`](Self::list).
    fn find(&self, slot: &Slot) -> Result<Listing, Error> {
        let (mut found, problems) = self.list()?;
        found.retain(|credential| credential.slot == *slot);
        Ok((found, problems))
    }

    /// Writes a credential in place of the one with the same slot and issuer.
    ///
    /// # Errors
    ///
    /// When it is not certain that a later reader sees it.
    fn save(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error>;

    /// Removes a credential, whatever it has become since it was read.
    ///
    /// # Errors
    ///
    /// When a later reader may still see it.
    fn remove(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error>;

    /// Takes the lock of `slot`, or returns `None` at once when somebody has it.
    ///
    /// # Errors
    ///
    /// When locks cannot be had at all.
    fn try_lock(&self, slot: &Slot, purpose: LockPurpose) -> Result<Option<StoreLock>, Error>;

    /// Keeps a login that waits for its redirect, in place of an earlier one of the same slot.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn save_pending(&self, pending: &PendingLogin) -> Result<(), Error>;

    /// The login of `slot` that waits for its redirect.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn pending(&self, slot: &Slot) -> Result<Option<PendingLogin>, Error>;

    /// Forgets the login of `slot` that waits for its redirect.
    ///
    /// # Errors
    ///
    /// When it may still be read.
    fn forget_pending(&self, slot: &Slot) -> Result<(), Error>;
}

/// Brings credentials into the order in which stores list them.
pub(crate) fn sort(credentials: &mut [Credential]) {
    credentials.sort_by(|left, right| (&left.slot, &left.server.issuer).cmp(&(&right.slot, &right.server.issuer)));
}
