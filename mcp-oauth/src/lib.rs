//! Logs in to MCP servers with OAuth once, stays logged in, and leaks nothing.
//!
//! A [`Session`] owns the login of one account at one server. It hands out an access token that is good now, renews it
//! before it ends, and says so at once when only a person can help:
//!
//! ```
//! use std::sync::Arc;
//!
//! use mcp_oauth::{HttpsClient, MemoryStore, Reach, Session, SessionOptions};
//! use url::Url;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Url::parse("https://mcp.example.com/mcp")?;
//! let web = Arc::new(HttpsClient::new(Reach::of(&server))?);
//! let session = Session::new(SessionOptions::new(server, Arc::new(MemoryStore::new()), web));
//!
//! let error = session.access_token().await.expect_err("nobody has logged in yet");
//! assert!(error.needs_login());
//! assert_eq!(error.to_string(), "`https://mcp.example.com` needs a login: nobody has logged in yet");
//! # Ok(())
//! # }
//! ```
//!
//! # Example: log in with a browser
//!
//! An [`Interaction`] is the person. This one prints the page's address; a program with a screen opens it. The redirect comes
//! back to a listener on this machine.
//!
//! ```no_run
//! use mcp_oauth::{BoxFuture, Error, Interaction, LoginRequest, Prompt, Session};
//!
//! #[derive(Debug)]
//! struct Terminal;
//!
//! impl Interaction for Terminal {
//!     fn present(&self, prompt: Prompt) -> BoxFuture<'_, Result<(), Error>> {
//!         Box::pin(async move {
//!             match prompt {
//!                 Prompt::Open { url, .. } => eprintln!("log in at {url}"),
//!                 other => eprintln!("{other:?}"),
//!             }
//!             Ok(())
//!         })
//!     }
//! }
//!
//! # async fn example(session: Session) -> Result<(), Error> {
//! session.login(&LoginRequest::default(), &Terminal).await?;
//! println!("{:?}", session.status().await?.scopes);
//! # Ok(())
//! # }
//! ```
//!
//! On a machine without a browser the same login works three ways: the person pastes the address at which the browser
//! ended ([`Interaction::pasted`]), a second command finishes what a first has begun ([`Login::suspend`],
//! [`Session::finish_login`]), or the person enters a code on another device ([`LoginMethod::Device`]).
//!
//! # Example: sign the requests of a transport
//!
//! [`Session::authorize`] goes before each request and [`Session::answer`] after it. Together they renew what was
//! refused, log in where there is somebody to do it, ask for wider scopes, and prove possession of a key.
//!
//! ```no_run
//! use http::{HeaderMap, Method};
//! use mcp_oauth::{Error, Exchange, Session, Verdict};
//! # use url::Url;
//! # async fn post(headers: &HeaderMap) -> http::Response<Vec<u8>> { unimplemented!() }
//!
//! # async fn example(session: Session, url: Url) -> Result<Vec<u8>, Error> {
//! loop {
//!     let mut headers = HeaderMap::new();
//!     session.authorize(&Method::POST, &url, &mut headers).await?;
//!     let response = post(&headers).await;
//!     match session.answer(&Exchange::new(&url, &headers, response.status(), response.headers())).await? {
//!         Verdict::Retry => {}
//!         _ => return Ok(response.into_body()),
//!     }
//! }
//! # }
//! ```
//!
//! # Example: tokens that need no person
//!
//! ```no_run
//! use mcp_oauth::{ConfiguredClient, Error, Flow, Secret, SessionOptions, Settings, SigningKey};
//!
//! # fn example(mut options: SessionOptions, pem: Secret) -> Result<SessionOptions, Error> {
//! options.settings = Settings {
//!     flow: Flow::ClientCredentials,
//!     client: Some(ConfiguredClient::new("nightly-report").with_key(SigningKey::from_pem(&pem)?)),
//!     ..Settings::default()
//! };
//! # Ok(options)
//! # }
//! ```
//!
//! [`Flow::WorkloadIdentity`] presents a statement of the platform instead, and [`Flow::EnterpriseManaged`] one of an
//! identity provider.
//!
//! # Example: keep logins on disk
//!
//! ```
//! use mcp_oauth::{StoreKeys, StorePreference, open_store};
//!
//! # let directory = tempfile::tempdir()?;
//! // Without a keyring, and without a key from the host, files are private and not encrypted, and this says why.
//! let chosen = open_store(directory.path(), StorePreference::Auto, &StoreKeys::default())?;
//! assert_eq!(chosen.store.kind().to_string(), "file");
//! assert!(chosen.weaker.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Example: keep other secrets beside them
//!
//! ```
//! use mcp_oauth::{Secret, SecretName, StoreKeys, StorePreference, open_secrets};
//!
//! # let directory = tempfile::tempdir()?;
//! let secrets = open_secrets(directory.path(), StorePreference::Auto, &StoreKeys::default())?.secrets;
//! let name = SecretName::shared("github");
//! secrets.set(&name, &Secret::new("ghp_0123"))?;
//! assert_eq!(secrets.get(&name)?, Some(Secret::new("ghp_0123")));
//! assert_eq!(secrets.list()?.0, [name]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a login stays alive
//!
//! Servers that replace a refresh token at each use end the whole login when a used one comes again. Two programs that
//! renew at the same time look like a thief to them. So a login has one owner:
//!
//! 1. within a process one renewal at a time, whose result everybody takes;
//! 2. across processes a lock file per server and account, and another look into the store once it is held;
//! 3. the new tokens are on disk before anybody uses them;
//! 4. a caller that goes away does not take the renewal along;
//! 5. what was refused is given up only if it is still what is stored, and what failed for another reason is kept.
//!
//! # What a server can make this crate do
//!
//! Every URL that a server names is checked before it is asked, at each redirect, and again when it is connected to (see
//! [`Reach`]). Requests that carry a secret follow no redirect. Answers are bounded in time and size. A token goes to
//! the origin it was issued for and nowhere else. What one authorization server gave is never shown to another.
//!
//! # Design
//!
//! Everything that decides is a function of values: reading challenges, choosing scopes and clients, judging redirects,
//! reading token responses. HTTP ([`Web`]), time ([`Clock`]), storage ([`TokenStore`]) and the person ([`Interaction`])
//! are traits or arguments. The crate reads no environment variable, prints nothing, installs no TLS provider and has no
//! global state.
//!
//! What is standard is done by the [`oauth2`](https://docs.rs/oauth2) crate over [`Web`]: the authorization URL with its code
//! challenge, the grants of RFC 6749 and RFC 8628, and giving tokens back. What it has no place for is here: finding the
//! authorization server, registration, redirects, the grants and proofs of later specifications, and answers that are not to
//! the letter; `token_endpoint/exchange.rs` lists what is added to its requests, and why. The rules are those of MCP
//! [2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization) and, for older servers,
//! 2025-11-25, 2025-06-18 and 2025-03-26.
//!
//! Secrets are wiped from memory where this crate holds them. Copies inside the OAuth, HTTP and TLS libraries, and in the body
//! of a request while it is sent, are beyond its reach.
//!
//! # Crate features
//!
//! - `keyring` (default): the operating system's keyring. On Linux it brings about a hundred dependencies, all Rust.

