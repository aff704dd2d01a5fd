//! A login, as it is kept.

use std::fmt;
use std::time::Duration;

use oauth2::TokenResponse as _;
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

use crate::challenge::Challenge;
use crate::client::Client;
use crate::error::LoginReason;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::timestamp::Timestamp;
use crate::token_response::{TokenKind, TokenResponse};

/// A token is renewed this long before it ends, or a fifth of its lifetime if that is shorter.
const RENEWAL_MARGIN: Duration = Duration::from_mins(1);

/// How long a refusal that may have been a mistake is believed, the first time and at most.
const FIRST_REST: Duration = Duration::from_mins(1);
const LONGEST_REST: Duration = Duration::from_hours(24);

/// Which of a person's identities at a server is meant. Most people have one, the [default](Account::default).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Account(String);

impl Account {
    /// The account that the user calls `name`; it is a label and need not be a name at the server.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The label.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Account {
    fn default() -> Self {
        Self::new("default")
    }
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The place of a server's logins in a store: one account at one canonical URL.
///
/// The *name* that a configuration gives the server is no part of it: two names for one URL share a login, and a name
/// whose URL changes does not take the login along, so that no token is ever sent to a server it was not issued for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Slot {
    /// The canonical URL of the server.
    pub server: Resource,
    /// Whose login it is.
    pub account: Account,
}

impl Slot {
    /// The place of `account` at `server`.
    pub fn new(server: Resource, account: Account) -> Self {
        Self { server, account }
    }

    /// A name for files and keyring entries: 32 hexadecimal digits that depend on nothing but the slot.
    pub fn id(&self) -> String {
        short_hash(&[self.server.as_str(), self.account.as_str()])
    }
}

/// One login, or one registration that nobody has logged in with yet, at one authorization server.
///
/// There is one per slot and issuer: what one authorization server gave is never shown to another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Credential {
    /// Whose it is, and for which server.
    pub slot: Slot,
    /// The authorization server, as it described itself at the login.
    pub server: AuthorizationServer,
    /// The client that the tokens are bound to.
    pub client: Client,
    /// The `resource` parameter of every request, verbatim; `None` when it is left out.
    pub resource: Option<String>,
    /// The tokens; `None` before the first login.
    pub tokens: Option<Tokens>,
    /// The key that the tokens are bound to, for the store.
    pub(crate) proof_key: Option<Secret>,
    /// Why the login cannot be renewed, once the authorization server has said so.
    pub refused: Option<LoginReason>,
    /// How often it has said so since a token was last given, and when it did last.
    pub(crate) refusals: u32,
    pub(crate) refused_at: Timestamp,
    /// What the server last asked for, with every scope that a login should ask for again.
    pub challenge: Option<Challenge>,
    /// The scopes for want of which a request was refused, and that were not granted since.
    pub missing: Scopes,
    /// Counts the changes: a higher number is a later state.
    pub generation: u64,
}

/// What a login gave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// What requests carry.
    pub access_token: Secret,
    /// How they carry it.
    pub kind: TokenKind,
    /// What renews the login.
    pub refresh_token: Option<Secret>,
    /// When the access token ends; `None` when the server did not say, and it is used until it is refused.
    pub expires_at: Option<Timestamp>,
    /// When it was received.
    pub obtained_at: Timestamp,
    /// Every scope that was asked for.
    pub requested: Scopes,
    /// What was granted: as the server said, or else what was asked for.
    pub granted: Scopes,
}

/// How an access token stands in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Use it.
    Fresh,
    /// It still works and should be renewed.
    Due,
    /// It has ended.
    Expired,
}

impl Credential {
    /// A credential for a client that has no tokens yet.
    pub(crate) fn new(slot: Slot, server: AuthorizationServer, client: Client, resource: Option<String>) -> Self {
        Self {
            slot,
            server,
            client,
            resource,
            tokens: None,
            proof_key: None,
            refused: None,
            refusals: 0,
            refused_at: Timestamp::default(),
            challenge: None,
            missing: Scopes::default(),
            generation: 0,
        }
    }

