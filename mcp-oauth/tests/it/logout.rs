//! Logging out.

use mcp_oauth::{Error, LoginReason, LoginState, Revocation, statuses};
use mcp_testkit::Quirk;

use crate::support::{World, call, clean, failure};

#[tokio::test]
async fn a_logout_ends_the_login_here_and_there() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let report = session.logout(true).await.unwrap();
    assert!(matches!(report.revocations[..], [Revocation::Done]), "{report:?}");
    assert_eq!((report.removed, report.problems.len()), (vec![world.server.issuer()], 0));
    assert_eq!((world.server.renewable_logins(), world.store.list().unwrap().0.len()), (0, 0));
    assert_eq!(session.status().await.unwrap().state, LoginState::LoggedOut);
    let error = failure(call(&session, &world.url()).await);
    assert!(matches!(error, Error::NeedsLogin { reason: LoginReason::NeverLoggedIn, .. }), "{error:?}");
    // The registration has ended too.
    let deleted = world.server.requests().iter().filter(|request| request.method == "DELETE").count();
    assert_eq!(deleted, 1);
}

#[tokio::test]
async fn a_logout_without_revocation_asks_nobody() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let asked = world.server.requests().len();
    let report = session.logout(false).await.unwrap();
    assert_eq!((report.revocations.len(), world.server.requests().len()), (0, asked));
    assert_eq!(world.store.list().unwrap().0.len(), 0);
}

#[tokio::test]
async fn a_logout_leaves_no_token_in_memory() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    session.logout(false).await.unwrap();
    let mut headers = http::HeaderMap::new();
    session.authorize(&http::Method::POST, &world.url(), &mut headers).await.unwrap();
    assert!(headers.is_empty(), "{headers:?}");
    assert!(clean(session.access_token().await.unwrap_err()).needs_login());
}

#[tokio::test]
async fn whatever_the_server_says_the_login_is_gone_here() {
    let world = World::new([Quirk::NoRevocation]).await;
    let report = world.logged_in().await.logout(true).await.unwrap();
    assert!(matches!(report.revocations[..], [Revocation::NotOffered]), "{report:?}");

    let world = World::new([]).await;
    let session = world.logged_in().await;
    world.server.purge_clients();
    let mut report = session.logout(true).await.unwrap();
    let Some(Revocation::Failed(error)) = report.revocations.pop() else { panic!("{report:?}") };
    assert!(clean(error).is_invalid_client());
    assert_eq!(world.store.list().unwrap().0.len(), 0);
    assert!(session.logout(true).await.unwrap().removed.is_empty());
}

#[tokio::test]
async fn a_listing_says_who_and_how_long_and_nothing_secret() {
    let world = World::new([Quirk::ConfidentialBasic]).await;
    world.logged_in().await;
    let now = world.clock().now();
    let (found, problems) = statuses(&*world.store, now).unwrap();
    assert!(problems.is_empty());
    let shown = serde_json::to_value(&found).unwrap();
    assert_eq!(
        shown,
        serde_json::json!([{
            "server": world.url().origin().ascii_serialization(), "account": "default", "state": "valid", "reason": null,
            "issuer": world.server.issuer(), "scopes": "mcp:basic mcp:write offline_access", "missing": "",
            "expires_at": now.seconds() + 3600, "renewable": true, "proof": false, "client_id": "client-2",
            "client_origin": "registered", "store": "memory",
        }])
    );
    world.pass(3600);
    let (found, _) = statuses(&*world.store, world.clock().now()).unwrap();
    assert_eq!(found[0].state, LoginState::Renewable);
}
