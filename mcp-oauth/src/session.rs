//! One account at one server: the owner of its tokens.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::task::JoinSet;
use url::Url;

use crate::challenge::Challenge;
use crate::client::Client;
use crate::credential::{Account, Credential, Freshness, Slot, Tokens};
use crate::dpop::ProofKey;
use crate::error::Error;
use crate::login::Interaction;
use crate::metadata::AuthorizationServer;
use crate::resource::Resource;
use crate::secret::Secret;
use crate::settings::Settings;
use crate::store::TokenStore;
use crate::timestamp::{Clock, Timestamp};
use crate::token_endpoint::TokenEndpoint;
use crate::web::Web;

mod authorize;
mod login;
mod logout;
mod renewal;
mod status;
mod storage;
mod unattended;

pub use authorize::{Exchange, Verdict};
pub use login::Login;
pub use logout::{LogoutReport, Revocation};

/// What a session is made of.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The URL of the MCP server, as it is configured.
    pub server: Url,
    /// Where logins are kept.
    pub store: Arc<dyn TokenStore>,
    /// What speaks HTTP; it should reach as far as [`Settings::reach`] says for this server.
    pub web: Arc<dyn Web>,
    /// Whose login it is. Default: the default account.
    pub account: Account,
    /// What the user has set for this server. Default: nothing.
    pub settings: Settings,
    /// The present time. Default: the system's clock.
    pub clock: Clock,
    /// The person to ask when only a login helps. Default: nobody, and such a request fails at once.
    pub interaction: Option<Arc<dyn Interaction>>,
}

impl SessionOptions {
    /// Options with every default.
    pub fn new(server: Url, store: Arc<dyn TokenStore>, web: Arc<dyn Web>) -> Self {
        Self {
            server,
            store,
            web,
            account: Account::default(),
            settings: Settings::default(),
            clock: Clock::system(),
            interaction: None,
        }
    }
}

/// One account at one server: hands out its access token, renews it, logs in and out.
///
/// A session is the only one in its process that renews this login, and takes a lock that keeps other processes from
/// doing so at the same time: servers that replace refresh tokens end the login of whoever brings a used one. It needs a
/// tokio runtime with time and, for logins, I/O.
///
/// Dropping a session lets a renewal that is under way come to its end, so that the new token is kept; it takes 45 s at
/// most. [`Session::settle`] waits for it.
pub struct Session {
    shared: Arc<Shared>,
    /// Renewals under way. They are no part of the caller's future, which may be dropped at any time.
    renewals: Mutex<JoinSet<()>>,
}

/// What the session and its renewals share.
pub(crate) struct Shared {
    pub(crate) server: Url,
    pub(crate) slot: Slot,
    pub(crate) settings: Settings,
    pub(crate) store: Arc<dyn TokenStore>,
    pub(crate) web: Arc<dyn Web>,
    pub(crate) clock: Clock,
    pub(crate) interaction: Option<Arc<dyn Interaction>>,
    /// One renewal at a time.
    pub(crate) renewing: tokio::sync::Mutex<()>,
    /// Held from the moment a refresh token is shown until its successor is written.
    pub(crate) exchanging: tokio::sync::Mutex<()>,
    /// One login at a time.
    pub(crate) logging_in: tokio::sync::Mutex<()>,
    memory: Mutex<Memory>,
}

/// What a session remembers between requests.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) held: Option<Held>,
    /// A renewed credential that could not be written: it is written before anything else is done.
    pub(crate) unsaved: Option<Credential>,
    /// The last challenge, which says where to look for the authorization server.
    pub(crate) challenge: Option<Challenge>,
    /// Until when a token that is due is used without another attempt to renew it.
    pub(crate) quiet_until: Option<Timestamp>,
    /// How many logins there have been since a request last got through.
    pub(crate) unproven_logins: u32,
    /// The token that the last renewal after a refusal gave, until a request got through.
    pub(crate) from_refusal: Option<Secret>,
    /// How often a request has led to a login for more scopes.
    pub(crate) step_ups: u32,
    /// Nothing was stored when a request last looked. The server may not want a token at all; its next refusal is a
    /// reason to look again.
    pub(crate) nothing_stored: bool,
    /// Requests bring an `Authorization` header of their own, and their refusal is not this session's business.
    pub(crate) header_of_their_own: bool,
    /// The person, or the authorization server, said no to a login that a request has led to: the next does not ask again.
    pub(crate) declined: bool,
    /// How many renewals have failed for a reason that may pass, and the last such reason.
    pub(crate) failures: u64,
    pub(crate) last_failure: Option<Arc<Error>>,
}

/// A credential with tokens, ready for use.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) credential: Arc<Credential>,
    pub(crate) tokens: Tokens,
    pub(crate) proof: Option<Arc<ProofKey>>,
}

