//! Tokens on requests, and what answers mean.

use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderMap, Method, StatusCode};
use mcp_oauth::{Error, Exchange, LoginReason, LoginRequest, Proof, Scopes, TokenKind, Verdict};
use mcp_testkit::Quirk;

use crate::support::{World, call, failure};

#[tokio::test]
async fn bug_30_a_token_goes_to_its_own_server_only() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    for (url, expected) in [
        (world.server.server_url(), true),
        (format!("{}?session=1", world.server.server_url()), true),
        (world.server.server_url().replace("/mcp", "/messages"), true),
        ("https://evil.example/mcp".to_owned(), false),
        ("http://127.0.0.1:1/mcp".to_owned(), false),
        (world.server.server_url().replace("http:", "https:"), false),
        (world.server.server_url().replace("127.0.0.1", "localhost"), false),
    ] {
        let mut headers = HeaderMap::new();
        session.authorize(&Method::POST, &url.parse().unwrap(), &mut headers).await.unwrap();
        assert_eq!(headers.contains_key(AUTHORIZATION), expected, "{url}");
        assert!(headers.values().all(http::HeaderValue::is_sensitive));
        assert!(!format!("{headers:?}").contains("canary"));
    }
}

#[tokio::test]
async fn bug_23_a_header_from_the_configuration_never_starts_a_login() {
    let world = World::new([]).await;
    let person = Arc::new(world.person());
    let session = world.session_with(|options| options.interaction = Some(person.clone()));
    let (url, received) = (world.url(), HeaderMap::new());
    for header in ["Basic abc", "Bearer key", "key"] {
        let mut headers = HeaderMap::from_iter([(AUTHORIZATION, header.parse().unwrap())]);
        session.authorize(&Method::POST, &url, &mut headers).await.unwrap();
        assert_eq!(headers[AUTHORIZATION], header);
        let refused = Exchange::new(&url, &headers, StatusCode::UNAUTHORIZED, &received);
        assert_eq!(session.answer(&refused).await.unwrap(), Verdict::Accept, "{header}");
    }
    assert_eq!((person.logins(), world.server.requests().len()), (0, 0));
}

#[tokio::test]
async fn answers_that_are_not_about_authorization_pass() {
    let world = World::new([]).await;
    let session = world.logged_in().await;
    let (url, sent) = (world.url(), HeaderMap::new());
    for status in [200, 202, 400, 403, 404, 500] {
        let received = HeaderMap::new();
        let answer = Exchange::new(&url, &sent, StatusCode::from_u16(status).unwrap(), &received);
        assert_eq!(session.answer(&answer).await.unwrap(), Verdict::Accept, "{status}");
    }
}

#[tokio::test]
async fn bug_24_wider_scopes_need_a_login_and_not_a_refresh() {
    let world = World::new([]).await;
    let session = world.session_with(|options| options.settings.scopes = Some(Scopes::parse("mcp:basic")));
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    world.server.demand("mcp:basic mcp:write");
    let Err(Error::NeedsScopes { scopes, .. }) = call(&session, &world.url()).await else { panic!() };
    assert_eq!(scopes.to_string(), "mcp:basic mcp:write");
    assert_eq!(world.server.token_requests("refresh_token").len(), 0);
}

#[tokio::test]
async fn bug_24_with_a_person_at_hand_wider_scopes_are_asked_for_by_themselves() {
    let world = World::new([]).await;
    let person = Arc::new(world.person());
    let session = world.session_with(|options| options.interaction = Some(person.clone()));
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    world.server.demand("mcp:basic mcp:write");
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(person.asked("scope").unwrap(), "mcp:basic offline_access mcp:write");
    assert_eq!(person.logins(), 2);
}

#[tokio::test]
async fn a_server_that_always_wants_more_is_given_up() {
    let world = World::new([]).await;
    let person = Arc::new(world.person());
    let session = world.session_with(|options| options.interaction = Some(person.clone()));
    let url = world.url();
    assert_eq!(call(&session, &url).await.unwrap(), 200);
    for extra in 0..4 {
        let sent = signed(&session, &url).await;
        let header = format!("Bearer error=\"insufficient_scope\", scope=\"more:{extra}\"");
        let received = HeaderMap::from_iter([(http::header::WWW_AUTHENTICATE, header.parse().unwrap())]);
        let verdict = session.answer(&Exchange::new(&url, &sent, StatusCode::FORBIDDEN, &received)).await;
        assert_eq!(matches!(verdict, Err(Error::NeedsScopes { .. })), extra >= 2, "{extra} {verdict:?}");
    }
    assert_eq!(person.logins(), 3);
}

async fn signed(session: &mcp_oauth::Session, url: &url::Url) -> HeaderMap {
    let mut headers = HeaderMap::new();
    session.authorize(&Method::POST, url, &mut headers).await.unwrap();
    headers
}