    /// A name for files and keyring entries: that of the slot and a hash of the issuer.
    pub fn id(&self) -> String {
        format!("{}-{}", self.slot.id(), short_hash(&[&self.server.issuer]))
    }

    /// The credential after an answer of the token endpoint.
    #[must_use]
    pub(crate) fn renewed(&self, response: &TokenResponse, requested: &Scopes, now: Timestamp) -> Self {
        let held = self.tokens.as_ref();
        // RFC 6749 §6: no new refresh token means that the old one stays.
        let refresh_token = response.refresh_token().map(|token| Secret::from(token.secret().as_str()));
        let refresh_token = refresh_token.or_else(|| held.and_then(|tokens| tokens.refresh_token.clone()));
        // Nothing said about scopes means what was asked for, or, at a refresh, what was granted before (§5.1, §6).
        let before = held.filter(|tokens| tokens.requested == *requested).map(|tokens| &tokens.granted);
        let said = response.scopes().map(|scopes| scopes.iter().map(|scope| scope.as_str()).collect::<Scopes>());
        let granted = said.unwrap_or_else(|| before.unwrap_or(requested).clone());
        let missing = self.missing.without(&granted);
        let tokens = Tokens {
            access_token: Secret::from(response.access_token().secret().as_str()),
            kind: *response.token_type(),
            refresh_token,
            // A token that never was good would be renewed at each request; it is used until it is refused.
            expires_at: response.expires_in().filter(|time| !time.is_zero()).map(|lifetime| now.after(lifetime)),
            obtained_at: now,
            requested: requested.clone(),
            granted,
        };
        Self {
            tokens: Some(tokens),
            refused: None,
            refusals: 0,
            missing,
            generation: self.generation + 1,
            ..self.clone()
        }
    }

    /// The credential after the authorization server has refused to renew it. If that is `for_good` the refresh token goes;
    /// the access token may have time left.
    #[must_use]
    pub(crate) fn refused(&self, reason: LoginReason, for_good: bool, now: Timestamp) -> Self {
        let mut refused = self.clone();
        refused.refused = Some(reason);
        refused.refusals += 1;
        refused.refused_at = now;
        refused.generation += 1;
        refused.client.refused |= reason == LoginReason::ClientUnknown;
        if let Some(tokens) = refused.tokens.as_mut().filter(|_| for_good) {
            tokens.refresh_token = None;
        }
        refused
    }

    /// Whether the authorization server has refused so lately that it is not to be asked again: programs that start, ask and
    /// end would otherwise ask it each time.
    pub(crate) fn rests(&self, now: Timestamp) -> bool {
        let pause = FIRST_REST * 2_u32.saturating_pow(self.refusals.saturating_sub(1).min(16));
        self.refused.is_some() && now < self.refused_at.after(pause.min(LONGEST_REST))
    }

    /// What a login asks for so that nothing is missing: everything asked for before, and that. Nothing where nothing is.
    pub(crate) fn wanting(&self) -> Scopes {
        match &self.tokens {
            Some(tokens) if !self.missing.is_empty() => tokens.requested.union(&self.missing),
            _ => Scopes::default(),
        }
    }

    pub(crate) fn refresh_token(&self) -> Option<&Secret> {
        self.tokens.as_ref()?.refresh_token.as_ref()
    }
}

impl Tokens {
    /// How the access token stands at `now`.
    pub(crate) fn freshness(&self, now: Timestamp) -> Freshness {
        let Some(end) = self.expires_at else { return Freshness::Fresh };
        let margin = RENEWAL_MARGIN.min(end.since(self.obtained_at) / 5);
        if now >= end {
            Freshness::Expired
        } else if now.after(margin) >= end {
            Freshness::Due
        } else {
            Freshness::Fresh
        }
    }
}

/// 128 bits of a SHA-256 over `parts`, each preceded by its length so that no two lists of parts look alike.
pub(crate) fn short_hash(parts: &[&str]) -> String {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part.as_bytes());
    }
    let digest = context.finish();
    let high = digest.as_ref().first_chunk::<16>().copied().unwrap_or_default();
    format!("{:032x}", u128::from_be_bytes(high))
}

#[cfg(test)]
mod tests;