impl Held {
    /// Whether the access token can be sent and need not be renewed.
    pub(crate) fn is_usable(&self, rejected: Option<&Secret>, now: Timestamp) -> bool {
        rejected != Some(&self.tokens.access_token) && self.tokens.freshness(now) == Freshness::Fresh
    }

    /// Whether the access token can be sent, if need be.
    pub(crate) fn is_tolerable(&self, rejected: Option<&Secret>, now: Timestamp) -> bool {
        rejected != Some(&self.tokens.access_token) && self.tokens.freshness(now) != Freshness::Expired
    }
}

impl Session {
    /// A session; nothing is read or asked yet.
    pub fn new(options: SessionOptions) -> Self {
        let slot = Slot::new(Resource::canonical(&options.server), options.account);
        let shared = Shared {
            server: options.server,
            slot,
            settings: options.settings,
            store: options.store,
            web: options.web,
            clock: options.clock,
            interaction: options.interaction,
            renewing: tokio::sync::Mutex::default(),
            exchanging: tokio::sync::Mutex::default(),
            logging_in: tokio::sync::Mutex::default(),
            memory: Mutex::default(),
        };
        Self { shared: Arc::new(shared), renewals: Mutex::default() }
    }

    /// The place of this session's logins in the store.
    pub fn slot(&self) -> &Slot {
        &self.shared.slot
    }

    /// An access token that is good now, renewed if need be.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsLogin`] when only a person can help, at once and without asking one; otherwise what went wrong,
    /// [transient](Error::is_transient) or not.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a renewal that has begun goes on and is kept.
    pub async fn access_token(&self) -> Result<Secret, Error> {
        Ok(self.current(None, Effort::Obtain).await?.tokens.access_token)
    }

    /// Lets a renewal that the authorization server has been asked for come to its end, 45 s at most, and calls off one that
    /// still waits to ask. Call it before the runtime is shut down: a refresh token that was used and not replaced ends the
    /// login when it comes again.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the renewal goes on as long as the runtime does.
    pub async fn settle(&self) {
        let _none_begins = self.shared.exchanging.lock().await;
        let mut renewals = std::mem::take(&mut *self.renewals());
        renewals.shutdown().await;
    }

    /// A token that is not `rejected`, from memory if it is fresh, else from a renewal in a task of its own.
    pub(crate) async fn current(&self, rejected: Option<&Secret>, effort: Effort) -> Result<Held, Error> {
        if let Some(held) = self.shared.remembered(rejected) {
            return Ok(held);
        }
        let (sender, receiver) = oneshot::channel();
        let (shared, rejected) = (Arc::clone(&self.shared), rejected.cloned());
        {
            let mut renewals = self.renewals();
            while renewals.try_join_next().is_some() {}
            renewals.spawn(async move {
                // The caller may have gone; what was renewed is kept all the same.
                drop(sender.send(shared.renew(rejected.as_ref(), effort).await));
            });
        }
        receiver.await.unwrap_or(Err(Error::Interrupted { what: "renewing the login" }))
    }

    fn renewals(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.renewals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.renewals().detach_all();
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("slot", &self.shared.slot).finish_non_exhaustive()
    }
}

/// How much may be done for a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Renew what is held.
    Renew,
    /// Also ask the authorization server for a first one, where no person is needed for that.
    Obtain,
}

impl Shared {
    pub(crate) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token in memory, if it is not `rejected` and either fresh or not to be renewed yet.
    pub(crate) fn remembered(&self, rejected: Option<&Secret>) -> Option<Held> {
        let now = self.clock.now();
        let memory = self.memory();
        let quiet = memory.quiet_until.is_some_and(|until| now < until);
        let held = memory.held.as_ref()?;
        let usable = held.is_usable(rejected, now) || (quiet && held.is_tolerable(rejected, now));
        usable.then(|| held.clone())
    }

    /// The token endpoint of `server`, as `client` sees it.
    pub(crate) fn endpoint<'a>(&'a self, server: &'a AuthorizationServer, client: &'a Client) -> TokenEndpoint<'a> {
        TokenEndpoint::new(&*self.web, server, client, &self.clock).with_key(self.settings.client_key())
    }

    /// Makes `credential` the one that requests use from now on. The proof key in memory is kept if it is the same one:
    /// it knows the nonces.
    pub(crate) fn publish(&self, credential: Credential) -> Result<Held, Error> {
        let Some(tokens) = credential.tokens.clone() else {
            return Err(Error::Interrupted { what: "logging in" });
        };
        let mut memory = self.memory();
        let known = memory.held.as_ref().and_then(|held| held.proof.clone());
        let proof = match &credential.proof_key {
            Some(stored) => match known.filter(|known| known.stored() == stored) {
                Some(known) => Some(known),
                None => Some(Arc::new(ProofKey::from_stored(stored)?)),
            },
            None => None,
        };
        let held = Held { credential: Arc::new(credential), tokens, proof };
        memory.held = Some(held.clone());
        memory.quiet_until = None;
        memory.nothing_stored = false;
        Ok(held)
    }
}
