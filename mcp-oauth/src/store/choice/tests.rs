use super::{KeyringOpener, StoreKeys, StorePreference, open_store};
use crate::client::{Client, ClientOrigin};
use crate::credential::{Account, Credential, Slot};
use crate::error::Error;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::store::keyring::tests::{without_collection, working};
use crate::store::{LockPurpose, StoreKind};

fn keys(open: impl Fn() -> Result<crate::store::keyring::Keyring, Error> + Send + Sync + 'static) -> StoreKeys {
    StoreKeys { keyring: Some(KeyringOpener::new(open)) }
}

fn locked() -> StoreKeys {
    keys(|| Err(Error::Keyring { operation: "be opened", source: "locked".into() }))
}

#[test]
fn auto_encrypts_where_the_keyring_works_and_says_so_where_it_does_not() {
    let directory = tempfile::tempdir().unwrap();
    let chosen = open_store(directory.path(), StorePreference::Auto, &keys(|| Ok(working()))).unwrap();
    assert_eq!((chosen.store.kind(), chosen.weaker.is_none()), (StoreKind::EncryptedFile, true));

    let directory = tempfile::tempdir().unwrap();
    let chosen = open_store(directory.path(), StorePreference::Auto, &keys(|| Ok(without_collection()))).unwrap();
    assert_eq!((chosen.store.kind(), chosen.weaker.is_some()), (StoreKind::File, true));
}

#[test]
fn auto_stays_with_what_it_chose() {
    let directory = tempfile::tempdir().unwrap();
    open_store(directory.path(), StorePreference::Auto, &keys(|| Ok(working()))).unwrap();
    let error = open_store(directory.path(), StorePreference::Auto, &locked()).unwrap_err();
    assert!(error.is_store(), "{error}");

    let directory = tempfile::tempdir().unwrap();
    open_store(directory.path(), StorePreference::Auto, &locked()).unwrap();
    let chosen = open_store(directory.path(), StorePreference::Auto, &keys(|| Ok(working()))).unwrap();
    assert_eq!((chosen.store.kind(), chosen.weaker.is_none()), (StoreKind::File, true));
}

#[test]
fn bug_12_a_keyring_that_was_emptied_says_why_logins_are_gone() {
    let directory = tempfile::tempdir().unwrap();
    open_store(directory.path(), StorePreference::Auto, &keys(|| Ok(working()))).unwrap();
    // The next start finds another, empty keyring.
    let emptied = working();
    let reopened = keys(move || Ok(emptied.clone()));
    let chosen = open_store(directory.path(), StorePreference::Auto, &reopened).unwrap();
    let told = chosen.weaker.unwrap().to_string();
    assert!(told.contains("the keyring has lost it"), "{told}");
    assert!(open_store(directory.path(), StorePreference::Auto, &reopened).unwrap().weaker.is_none());
}

#[test]
fn programs_that_start_together_share_one_key() {
    let directory = tempfile::tempdir().unwrap();
    let keyring = working();
    let opened: Vec<_> = std::thread::scope(|scope| {
        let open = || {
            let keyring = keyring.clone();
            open_store(directory.path(), StorePreference::Auto, &keys(move || Ok(keyring.clone()))).unwrap().store
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (number, store) in opened.iter().enumerate() {
        let slot = Slot::new(Resource::published(format!("https://h/{number}")), Account::default());
        let server = AuthorizationServer::parse(br#"{"issuer":"https://as"}"#).unwrap();
        let credential = Credential::new(slot.clone(), server, Client::public("c", ClientOrigin::Registered), None);
        let lock = store.try_lock(&slot, LockPurpose::Change).unwrap().unwrap();
        store.save(&lock, &credential).unwrap();
    }
    for store in &opened {
        let (found, problems) = store.list().unwrap();
        assert_eq!((found.len(), problems.len()), (8, 0));
    }
}

#[test]
fn bug_15_what_was_said_and_cannot_be_had_fails() {
    let directory = tempfile::tempdir().unwrap();
    for preference in [StorePreference::Keyring, StorePreference::EncryptedFile] {
        let error = open_store(directory.path(), preference, &StoreKeys::default()).unwrap_err();
        assert!(error.to_string().contains("choose another store"), "{error}");
    }
    let memory = open_store(directory.path(), StorePreference::Memory, &StoreKeys::default()).unwrap();
    assert_eq!(memory.store.kind(), StoreKind::Memory);
}
