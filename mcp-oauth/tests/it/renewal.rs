//! Staying logged in.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mcp_oauth::{
    Credential, DirectoryStore, Error, Listing, LockPurpose, LoginReason, LoginRequest, LoginState, MemoryStore,
    PendingLogin, Session, Slot, StoreKind, StoreLock, TokenStore,
};
use mcp_testkit::{Fault, Quirk};
use tokio::sync::Notify;

use crate::support::{World, call, clean, failure, text};

const HOUR: u64 = 3600;

#[tokio::test]
async fn an_expired_token_is_renewed_before_it_is_sent() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let first = session.access_token().await.unwrap();
    world.pass(HOUR - 61);
    assert_eq!(text(&session.access_token().await.unwrap()), text(&first));
    world.pass(2);
    assert_ne!(text(&session.access_token().await.unwrap()), text(&first));
    let [refresh] = &world.server.token_requests("refresh_token")[..] else { panic!() };
    assert_eq!(refresh["resource"], world.server.server_url());
    assert!(!refresh.contains_key("scope"), "{refresh:?}");
}

#[tokio::test]
async fn bug_25_a_token_that_is_refused_in_the_middle_is_renewed_and_the_request_sent_again() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.server.expire_access_tokens();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(world.server.token_requests("refresh_token").len(), 1);
}

#[tokio::test]
async fn bug_1_many_requests_of_one_process_renew_once() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    world.server.expire_access_tokens();
    let url = world.url();
    let calls = (0..8).map(|_| call(&session, &url));
    for result in futures_util::future::join_all(calls).await {
        assert_eq!(result.unwrap(), 200);
    }
    assert_eq!(world.server.token_requests("refresh_token").len(), 1);
}

#[tokio::test]
async fn bug_1_and_2_eight_hosts_with_one_expired_token_renew_once_per_round() {
    let directory = tempfile::tempdir().unwrap();
    let mut world = World::new([]).await;
    let open = || Arc::new(DirectoryStore::plain(directory.path()).unwrap());
    world.store = open();
    drop(world.logged_in().await);
    let hosts: Vec<Session> = (0..8).map(|_| world.session_with(|options| options.store = open())).collect();
    for round in 1..=20 {
        world.pass(HOUR);
        world.server.expire_access_tokens();
        for token in futures_util::future::join_all(hosts.iter().map(Session::access_token)).await {
            assert!(world.server.accepts(text(&token.unwrap())));
        }
        assert_eq!(world.server.token_requests("refresh_token").len(), round);
    }
}

#[tokio::test]
async fn bug_7_a_refresh_token_that_is_not_repeated_is_kept() {
    let world = World::new([Quirk::KeepsRefreshTokens]).await;
    let session = world.logged_in().await;
    for _ in 0..3 {
        world.pass(HOUR);
        session.access_token().await.unwrap();
    }
    assert_eq!(world.server.token_requests("refresh_token").len(), 3);
}

#[tokio::test]
async fn bug_8_what_a_request_renews_is_in_the_store() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let before = world.stored();
    world.server.expire_access_tokens();
    call(&session, &world.url()).await.unwrap();
    let after = world.stored();
    assert_ne!(after.tokens, before.tokens);
    assert_eq!(after.generation, before.generation + 1);
}

#[tokio::test]
async fn bug_9_a_refused_refresh_token_is_not_tried_again() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    world.server.end_logins();
    for _ in 0..3 {
        let error = session.access_token().await.unwrap_err();
        assert!(matches!(clean(error), Error::NeedsLogin { reason: LoginReason::RefreshRefused, .. }));
    }
    assert_eq!(world.server.token_requests("refresh_token").len(), 1);
    let status = session.status().await.unwrap();
    assert_eq!((status.state, status.reason), (LoginState::NeedsLogin, Some(LoginReason::RefreshRefused)));
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    session.access_token().await.unwrap();
}

