use std::sync::Arc;

use keyring_core::mock::{Cred, Store};
use keyring_core::{CredentialStore, Entry, Error};

use super::{Refusal, SystemEntries};
use crate::secret::Secret;
use crate::store::keyring::KeyringEntries as _;

fn entries() -> (SystemEntries, Arc<CredentialStore>) {
    let store: Arc<CredentialStore> = Store::new().unwrap();
    (SystemEntries { service: "test".to_owned(), store: Arc::clone(&store) }, store)
}

/// Makes the next operation on an entry fail.
fn fail_next(entry: &Entry, error: Error) {
    entry.as_any().downcast_ref::<Cred>().unwrap().set_error(error);
}

#[test]
fn entries_are_kept() {
    let (entries, _store) = entries();
    assert_eq!(entries.read("a").unwrap(), None);
    entries.write("a", &Secret::new("1")).unwrap();
    entries.write("a", &Secret::new("2")).unwrap();
    assert_eq!(entries.read("a").unwrap().unwrap().expose(), "2");
    entries.delete("a").unwrap();
    entries.delete("a").unwrap();
    assert_eq!(entries.read("a").unwrap(), None);
}

#[test]
fn a_failure_shows_no_bytes_of_the_entry() {
    let (entries, store) = entries();
    entries.write("a", &Secret::new("x")).unwrap();
    let entry = Entry::new_in_store(&store, "test", "a").unwrap();
    fail_next(&entry, Error::BadEncoding(b"canary".to_vec()));
    let failure = entries.read("a").unwrap_err();
    let shown = format!("{failure:?} {failure}");
    assert!(!shown.contains("canary") && !shown.contains("99, 97, 110"), "{shown}");
}

#[test]
fn bug_13_a_login_that_is_too_long_for_the_keyring_says_where_it_fits() {
    let refusal = Refusal::from(Error::TooLong("secret".to_owned(), 2560));
    let expected = "an entry may be 2560 bytes long and a login is longer; keep logins in encrypted files";
    assert_eq!(refusal.to_string(), expected);
}
