//! Tokens that need no person.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_oauth::{Assertion, ConfiguredClient, Error, Flow, IdentityProvider, Secret, SigningKey, SubjectKind};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};

use crate::support::{World, call, failure};

fn key() -> SigningKey {
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let body = STANDARD.encode(der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
    SigningKey::from_pem(&Secret::new(pem)).unwrap()
}

#[tokio::test]
async fn a_client_speaks_for_itself_with_a_secret_or_a_key() {
    for (client, method) in [
        (ConfiguredClient::new("robot").with_secret(Secret::new("canary-robot")), "client_secret_basic"),
        (ConfiguredClient::new("robot").with_key(key()), "private_key_jwt"),
    ] {
        let world = World::new([]).await;
        let secret = (method == "client_secret_basic").then_some("canary-robot");
        world.server.register("robot", secret, method);
        let session = world.session_with(|options| {
            options.settings.flow = Flow::ClientCredentials;
            options.settings.client = Some(client.clone());
        });
        assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
        let [request] = &world.server.token_requests("client_credentials")[..] else { panic!() };
        assert_eq!((request["scope"].as_str(), &request["resource"]), ("mcp:basic", &world.server.server_url()));
        // When it ends another one is asked for, without discovery.
        let asked = world.server.requests().len();
        world.pass(3600);
        world.server.expire_access_tokens();
        assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
        assert_eq!(world.server.requests().len() - asked, 2);
        assert_eq!(world.server.count("/register"), 0);
    }
}

#[tokio::test]
async fn a_workload_is_vouched_for_by_its_platform() {
    let world = World::new([]).await;
    world.server.register("workload", None, "none");
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    let session = world.session_with(|options| {
        options.settings.client = Some(ConfiguredClient::new("workload"));
        options.settings.flow = Flow::WorkloadIdentity(Assertion::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(Secret::new("canary-good-statement"))
        }));
    });
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    assert_eq!(reads.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_refused_statement_is_not_tried_again_and_nothing_else_is() {
    let world = World::new([]).await;
    world.server.register("workload", None, "none");
    let session = world.session_with(|options| {
        options.settings.client = Some(ConfiguredClient::new("workload"));
        options.settings.flow = Flow::WorkloadIdentity(Assertion::fixed(Secret::new("canary-bad-statement")));
    });
    let error = crate::support::clean(failure(call(&session, &world.url()).await));
    assert!(error.is_invalid_grant() && !error.needs_login(), "{error}");
    assert_eq!((world.server.count("/token"), world.server.count("/register")), (1, 0));
}

#[tokio::test]
async fn an_identity_provider_speaks_for_the_person() {
    let (world, provider) = (World::new([]).await, World::new([]).await);
    world.server.register("app", Some("canary-app"), "client_secret_basic");
    provider.server.register("app-at-provider", None, "none");
    let session = world.session_with(|options| {
        options.settings.client = Some(ConfiguredClient::new("app").with_secret(Secret::new("canary-app")));
        options.settings.flow = Flow::EnterpriseManaged(IdentityProvider {
            token_endpoint: format!("{}/token", provider.server.issuer()).parse().unwrap(),
            client_id: "app-at-provider".to_owned(),
            client_secret: None,
            subject: Assertion::fixed(Secret::new("canary-good-id-token")),
            subject_kind: SubjectKind::IdToken,
        });
    });
    assert_eq!(call(&session, &world.url()).await.unwrap(), 200);
    let [exchange] = &provider.server.token_requests("token-exchange")[..] else { panic!() };
    assert_eq!((&exchange["audience"], &exchange["resource"]), (&world.server.issuer(), &world.server.server_url()));
    let [statement] = &world.server.token_requests("jwt-bearer")[..] else { panic!() };
    assert_eq!(statement["assertion"], "canary-good-statement");
    assert!(!statement.contains_key("resource") && !statement.contains_key("scope"));
}

#[tokio::test]
async fn a_flow_without_a_client_says_so() {
    let world = World::new([]).await;
    let session = world.session_with(|options| options.settings.flow = Flow::ClientCredentials);
    let error = crate::support::clean(failure(call(&session, &world.url()).await));
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}