#[tokio::test]
async fn bug_29_errors_without_words_are_understood() {
    let world = World::new([Quirk::NullDescription]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    world.server.end_logins();
    assert!(clean(session.access_token().await.unwrap_err()).needs_login());
}

#[tokio::test]
async fn bug_9_faults_of_the_server_leave_the_login_as_it_is() {
    let elsewhere = World::new([]).await;
    let thief = elsewhere.server.server_url();
    for (fault, transient) in [
        (Fault::Status(500, "{}".to_owned()), true),
        (Fault::Status(503, r#"{"error":"temporarily_unavailable"}"#.to_owned()), true),
        (Fault::Status(429, r#"{"error":"slow_down"}"#.to_owned()), true),
        (Fault::Page(502), true),
        (Fault::Page(200), false),
        (Fault::Status(408, "{}".to_owned()), true),
        (Fault::Redirect(thief.clone()), false),
    ] {
        let world = World::new([]).await;
        let session = world.logged_in().await;
        let before = world.stored();
        world.pass(HOUR);
        // A server that cannot answer now is asked three times.
        let times = if matches!(fault, Fault::Status(500.., _) | Fault::Page(500..)) { 3 } else { 1 };
        for _ in 0..times {
            world.server.fail_next(fault.clone());
        }
        let error = clean(session.access_token().await.unwrap_err());
        assert_eq!((error.is_transient(), error.needs_login()), (transient, false), "{fault:?} {error}");
        assert_eq!(world.server.token_requests("refresh_token").len(), times, "{fault:?}");
        assert_eq!(world.stored(), before, "{fault:?}");
        session.access_token().await.unwrap();
    }
    // The redirect was not followed: nobody else has seen the refresh token.
    assert_eq!(elsewhere.server.requests().len(), 0);
}

#[tokio::test]
async fn i27_any_refusal_of_a_renewal_needs_a_login_and_is_not_repeated_at_each_call() {
    for (fault, reason) in [
        (Fault::Status(400, r#"{"error":"invalid_request"}"#.to_owned()), LoginReason::RefreshRefused),
        (Fault::Status(401, r#"{"error":"invalid_client"}"#.to_owned()), LoginReason::ClientUnknown),
        (Fault::Status(200, r#"{"error":"invalid_client"}"#.to_owned()), LoginReason::ClientUnknown),
        (Fault::Status(400, r#"{"error":"unsupported_grant_type"}"#.to_owned()), LoginReason::RefreshRefused),
        (Fault::Page(403), LoginReason::RefreshRefused),
        (Fault::Status(422, "{}".to_owned()), LoginReason::RefreshRefused),
    ] {
        let world = World::new([]).await;
        drop(world.logged_in().await);
        world.pass(HOUR);
        world.server.fail_next(fault.clone());
        // Each time another program, as from a command line.
        for _ in 0..5 {
            let error = clean(world.session().access_token().await.unwrap_err());
            let Error::NeedsLogin { reason: found, .. } = error else { panic!("{fault:?} {error}") };
            assert_eq!(found, reason, "{fault:?}");
        }
        assert_eq!(world.server.token_requests("refresh_token").len(), 1, "{fault:?}");
        let status = world.session().status().await.unwrap();
        assert_eq!((status.state, status.reason), (LoginState::NeedsLogin, Some(reason)), "{fault:?}");
        // It may have been a mistake, which only asking again can tell: no grant is given away for it.
        world.pass(61);
        world.session().access_token().await.unwrap();
        assert_eq!(world.session().status().await.unwrap().state, LoginState::Valid);
    }
}

#[tokio::test]
async fn i28_a_token_whose_time_is_said_to_be_over_is_used_until_it_is_refused() {
    let world = World::new([]).await;
    world.server.set_lifetime(0);
    let session = world.logged_in().await;
    for _ in 0..5 {
        assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    }
    assert_eq!(world.server.token_requests("refresh_token").len(), 0);
    world.server.expire_access_tokens();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(world.server.token_requests("refresh_token").len(), 1);
}

#[tokio::test]
async fn i30_a_server_that_cannot_answer_now_is_asked_again_before_the_call_fails() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    world.server.fail_next(Fault::Status(503, r#"{"error":"temporarily_unavailable"}"#.to_owned()));
    world.server.fail_next(Fault::Page(502));
    session.access_token().await.unwrap();
    assert_eq!(world.server.token_requests("refresh_token").len(), 3);
}

#[tokio::test]
async fn a_token_endpoint_that_moved_is_found_again() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.server.add(Quirk::MovedTokenEndpoint);
    world.pass(HOUR);
    session.access_token().await.unwrap();
    assert!(world.stored().server.token_endpoint.unwrap().path().ends_with("/moved/token"));
    // From now on it is asked there at once.
    let asked = world.server.requests().len();
    world.pass(HOUR);
    session.access_token().await.unwrap();
    assert_eq!(world.server.requests().len() - asked, 1);
}

#[tokio::test]
async fn bug_32_a_token_that_could_not_be_renewed_early_is_used_to_its_end() {
    for quirk in [None, Some(Quirk::RefusesRenewal)] {
        let world = World::new(quirk).await;
        let session = world.logged_in().await;
        let first = session.access_token().await.unwrap();
        world.pass(HOUR - 30);
        if quirk.is_none() {
            world.server.fail_next(Fault::Page(502));
        }
        for _ in 0..3 {
            assert_eq!(text(&session.access_token().await.unwrap()), text(&first));
        }
        assert_eq!(world.server.count("/token"), 2, "{quirk:?}");
        assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    }
}

#[tokio::test]
async fn bug_18_a_token_without_an_end_or_a_successor_is_used_until_it_is_refused() {
    let world = World::new([Quirk::NoLifetime, Quirk::NoRefreshToken]).await;
    let session = world.logged_in().await;
    world.pass(1000 * HOUR);
    let restarted = world.session();
    assert_eq!(call(&restarted, &world.url()).await.unwrap(), 200);
    world.server.expire_access_tokens();
    let error = failure(call(&session, &world.url()).await);
    assert!(matches!(error, Error::NeedsLogin { reason: LoginReason::TokenRefused, .. }), "{error}");
}

#[tokio::test]
async fn an_ended_token_without_a_successor_needs_a_login() {
    let world = World::new([Quirk::NoRefreshToken]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    let error = clean(session.access_token().await.unwrap_err());
    assert!(matches!(error, Error::NeedsLogin { reason: LoginReason::Expired, .. }), "{error}");
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` needs a login: the login has expired and cannot be renewed",
            world.url().origin().ascii_serialization()
        )
    );
}

#[tokio::test]
async fn bug_17_the_end_of_a_token_is_a_point_in_time_also_after_a_restart() {
    let world = World::new([Quirk::CreatedStatus]).await;
    drop(world.logged_in().await);
    world.pass(HOUR / 2);
    world.session().access_token().await.unwrap();
    assert_eq!(world.server.token_requests("refresh_token").len(), 0);
    world.pass(HOUR / 2);
    world.session().access_token().await.unwrap();
    assert_eq!(world.server.token_requests("refresh_token").len(), 1);
}

#[tokio::test]
async fn a_caller_that_leaves_does_not_lose_the_renewed_token() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    let bell = Arc::new(Notify::new());
    world.server.fail_next(Fault::Late(Arc::clone(&bell)));
    let before = world.stored();
    {
        let asking = session.access_token();
        tokio::pin!(asking);
        // The server has used up the refresh token and holds back the answer; the caller gives up.
        while world.server.token_requests("refresh_token").is_empty() {
            tokio::select! {
                result = &mut asking => panic!("{result:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    bell.notify_one();
    session.settle().await;
    assert_eq!(world.stored().generation, before.generation + 1);
    assert!(world.server.accepts(text(&world.session().access_token().await.unwrap())));
    assert_eq!(world.server.token_requests("refresh_token").len(), 1);
}

#[tokio::test]
async fn a_dropped_session_does_not_lose_the_renewed_token() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    let bell = Arc::new(Notify::new());
    world.server.fail_next(Fault::Late(Arc::clone(&bell)));
    let before = world.stored();
    {
        let asking = session.access_token();
        tokio::pin!(asking);
        while world.server.token_requests("refresh_token").is_empty() {
            tokio::select! {
                result = &mut asking => panic!("{result:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    drop(session);
    bell.notify_one();
    while world.stored().generation == before.generation {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_somebody_stored_meanwhile_is_not_given_up_with_what_was_refused() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let mut elsewhere = world.sharing_its_server();
    elsewhere.store = Arc::new(MemoryStore::new());
    world.pass(HOUR);
    world.server.end_logins();
    let bell = Arc::new(Notify::new());
    world.server.fail_next(Fault::Late(Arc::clone(&bell)));
    let asking = session.access_token();
    tokio::pin!(asking);
    // The refusal is on its way.
    while world.server.token_requests("refresh_token").is_empty() {
        tokio::select! {
            result = &mut asking => panic!("{result:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    // Somebody who does not know of our lock stores another login.
    elsewhere.logged_in().await;
    let mut other = elsewhere.stored();
    other.generation += 10;
    world.store.save(&StoreLock::new(session.slot().clone(), ()), &other).unwrap();
    bell.notify_one();
    assert_eq!(text(&asking.await.unwrap()), text(&other.tokens.as_ref().unwrap().access_token));
    assert_eq!(world.stored(), other);
}

#[tokio::test]
async fn a_login_that_ends_during_a_renewal_is_what_stays() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let before = world.stored();
    world.pass(HOUR);
    let bell = Arc::new(Notify::new());
    world.server.fail_next(Fault::Late(Arc::clone(&bell)));
    let renewing = session.access_token();
    let logging_in = async {
        // The answer to the renewal is on its way, and the renewal has the lock.
        while world.server.token_requests("refresh_token").is_empty() {
            tokio::task::yield_now().await;
        }
        world.logged_in().await
    };
    let ringing = async {
        while world.server.token_requests("authorization_code").len() < 2 {
            tokio::task::yield_now().await;
        }
        bell.notify_one();
    };
    let (renewed, other, ()) = tokio::join!(renewing, logging_in, ringing);
    let stored = world.stored();
    assert_eq!(stored.generation, before.generation + 2, "each was written after the other");
    let login = other.access_token().await.unwrap();
    assert_eq!(stored.tokens.as_ref().map(|tokens| &tokens.access_token), Some(&login));
    assert_ne!(renewed.unwrap(), login);
    assert!(world.server.accepts(text(&login)));
    world.pass(HOUR);
    assert!(world.server.accepts(text(&world.session().access_token().await.unwrap())), "and it can be renewed");
}

/// A store that cannot be written for a while, and counts how often it is read.
#[derive(Debug, Default)]
struct FullDisk {
    held: MemoryStore,
    full: AtomicBool,
    reads: AtomicUsize,
}

impl FullDisk {
    fn set(&self, full: bool) {
        self.full.store(full, Ordering::SeqCst);
    }
}

impl TokenStore for FullDisk {
    fn kind(&self) -> StoreKind {
        self.held.kind()
    }
    fn list(&self) -> Result<Listing, Error> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.held.list()
    }
    fn save(&self, lock: &StoreLock, credential: &Credential) -> Result<(), Error> {
        if self.full.load(Ordering::SeqCst) {
            let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(Error::File { operation: "write", path: "x".into(), source });
        }
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

#[tokio::test]
async fn a_token_that_cannot_be_written_is_not_used_and_not_lost() {
    let mut world = World::new([]).await;
    let disk = Arc::new(FullDisk::default());
    world.store = disk.clone();
    let session = world.logged_in().await;
    world.pass(HOUR);
    disk.set(true);
    for _ in 0..2 {
        assert!(clean(session.access_token().await.unwrap_err()).is_store());
    }
    disk.set(false);
    assert!(world.server.accepts(text(&session.access_token().await.unwrap())));
    // The used refresh token was not brought a second time, so the login lives.
    assert_eq!((world.server.token_requests("refresh_token").len(), world.server.renewable_logins()), (1, 1));
    assert!(world.server.accepts(text(&world.session().access_token().await.unwrap())));
}

#[tokio::test]
async fn bug_16_requests_do_not_read_the_store() {
    let mut world = World::new([]).await;
    let disk = Arc::new(FullDisk::default());
    world.store = disk.clone();
    let (session, url) = (world.session(), world.url());
    // Nobody has logged in, and the other server may never want a login: one look is enough.
    for _ in 0..5 {
        session.authorize(&http::Method::POST, &url, &mut http::HeaderMap::new()).await.unwrap();
    }
    assert_eq!(disk.reads.load(Ordering::SeqCst), 1);
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    let before = disk.reads.load(Ordering::SeqCst);
    for _ in 0..5 {
        assert_eq!(call(&session, &url).await.unwrap(), 200);
    }
    assert_eq!(disk.reads.load(Ordering::SeqCst), before);
}

#[tokio::test]
async fn those_who_waited_for_a_renewal_share_its_failure() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.pass(HOUR);
    for _ in 0..3 {
        world.server.fail_next(Fault::Page(503));
    }
    let results = futures_util::future::join_all((0..8).map(|_| session.access_token())).await;
    for result in results {
        assert!(matches!(clean(result.unwrap_err()), Error::RenewalFailed { .. }));
    }
    assert_eq!(world.server.token_requests("refresh_token").len(), 3);
    session.access_token().await.unwrap();
}

#[tokio::test]
async fn bug_4_a_login_that_vanished_is_a_logout_and_not_an_empty_record() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.session().logout(false).await.unwrap();
    world.pass(HOUR);
    let error = clean(session.access_token().await.unwrap_err());
    assert!(matches!(error, Error::NeedsLogin { reason: LoginReason::NeverLoggedIn, .. }), "{error}");
    assert_eq!(world.store.list().unwrap().0.len(), 0);
}
