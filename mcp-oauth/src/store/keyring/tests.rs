use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Keyring, KeyringEntries, KeyringFailure};
use crate::error::Error;
use crate::secret::Secret;

/// A keyring in memory, with the faults of real ones.
#[derive(Debug, Default)]
pub(crate) struct FakeEntries {
    held: Mutex<BTreeMap<String, Secret>>,
    fault: Option<Fault>,
}

#[derive(Debug)]
enum Fault {
    /// Opens and reads, refuses writes: a Secret Service without a collection.
    NoCollection,
    /// Takes writes and forgets them: a default collection that is the volatile session.
    Forgets,
    /// A dialog that nobody sees: the call ends when the sender is dropped.
    Dialog(Mutex<Receiver<()>>),
}

impl FakeEntries {
    fn with(fault: Fault) -> Keyring {
        Keyring::new(Arc::new(Self { fault: Some(fault), ..Self::default() }), Duration::from_millis(50))
    }
}

impl KeyringEntries for FakeEntries {
    fn read(&self, name: &str) -> Result<Option<Secret>, KeyringFailure> {
        if let Some(Fault::Dialog(answer)) = &self.fault {
            assert!(answer.lock().unwrap().recv().is_err());
        }
        Ok(self.held.lock().unwrap().get(name).cloned())
    }

    fn write(&self, name: &str, secret: &Secret) -> Result<(), KeyringFailure> {
        match &self.fault {
            Some(Fault::NoCollection) => Err("no result".into()),
            Some(Fault::Forgets) => Ok(()),
            Some(Fault::Dialog(answer)) => {
                assert!(answer.lock().unwrap().recv().is_err());
                Ok(())
            }
            None => {
                self.held.lock().unwrap().insert(name.to_owned(), secret.clone());
                Ok(())
            }
        }
    }

    fn delete(&self, name: &str) -> Result<(), KeyringFailure> {
        self.held.lock().unwrap().remove(name);
        Ok(())
    }
}

pub(crate) fn working() -> Keyring {
    Keyring::new(Arc::new(FakeEntries::default()), Duration::from_secs(5))
}

pub(crate) fn without_collection() -> Keyring {
    FakeEntries::with(Fault::NoCollection)
}

#[test]
fn a_working_keyring_keeps_one_key() {
    let keyring = working();
    keyring.probe().unwrap();
    assert_eq!(keyring.read("probe").unwrap(), None);
    let first = keyring.encryption_key().unwrap();
    assert_eq!(first.to_text(), keyring.encryption_key().unwrap().to_text());
}

#[test]
fn a_keyring_that_only_reads_does_not_pass_the_probe() {
    assert!(matches!(without_collection().probe(), Err(Error::Keyring { operation: "be written", .. })));
}

#[test]
fn bug_12_and_14_a_keyring_that_forgets_does_not_pass_the_probe() {
    let keyring = FakeEntries::with(Fault::Forgets);
    assert!(matches!(keyring.probe(), Err(Error::Keyring { operation: "read back what was written", .. })));
    assert!(keyring.encryption_key().is_err());
}

#[test]
fn bug_11_a_dialog_nobody_sees_is_waited_for_once() {
    let (dialog, answer) = channel();
    let keyring = FakeEntries::with(Fault::Dialog(Mutex::new(answer)));
    assert!(matches!(keyring.read("a"), Err(Error::TimedOut { .. })));
    // The second question ends at once, although the dialog still stands.
    assert!(matches!(keyring.read("a"), Err(Error::Keyring { .. })));
    drop(dialog);
}

#[test]
fn an_entry_that_is_no_key_is_not_replaced() {
    let keyring = working();
    keyring.write("store-key-v1", &Secret::new("canary")).unwrap();
    let error = keyring.encryption_key().unwrap_err();
    assert!(matches!(error, Error::Key { .. }) && !format!("{error:?}{error}").contains("canary"));
    assert_eq!(keyring.read("store-key-v1").unwrap().unwrap().expose(), "canary");
}
