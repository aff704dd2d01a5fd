//! A store that ends with the process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::credential::{Credential, Slot};
use crate::error::Error;
use crate::store::{Listing, LockPurpose, PendingLogin, StoreKind, StoreLock, TokenStore, sort};

type Held = Arc<Mutex<BTreeSet<(Slot, LockPurpose)>>>;

/// Keeps credentials in memory: for tests, and for hosts that do not want logins to outlive them.
#[derive(Debug, Default)]
pub struct MemoryStore {
    credentials: Mutex<BTreeMap<String, Credential>>,
    pending: Mutex<BTreeMap<Slot, PendingLogin>>,
    held: Held,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl TokenStore for MemoryStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Memory
    }

    fn list(&self) -> Result<Listing, Error> {
        let mut found: Vec<_> = guard(&self.credentials).values().cloned().collect();
        sort(&mut found);
        Ok((found, Vec::new()))
    }

    fn save(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        lock.covers(credential)?;
        guard(&self.credentials).insert(credential.id(), credential.clone());
        Ok(())
    }

    fn remove(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        lock.covers(credential)?;
        guard(&self.credentials).remove(&credential.id());
        Ok(())
    }

    fn try_lock(&self, slot: &Slot, purpose: LockPurpose) -> Result<Option<StoreLock>, Error> {
        let entry = (slot.clone(), purpose);
        let free = guard(&self.held).insert(entry.clone());
        let release = || Release { held: Arc::clone(&self.held), entry };
        Ok(free.then(|| StoreLock::new(slot.clone(), release())))
    }

    fn save_pending(&self, pending: &PendingLogin) -> Result<(), Error> {
        guard(&self.pending).insert(pending.slot.clone(), pending.clone());
        Ok(())
    }

    fn pending(&self, slot: &Slot) -> Result<Option<PendingLogin>, Error> {
        Ok(guard(&self.pending).get(slot).cloned())
    }

    fn forget_pending(&self, slot: &Slot) -> Result<(), Error> {
        guard(&self.pending).remove(slot);
        Ok(())
    }
}

/// Gives a lock back.
struct Release {
    held: Held,
    entry: (Slot, LockPurpose),
}

impl Drop for Release {
    fn drop(&mut self) {
        guard(&self.held).remove(&self.entry);
    }
}

/// A map is whole after every statement that changes it, also when a thread has died holding it.
pub(super) fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
