use std::fs;
use std::path::{Path, PathBuf};

use super::{SecretName, SecretStore};
use crate::error::Error;
use crate::secret::Secret;
use crate::store::StoreKind;
use crate::store::choice::{KeyringOpener, StoreKeys, StorePreference, open_secrets};
use crate::store::encryption::EncryptionKey;
use crate::store::keyring::tests::working;
use crate::store::protection::Protection;

fn plain(directory: &Path) -> SecretStore {
    SecretStore::in_directory(directory.to_owned(), Protection::Plain)
}

fn secret(text: &str) -> Secret {
    Secret::new(text)
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("secret-"));
    files.sort();
    files
}

#[test]
fn every_protection_keeps_what_it_is_given() {
    let key = EncryptionKey::generate().unwrap();
    let keyring = working();
    for kind in [StoreKind::Memory, StoreKind::File, StoreKind::EncryptedFile, StoreKind::Keyring] {
        let directory = tempfile::tempdir().unwrap();
        let in_directory = |protection| SecretStore::in_directory(directory.path().to_owned(), protection);
        let store = match kind {
            StoreKind::Memory => SecretStore::in_memory(),
            StoreKind::File => in_directory(Protection::Plain),
            StoreKind::EncryptedFile => in_directory(Protection::Sealed(key.clone())),
            _ => in_directory(Protection::Entries(keyring.clone())),
        };
        let (first, second) = (SecretName::shared("github"), SecretName::owned("/p/mcp.json", "github"));
        assert_eq!(store.kind(), kind);
        assert_eq!(store.get(&first).unwrap(), None);
        store.set(&first, &secret("canary-1")).unwrap();
        store.set(&second, &secret("canary-2")).unwrap();
        store.set(&first, &secret("canary-3")).unwrap();
        assert_eq!(store.list().unwrap().0, [first.clone(), second.clone()]);
        assert_eq!(store.get(&first).unwrap(), Some(secret("canary-3")));
        assert_eq!(store.get(&second).unwrap(), Some(secret("canary-2")));
        assert!(!format!("{store:?}").contains("canary"));
        for file in files(directory.path()) {
            assert_eq!(fs::read_to_string(file).unwrap().contains("canary"), kind == StoreKind::File);
        }
        assert!(store.remove(&first).unwrap());
        assert!(!store.remove(&first).unwrap());
        assert_eq!(store.get(&first).unwrap(), None);
        assert_eq!(store.list().unwrap().0, std::slice::from_ref(&second));
        assert!(store.remove(&second).unwrap());
        // Nothing is left outside the files either.
        assert_eq!(keyring.read(&second.id()).unwrap(), None);
    }
}

#[test]
fn an_owners_name_is_nobody_elses() {
    let directory = tempfile::tempdir().unwrap();
    let store = plain(directory.path());
    store.set(&SecretName::owned("/mine", "token"), &secret("x")).unwrap();
    for other in [
        SecretName::shared("token"),
        SecretName::owned("/other", "token"),
        SecretName::owned("", "token"),
        SecretName::owned("/min", "etoken"),
        SecretName::shared("/minetoken"),
    ] {
        assert_eq!(store.get(&other).unwrap(), None, "{other:?}");
    }
}

#[test]
fn what_no_program_can_be_given_is_not_kept() {
    let directory = tempfile::tempdir().unwrap();
    let store = plain(directory.path());
    let name = SecretName::shared("a");
    for refused in ["", "canary\0", &"canary".repeat(SecretStore::LONGEST_SECRET / 6 + 1)] {
        let error = store.set(&name, &secret(refused)).unwrap_err();
        assert!(matches!(error, Error::Unkept { .. }) && !error.to_string().contains("canary"), "{error}");
    }
    for refused in ["", &"a".repeat(1025)] {
        store.set(&SecretName::shared(refused), &secret("x")).unwrap_err();
    }
    assert_eq!(files(directory.path()), [] as [PathBuf; 0]);
    assert!(SecretStore::in_memory().set(&name, &secret("")).is_err());
}

#[test]
fn the_longest_secret_reads_back_however_it_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let key = EncryptionKey::generate().unwrap();
    let store = SecretStore::in_directory(directory.path().to_owned(), Protection::Sealed(key));
    // A control character takes six bytes of JSON.
    let longest = secret(&"\u{1}".repeat(SecretStore::LONGEST_SECRET));
    let name = SecretName::owned("o".repeat(4096), "\u{1}".repeat(1024));
    store.set(&name, &longest).unwrap();
    assert_eq!(store.get(&name).unwrap(), Some(longest));
}