mod authorization;
mod callback;
mod challenge;
mod client;
mod credential;
mod discovery;
mod dpop;
mod error;
mod guard;
mod https_client;
mod login;
mod loopback;
mod metadata;
mod random;
mod record;
mod registration;
mod resource;
mod scopes;
mod scrub;
mod secret;
mod session;
mod settings;
mod signing_key;
mod status;
mod store;
mod timestamp;
mod tls;
mod token_endpoint;
mod token_response;
mod web;
mod well_known;

pub use challenge::Challenge;
pub use client::{Client, ClientAuthentication, ClientOrigin};
pub use credential::{Account, Credential, Slot, Tokens};
pub use error::{Attempt, Error, LoginReason};

pub use guard::Reach;
pub use https_client::HttpsClient;
pub use login::{Interaction, LoginMethod, LoginRequest, Prompt};
pub use metadata::{AuthorizationServer, MetadataSource};
pub use resource::Resource;
pub use scopes::Scopes;
pub use secret::Secret;
pub use session::{Exchange, Login, LogoutReport, Revocation, Session, SessionOptions, Verdict};
pub use settings::{
    Assertion, CallbackSettings, ConfiguredClient, Exceptions, Flow, IdentityProvider, LoopbackHost, Proof,
    ResourceParameter, Settings, SubjectKind,
};
pub use signing_key::SigningKey;
pub use status::{LoginState, Status, statuses};
pub use store::choice::{
    ChosenSecrets, ChosenStore, KeyringOpener, StoreKeys, StorePreference, open_secrets, open_store,
};
pub use store::directory::DirectoryStore;
pub use store::encryption::EncryptionKey;
pub use store::keyring::Keyring;
pub use store::memory::MemoryStore;
pub use store::secrets::{SecretName, SecretStore};
pub use store::{Listing, LockPurpose, PendingLogin, StoreKind, StoreLock, TokenStore};
pub use timestamp::{Clock, Timestamp};
pub use token_response::TokenKind;
pub use web::{BoxFuture, Web};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
