use std::fs;
use std::path::{Path, PathBuf};

use super::DirectoryStore;
use crate::authorization::Authorization;
use crate::client::{Client, ClientOrigin};
use crate::credential::{Account, Credential, Slot};
use crate::error::Error;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::store::encryption::EncryptionKey;
use crate::store::keyring::tests::working;
use crate::store::{LockPurpose, PendingLogin, StoreLock, TokenStore};

fn slot(server: &str) -> Slot {
    Slot::new(Resource::published(server), Account::default())
}

fn credential(server: &str, issuer: &str) -> Credential {
    let server_metadata = AuthorizationServer::parse(format!(r#"{{"issuer":"{issuer}"}}"#).as_bytes()).unwrap();
    let mut client = Client::public("c", ClientOrigin::Registered);
    client.secret = Some(Secret::new("canary-secret"));
    Credential::new(slot(server), server_metadata, client, None)
}

fn change(store: &dyn TokenStore, slot: &Slot) -> StoreLock {
    store.try_lock(slot, LockPurpose::Change).unwrap().unwrap()
}

fn save(store: &dyn TokenStore, credential: &Credential) {
    store.save(&change(store, &credential.slot), credential).unwrap();
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(directory.join("credentials")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_protection_keeps_what_it_is_given() {
    for index in 0..3 {
        let directory = tempfile::tempdir().unwrap();
        let keyring = working();
        let key = EncryptionKey::generate().unwrap();
        let open = || match index {
            0 => DirectoryStore::plain(directory.path()).unwrap(),
            1 => DirectoryStore::encrypted(directory.path(), key.clone()).unwrap(),
            _ => DirectoryStore::in_keyring(directory.path(), keyring.clone()).unwrap(),
        };
        let (first, second) = (credential("https://a", "https://as1"), credential("https://a", "https://as2"));
        save(&open(), &second);
        save(&open(), &first);
        let store = open();
        assert_eq!(store.list().unwrap().0, [first.clone(), second.clone()]);
        assert_eq!(store.find(&slot("https://a")).unwrap().0.len(), 2);
        assert_eq!(store.find(&slot("https://a/b")).unwrap().0, []);
        let written = fs::read_to_string(&files(directory.path())[0]).unwrap();
        assert_eq!(written.contains("canary"), index == 0, "{written}");
        store.remove(&change(&store, &first.slot), &first).unwrap();
        store.remove(&change(&store, &first.slot), &first).unwrap();
        assert_eq!(store.list().unwrap().0, [second]);
    }
}

#[test]
fn a_lock_keeps_others_out_until_it_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let (one, other) =
        (DirectoryStore::plain(directory.path()).unwrap(), DirectoryStore::plain(directory.path()).unwrap());
    let lock = change(&one, &slot("https://a"));
    assert!(other.try_lock(&slot("https://a"), LockPurpose::Change).unwrap().is_none());
    assert!(other.try_lock(&slot("https://a"), LockPurpose::Login).unwrap().is_some());
    assert!(other.try_lock(&slot("https://b"), LockPurpose::Change).unwrap().is_some());
    assert!(matches!(one.save(&lock, &credential("https://b", "https://as")), Err(Error::Conflict { .. })));
    drop(lock);
    assert!(other.try_lock(&slot("https://a"), LockPurpose::Change).unwrap().is_some());
}

#[test]
fn a_corrupt_record_is_set_aside_and_its_neighbours_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let store = DirectoryStore::plain(directory.path()).unwrap();
    let (good, bad) = (credential("https://a", "https://as"), credential("https://b", "https://as"));
    save(&store, &good);
    save(&store, &bad);
    let path = directory.path().join("credentials").join(format!("{}.json", bad.id()));
    fs::write(&path, "{\"canary").unwrap();
    let (found, problems) = store.list().unwrap();
    assert_eq!(found, [good]);
    let [Error::Record { place, .. }] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(fs::read_to_string(place).unwrap(), "{\"canary");
    assert!(!format!("{problems:?}{}", problems[0]).contains("canary"));
    assert_eq!(store.list().unwrap().1.len(), 0);
}

#[test]
fn a_record_copied_to_another_server_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let store = DirectoryStore::plain(directory.path()).unwrap();
    let (own, other) = (credential("https://a", "https://as"), credential("https://evil", "https://as"));
    save(&store, &own);
    let at = |id: String| directory.path().join("credentials").join(format!("{id}.json"));
    fs::copy(at(own.id()), at(other.id())).unwrap();
    let (found, problems) = store.find(&other.slot).unwrap();
    assert_eq!((found.len(), problems.len()), (0, 1));
}

#[test]
fn what_another_key_has_sealed_is_reported_and_not_lost() {
    let directory = tempfile::tempdir().unwrap();
    let sealed = credential("https://a", "https://as");
    save(&DirectoryStore::encrypted(directory.path(), EncryptionKey::generate().unwrap()).unwrap(), &sealed);
    let bytes = fs::read(&files(directory.path())[0]).unwrap();
    for store in [
        DirectoryStore::plain(directory.path()).unwrap(),
        DirectoryStore::encrypted(directory.path(), EncryptionKey::generate().unwrap()).unwrap(),
    ] {
        let (found, problems) = store.list().unwrap();
        assert_eq!((found.len(), problems.len()), (0, 1));
        assert_eq!(fs::read(&files(directory.path())[0]).unwrap(), bytes);
    }
    // Writing the same record with another key keeps the old bytes beside it.
    save(&DirectoryStore::plain(directory.path()).unwrap(), &sealed);
    let files = files(directory.path());
    let [aside, _] = &files[..] else { panic!("{files:?}") };
    assert_eq!(fs::read(aside).unwrap(), bytes);
}

#[test]
fn a_record_of_a_later_version_stays_where_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let store = DirectoryStore::plain(directory.path()).unwrap();
    let held = credential("https://a", "https://as");
    save(&store, &held);
    let path = &files(directory.path())[0];
    fs::write(path, r#"{"version":99}"#).unwrap();
    assert_eq!(store.list().unwrap().1.len(), 1);
    assert!(path.exists());
}

#[test]
fn a_pending_login_is_kept_per_slot() {
    let directory = tempfile::tempdir().unwrap();
    let store = DirectoryStore::encrypted(directory.path(), EncryptionKey::generate().unwrap()).unwrap();
    let held = credential("https://a", "https://as");
    let authorization = Authorization {
        server: held.server.clone(),
        client: held.client.clone(),
        redirect_uri: "http://127.0.0.1:1/callback".to_owned(),
        scopes: Scopes::parse("a"),
        resource: None,
        state: Secret::new("s"),
        verifier: Secret::new("v"),
    };
    let pending =
        PendingLogin { slot: held.slot.clone(), authorization, proof_key: Some(Secret::new("p")), challenge: None };
    store.save_pending(&pending).unwrap();
    let read = store.pending(&held.slot).unwrap().unwrap();
    assert_eq!((read.authorization, read.proof_key), (pending.authorization, pending.proof_key));
    assert!(store.pending(&slot("https://b")).unwrap().is_none());
    store.forget_pending(&held.slot).unwrap();
    assert!(store.pending(&held.slot).unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_what_is_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("state/oauth");
    let store = DirectoryStore::plain(&directory).unwrap();
    let held = credential("https://a", "https://as");
    save(&store, &held);
    assert_eq!((mode(&directory), mode(&directory.join("credentials"))), (0o700, 0o700));
    let path = &files(&directory)[0];
    assert_eq!(mode(path), 0o600);
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(store.list().unwrap().0, [held]);
    assert_eq!(mode(path), 0o600);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_record_is_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let store = DirectoryStore::plain(directory.path()).unwrap();
    let held = credential("https://a", "https://as");
    save(&store, &held);
    let path = files(directory.path())[0].clone();
    let elsewhere = directory.path().join("elsewhere.json");
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    let (found, problems) = store.list().unwrap();
    assert_eq!((found.len(), problems.len()), (0, 1));
}