#[tokio::test]
async fn a_server_that_refuses_every_token_is_given_up() {
    let world = World::new([]).await;
    let person = Arc::new(world.person());
    let session = world.session_with(|options| options.interaction = Some(person.clone()));
    let url = world.url();
    let refuse = async || {
        let sent = signed(&session, &url).await;
        let received = HeaderMap::from_iter([(http::header::WWW_AUTHENTICATE, "Bearer".parse().unwrap())]);
        session.answer(&Exchange::new(&url, &sent, StatusCode::UNAUTHORIZED, &received)).await
    };
    let mut verdicts = Vec::new();
    for _ in 0..12 {
        match refuse().await {
            Ok(Verdict::Retry) => verdicts.push("retry"),
            Err(Error::NeedsLogin { reason: LoginReason::TokenRefused, .. }) => {
                verdicts.push("fail");
                break;
            }
            verdict => panic!("{verdict:?}"),
        }
    }
    assert_eq!(verdicts.last(), Some(&"fail"), "{verdicts:?}");
    assert!(person.logins() <= 2 && verdicts.len() <= 6, "{} {verdicts:?}", person.logins());
}

#[tokio::test]
async fn a_server_that_moved_to_another_issuer_is_logged_in_to_anew() {
    let world = World::new([]).await;
    // It has had clients before, so that it does not call the next one as the old issuer has called the first.
    let elsewhere = World::new([]).await;
    elsewhere.logged_in().await;
    let new_issuer = &elsewhere.server;
    let session = world.logged_in().await;
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    let old_client = world.stored().client.id;

    world.server.move_to(&new_issuer.issuer());
    world.server.expire_access_tokens();
    let error = failure(call(&session, &world.url()).await);
    assert!(matches!(error, Error::NeedsLogin { reason: LoginReason::IssuerChanged, .. }), "{error}");
    // What the old issuer gave is neither renewed there nor shown to the new one.
    assert_eq!(world.server.token_requests("refresh_token").len(), 0);

    let before = new_issuer.requests().len();
    session.login(&LoginRequest::default(), &crate::support::Person::new(new_issuer)).await.unwrap();
    world.server.trust_tokens_of(new_issuer);
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    let requests = new_issuer.requests();
    let seen: Vec<String> = requests.iter().skip(before).map(|request| format!("{request:?}")).collect();
    assert!(seen.iter().any(|request| request.contains("client_id=")), "{seen:?}");
    assert!(seen.iter().all(|request| !request.contains(&format!("client_id={old_client}"))), "{seen:?}");
    assert_eq!(world.store.list().unwrap().0.len(), 2);
}

#[tokio::test]
async fn i28_a_token_that_is_not_bound_to_a_key_is_not_used_where_that_is_demanded() {
    let world = World::new([]).await;
    // Logged in before anybody demanded it.
    drop(world.logged_in().await);
    let session = world.session_with(|options| options.settings.proof = Proof::Always);
    let mut headers = HeaderMap::new();
    session.authorize(&Method::POST, &world.url(), &mut headers).await.unwrap();
    assert!(headers.is_empty());
    let error = session.login(&LoginRequest::default(), &world.person()).await.unwrap_err();
    assert!(error.to_string().contains("does not offer tokens that are bound to a key"), "{error}");
    assert!(session.access_token().await.unwrap_err().needs_login());
}

#[tokio::test]
async fn tokens_are_bound_to_a_key_and_every_request_is_proven() {
    for quirks in [vec![Quirk::DemandsProof], vec![Quirk::DemandsProof, Quirk::DemandsNonce]] {
        let world = World::new(quirks.clone()).await;
        let session = world.session_with(|options| options.settings.proof = Proof::WhenOffered);
        session.login(&LoginRequest::default(), &world.person()).await.unwrap();
        assert_eq!(world.stored().tokens.unwrap().kind, TokenKind::Dpop);
        for _ in 0..3 {
            assert_eq!(call(&session, &world.url()).await.unwrap(), 200, "{quirks:?}");
        }
        // A renewal, and a restart, go on with the same key.
        world.server.expire_access_tokens();
        assert_eq!(call(&session, &world.url()).await.unwrap(), 200, "{quirks:?}");
        let restarted = world.session_with(|options| options.settings.proof = Proof::WhenOffered);
        assert_eq!(call(&restarted, &world.url()).await.unwrap(), 200, "{quirks:?}");
        assert!(restarted.status().await.unwrap().proof);
    }
}

#[tokio::test]
async fn a_server_that_offers_no_proof_gets_plain_tokens() {
    let world = World::new([]).await;
    let session = world.session_with(|options| options.settings.proof = Proof::WhenOffered);
    session.login(&LoginRequest::default(), &world.person()).await.unwrap();
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(world.stored().tokens.unwrap().kind, TokenKind::Bearer);
}
