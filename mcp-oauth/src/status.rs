//! How logins stand, for people and programs to read.

use serde::Serialize;

use crate::client::ClientOrigin;
use crate::credential::{Credential, Freshness, Slot};
use crate::error::{Error, LoginReason};
use crate::scopes::Scopes;
use crate::store::{StoreKind, TokenStore};
use crate::timestamp::Timestamp;
use crate::token_response::TokenKind;

/// How one login stands. It holds nothing secret and is made to be printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// The origin of the server; its path may be a credential.
    pub server: String,
    /// The account.
    pub account: String,
    /// Whether requests will get through.
    pub state: LoginState,
    /// Why only a login helps, if it does.
    pub reason: Option<LoginReason>,
    /// The authorization server, if anybody has ever logged in.
    pub issuer: Option<String>,
    /// What the login allows.
    pub scopes: Scopes,
    /// What a request was refused for want of, and was not granted since.
    pub missing: Scopes,
    /// When the access token ends, in seconds since 1970; absent when the server did not say.
    pub expires_at: Option<Timestamp>,
    /// Whether the login can be renewed without a person.
    pub renewable: bool,
    /// Whether the token is bound to a key.
    pub proof: bool,
    /// The client's identifier, which is public.
    pub client_id: Option<String>,
    /// How the client came to be known.
    pub client_origin: Option<ClientOrigin>,
    /// What kind of store holds it.
    pub store: StoreKind,
}

/// Whether requests will get through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LoginState {
    /// Nobody has logged in.
    LoggedOut,
    /// The access token is good.
    Valid,
    /// The access token has ended, and the next request renews it.
    Renewable,
    /// Only a login helps.
    NeedsLogin,
}

impl Status {
    /// How `credential` stands at `now`.
    pub fn of(credential: &Credential, store: StoreKind, now: Timestamp) -> Self {
        let mut status = Self::logged_out(&credential.slot, store);
        status.issuer = Some(credential.server.issuer.clone());
        status.client_id = Some(credential.client.id.clone());
        status.client_origin = Some(credential.client.origin);
        let Some(tokens) = &credential.tokens else { return status };
        status.scopes = tokens.granted.clone();
        status.missing = credential.missing.clone();
        status.expires_at = tokens.expires_at;
        status.renewable = tokens.refresh_token.is_some() && credential.refused.is_none();
        status.proof = tokens.kind == TokenKind::Dpop;
        let ended = tokens.freshness(now) == Freshness::Expired;
        status.state = match (ended, status.renewable) {
            (false, _) => LoginState::Valid,
            (true, true) => LoginState::Renewable,
            (true, false) => LoginState::NeedsLogin,
        };
        let ended_without_cause = (status.state == LoginState::NeedsLogin).then_some(LoginReason::Expired);
        status.reason = credential.refused.or(ended_without_cause);
        status
    }

    /// Whether only a person's login helps: what is held has ended, or does not reach far enough.
    pub fn needs_login(&self) -> bool {
        self.state == LoginState::NeedsLogin || !self.missing.is_empty()
    }

    /// The status of a slot that nobody has logged in to.
    pub fn logged_out(slot: &Slot, store: StoreKind) -> Self {
        Self {
            server: slot.server.to_string(),
            account: slot.account.to_string(),
            state: LoginState::LoggedOut,
            reason: None,
            issuer: None,
            scopes: Scopes::default(),
            missing: Scopes::default(),
            expires_at: None,
            renewable: false,
            proof: false,
            client_id: None,
            client_origin: None,
            store,
        }
    }
}

/// How every login of a store stands, in the order of server, account and issuer, and what cannot be read.
///
/// # Errors
///
/// When the store does not answer.
pub fn statuses(store: &dyn TokenStore, now: Timestamp) -> Result<(Vec<Status>, Vec<Error>), Error> {
    let (found, problems) = store.list()?;
    Ok((found.iter().map(|credential| Status::of(credential, store.kind(), now)).collect(), problems))
}
