//! The operating system's keyring, kept at arm's length: it may block for as long as a person lets a dialog stand.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::random::random_text;
use crate::secret::Secret;
use crate::store::encryption::EncryptionKey;

#[cfg(feature = "keyring")]
mod system;

/// The entry that holds the key of the encrypted files.
const KEY_ENTRY: &str = "store-key-v1";

/// The entry that a probe writes, reads and deletes.
const PROBE_ENTRY: &str = "probe";

/// What went wrong where a keyring does not do what it says.
const FORGOTTEN: &str = "it does not hold what it said it had written";

/// What a keyring says went wrong.
pub(crate) type KeyringFailure = Box<dyn std::error::Error + Send + Sync>;

/// Named secrets in a keyring. The methods block.
pub(crate) trait KeyringEntries: fmt::Debug + Send + Sync {
    /// The secret called `name`, `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the keyring does not say.
    fn read(&self, name: &str) -> Result<Option<Secret>, KeyringFailure>;

    /// Writes the secret called `name`, in place of an earlier one.
    ///
    /// # Errors
    ///
    /// When it was not written, as when it is longer than the keyring allows.
    fn write(&self, name: &str, secret: &Secret) -> Result<(), KeyringFailure>;

    /// Deletes the secret called `name`; one that is not there is deleted.
    ///
    /// # Errors
    ///
    /// When it may still be there.
    fn delete(&self, name: &str) -> Result<(), KeyringFailure>;
}

/// A keyring whose every operation has its own thread and a deadline.
///
/// After the first deadline that passes nothing else is asked: what blocked once is a dialog that nobody sees, and each
/// further question would block as long. The thread is not waited for at the end of the process.
#[derive(Debug, Clone)]
pub struct Keyring {
    entries: Arc<dyn KeyringEntries>,
    deadline: Duration,
    silent: Arc<AtomicBool>,
}

impl Keyring {
    /// The time an operation has where nobody can answer a dialog.
    pub const UNATTENDED: Duration = Duration::from_secs(5);

    /// A keyring over `entries`, each operation of which ends within `deadline`.
    #[cfg(any(feature = "keyring", test))]
    pub(crate) fn new(entries: Arc<dyn KeyringEntries>, deadline: Duration) -> Self {
        Self { entries, deadline, silent: Arc::new(AtomicBool::new(false)) }
    }

    /// The keyring of this system for entries of `service`: the Secret Service on Linux and BSD, the keychain on macOS,
    /// the Credential Manager on Windows.
    ///
    /// # Errors
    ///
    /// [`Error::Keyring`] when there is none, as in a container or over SSH without a session bus.
    #[cfg(feature = "keyring")]
    pub fn system(service: &str, deadline: Duration) -> Result<Self, Error> {
        let service = service.to_owned();
        let opened = within(deadline, "be opened", move || system::open(&service))?;
        Ok(Self::new(opened, deadline))
    }

    /// Whether secrets can be kept here: writes one, reads it back and deletes it. A keyring that can be opened and read
    /// may still refuse every write.
    ///
    /// # Errors
    ///
    /// [`Error::Keyring`] with the step that failed.
    pub fn probe(&self) -> Result<(), Error> {
        let written = random_text()?;
        self.write(PROBE_ENTRY, &written)?;
        let read = self.read(PROBE_ENTRY)?;
        self.delete(PROBE_ENTRY)?;
        if read.as_ref() == Some(&written) {
            return Ok(());
        }
        Err(Error::Keyring { operation: "read back what was written", source: FORGOTTEN.into() })
    }

    /// The key for encrypted files, made at the first call and kept in the keyring.
    ///
    /// # Errors
    ///
    /// [`Error::Keyring`], or [`Error::Key`] when the entry holds something else.
    pub fn encryption_key(&self) -> Result<EncryptionKey, Error> {
        if let Some(found) = self.existing_key()? {
            return Ok(found);
        }
        let made = EncryptionKey::generate()?;
        self.write(KEY_ENTRY, &made.to_text())?;
        // Another process may have made one at the same time; the one that reads back is the one that counts.
        let kept = self.read(KEY_ENTRY)?;
        kept.map_or_else(
            || Err(Error::Keyring { operation: "read back what was written", source: FORGOTTEN.into() }),
            |kept| EncryptionKey::from_text(&kept),
        )
    }

    /// The key for encrypted files, if there is one.
    pub(crate) fn existing_key(&self) -> Result<Option<EncryptionKey>, Error> {
        self.read(KEY_ENTRY)?.map(|found| EncryptionKey::from_text(&found)).transpose()
    }

    pub(crate) fn read(&self, name: &str) -> Result<Option<Secret>, Error> {
        let (entries, name) = (Arc::clone(&self.entries), name.to_owned());
        self.ask("be read", move || entries.read(&name))
    }

    pub(crate) fn write(&self, name: &str, secret: &Secret) -> Result<(), Error> {
        let (entries, name, secret) = (Arc::clone(&self.entries), name.to_owned(), secret.clone());
        self.ask("be written", move || entries.write(&name, &secret))
    }

    pub(crate) fn delete(&self, name: &str) -> Result<(), Error> {
        let (entries, name) = (Arc::clone(&self.entries), name.to_owned());
        self.ask("be written", move || entries.delete(&name))
    }

    fn ask<T: Send + 'static>(
        &self,
        operation: &'static str,
        question: impl FnOnce() -> Result<T, KeyringFailure> + Send + 'static,
    ) -> Result<T, Error> {
        if self.silent.load(Ordering::Relaxed) {
            return Err(Error::Keyring { operation, source: "it did not answer before and is not asked again".into() });
        }
        let answer = within(self.deadline, operation, question);
        if matches!(&answer, Err(Error::TimedOut { .. })) {
            self.silent.store(true, Ordering::Relaxed);
        }
        answer
    }
}

/// Runs `question` on a thread of its own and waits for it no longer than `deadline`.
fn within<T: Send + 'static>(
    deadline: Duration,
    operation: &'static str,
    question: impl FnOnce() -> Result<T, KeyringFailure> + Send + 'static,
) -> Result<T, Error> {
    let failed = |source: KeyringFailure| Error::Keyring { operation, source };
    let (sender, receiver) = channel();
    let asking = thread::Builder::new().name("keyring".to_owned()).spawn(move || {
        // Nobody waits any more when the deadline has passed.
        drop(sender.send(question()));
    });
    drop(asking.map_err(|source| failed(Box::new(source)))?);
    match receiver.recv_timeout(deadline) {
        Ok(answer) => answer.map_err(failed),
        Err(RecvTimeoutError::Timeout) => Err(Error::TimedOut { what: "the keyring", after: deadline }),
        Err(RecvTimeoutError::Disconnected) => Err(failed("its thread ended without an answer".into())),
    }
}

#[cfg(test)]
pub(crate) mod tests;