#[test]
fn what_does_not_read_back_is_set_aside_and_harms_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let store = plain(directory.path());
    let (good, bad) = (SecretName::shared("good"), SecretName::shared("bad"));
    store.set(&good, &secret("x")).unwrap();
    store.set(&bad, &secret("y")).unwrap();
    let path = super::path(directory.path(), &bad);
    fs::write(&path, "{\"canary").unwrap();
    let (names, problems) = store.list().unwrap();
    assert_eq!((names, problems.len()), (vec![good], 1));
    assert!(!format!("{problems:?}{}", problems[0]).contains("canary"));
    assert_eq!(store.get(&bad).unwrap(), None);
    assert!(path.with_extension("corrupt").exists());
    store.remove(&bad).unwrap();
    assert!(!path.with_extension("corrupt").exists());
}

#[test]
fn a_secret_copied_to_another_name_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let store = plain(directory.path());
    let (own, other) = (SecretName::owned("/mine", "token"), SecretName::owned("/evil", "token"));
    store.set(&own, &secret("x")).unwrap();
    fs::copy(super::path(directory.path(), &own), super::path(directory.path(), &other)).unwrap();
    store.get(&other).unwrap_err();
    assert_eq!(store.get(&other).unwrap(), None);
    assert_eq!(store.get(&own).unwrap(), Some(secret("x")));
}

#[test]
fn what_another_key_has_sealed_is_reported_and_can_be_replaced_or_removed() {
    let directory = tempfile::tempdir().unwrap();
    let sealed = |key| SecretStore::in_directory(directory.path().to_owned(), Protection::Sealed(key));
    let name = SecretName::shared("github");
    sealed(EncryptionKey::generate().unwrap()).set(&name, &secret("old")).unwrap();
    let store = sealed(EncryptionKey::generate().unwrap());
    assert!(store.get(&name).is_err());
    assert_eq!(store.list().unwrap().1.len(), 1);
    store.set(&name, &secret("new")).unwrap();
    assert_eq!(store.get(&name).unwrap(), Some(secret("new")));
    assert_eq!(files(directory.path()).len(), 2, "the old one is beside it");
    assert!(store.remove(&name).unwrap());
    assert_eq!(files(directory.path()), [] as [PathBuf; 0]);
}

#[test]
fn what_a_killed_writer_left_is_gone_after_the_next_change() {
    let directory = tempfile::tempdir().unwrap();
    let store = plain(directory.path());
    fs::write(directory.path().join(".tmpA1"), "canary").unwrap();
    store.remove(&SecretName::shared("a")).unwrap();
    assert!(!directory.path().join(".tmpA1").exists());
}

#[test]
fn secrets_are_protected_as_logins_are() {
    let directory = tempfile::tempdir().unwrap();
    let keyring = working();
    let keys = StoreKeys { keyring: Some(KeyringOpener::new(move || Ok(keyring.clone()))) };
    let sealed = open_secrets(directory.path(), StorePreference::Auto, &keys).unwrap();
    assert_eq!((sealed.secrets.kind(), sealed.weaker.is_none()), (StoreKind::EncryptedFile, true));
    sealed.secrets.set(&SecretName::shared("a"), &secret("x")).unwrap();
    // Without the keyring it does not turn into files.
    open_secrets(directory.path(), StorePreference::Auto, &StoreKeys::default()).unwrap_err();
    let again = open_secrets(directory.path(), StorePreference::Auto, &keys).unwrap();
    assert_eq!(again.secrets.get(&SecretName::shared("a")).unwrap(), Some(secret("x")));

    let directory = tempfile::tempdir().unwrap();
    let private = open_secrets(directory.path(), StorePreference::Auto, &StoreKeys::default()).unwrap();
    assert_eq!((private.secrets.kind(), private.weaker.is_some()), (StoreKind::File, true));
    let nowhere = directory.path().join("nowhere");
    let memory = open_secrets(&nowhere, StorePreference::Memory, &StoreKeys::default()).unwrap();
    assert_eq!((memory.secrets.kind(), nowhere.exists()), (StoreKind::Memory, false));
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_what_is_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("state/secrets");
    let store = open_secrets(&directory, StorePreference::File, &StoreKeys::default()).unwrap().secrets;
    let name = SecretName::shared("a");
    store.set(&name, &secret("x")).unwrap();
    assert_eq!(mode(&directory), 0o700);
    for entry in fs::read_dir(&directory).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    let path = &files(&directory)[0];
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(store.get(&name).unwrap(), Some(secret("x")));
    assert_eq!(mode(path), 0o600);
    // A link is not followed.
    let elsewhere = directory.join("elsewhere.json");
    fs::rename(path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, path).unwrap();
    store.get(&name).unwrap_err();
}

#[test]
fn programs_that_set_one_secret_together_leave_a_whole_one() {
    let directory = tempfile::tempdir().unwrap();
    let name = SecretName::shared("a");
    let values: Vec<String> = (0..8).map(|number| format!("{number}").repeat(1000)).collect();
    std::thread::scope(|scope| {
        for value in &values {
            scope.spawn(|| plain(directory.path()).set(&name, &secret(value)).unwrap());
        }
    });
    let left = plain(directory.path()).get(&name).unwrap().unwrap();
    assert!(values.iter().any(|value| value == left.expose()));
    assert_eq!(files(directory.path()).len(), 1);
}
