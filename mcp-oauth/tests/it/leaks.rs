//! Everything that shows anything, searched for what must not be seen.
//!
//! Logs are searched in every test: the subscriber of `support` ends the process at the first secret.

use std::fmt::Write as _;
use std::sync::Arc;

use mcp_oauth::{
    Account, Clock, DirectoryStore, EncryptionKey, LoginRequest, MemoryStore, Session, SessionOptions, Settings, Slot,
    TokenStore, statuses,
};
use mcp_testkit::{Fault, Quirk};

use crate::support::{World, call};

#[tokio::test]
async fn nothing_that_can_be_printed_shows_a_secret() {
    let directory = tempfile::tempdir().unwrap();
    let mut world = World::new([Quirk::ConfidentialPost, Quirk::DemandsProof]).await;
    world.store = Arc::new(DirectoryStore::encrypted(directory.path(), EncryptionKey::generate().unwrap()).unwrap());
    let session = world.session_with(|options| options.settings.proof = mcp_oauth::Proof::Always);
    let mut shown = String::new();
    let login = session.begin_login(&LoginRequest::default()).await.unwrap();
    write!(shown, "{login:?} {:?}", login.prompt()).unwrap();
    login.finish(&world.person()).await.unwrap();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    world.pass(3600);
    world.server.fail_next(Fault::Page(500));
    // The second error quotes everything that was sent.
    world.server.add(Quirk::RefusesRenewal);
    for _ in 0..2 {
        let error = session.access_token().await.unwrap_err();
        write!(shown, "{error:?} {error}").unwrap();
    }
    let held = world.stored();
    write!(shown, "{held:?} {session:?} {:?} {:?}", world.store, session.status().await.unwrap()).unwrap();
    let listed = statuses(&*world.store, world.clock().now()).unwrap();
    write!(shown, "{listed:?} {}", serde_json::to_string(&listed.0).unwrap()).unwrap();
    write!(shown, "{:?}", world.options()).unwrap();
    let report = session.logout(true).await.unwrap();
    write!(shown, "{report:?}").unwrap();
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn what_is_shared_between_threads_can_be() {
    fn check<T: Send + Sync>() {}
    check::<Session>();
    check::<SessionOptions>();
    check::<Settings>();
    check::<MemoryStore>();
    check::<DirectoryStore>();
    check::<Clock>();
    check::<Box<dyn TokenStore>>();
    check::<mcp_oauth::Error>();
    assert_ne!(Slot::new(mcp_oauth::Resource::published("a"), Account::default()).id(), "");
}
