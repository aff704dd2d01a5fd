//! Logs in to MCP servers with OAuth once, stays logged in, and leaks nothing.
//!
//! Under construction.

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
mod metadata;
mod opener;
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
mod token_endpoint;
mod token_response;
mod web;
mod well_known;

pub use challenge::Challenge;
pub use client::{Client, ClientAuthentication, ClientOrigin};
pub use credential::{Account, Credential, Slot, Tokens};
pub use discovery::{Discovery, discover};
pub use error::{Attempt, Error, LoginReason};
pub use guard::Reach;
pub use https_client::HttpsClient;
pub use login::{Interaction, LoginMethod, LoginRequest, Prompt};
pub use metadata::{AuthorizationServer, MetadataSource, ProtectedResource};
pub use opener::open_browser;
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
pub use store::choice::{ChosenStore, KeyringOpener, StoreKeys, StorePreference, open_store};
pub use store::directory::DirectoryStore;
pub use store::encryption::EncryptionKey;
pub use store::environment::EnvironmentStore;
pub use store::keyring::{Keyring, KeyringEntries, KeyringFailure};
pub use store::memory::MemoryStore;
pub use store::{Listing, LockPurpose, PendingLogin, StoreKind, StoreLock, TokenStore};
pub use timestamp::{Clock, Timestamp};
pub use token_endpoint::{Grant, TokenEndpoint, TokenRequest};
pub use token_response::{TokenKind, TokenResponse};
pub use web::{Boxed, Web};
pub use well_known::{authorization_server_candidates, protected_resource_candidates};
