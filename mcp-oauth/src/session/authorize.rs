//! What a transport asks: put the token on this request; this request was refused, what now?

use std::time::Duration;

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use url::Url;

use crate::challenge::Challenge;
use crate::discovery::discover;
use crate::dpop::PROOF;
use crate::error::{Error, LoginReason};
use crate::login::LoginRequest;
use crate::metadata::{origin, same_issuer};
use crate::registration::sensitive;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::session::{Effort, Held, Session};
use crate::settings::Flow;
use crate::token_response::TokenKind;

/// Most logins for more scopes that requests may lead to in one session. Each has to bring a scope that was not asked
/// for before; the limit is for a server that keeps inventing them.
const MOST_STEP_UPS: u32 = 2;

/// Most logins in a row after none of which a request got through. There may be two: a first login, and one for a scope
/// that its first request turned out to need.
const MOST_UNPROVEN_LOGINS: u32 = 2;

/// How long a refused request waits for its missing scopes to be written down.
const NOTE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a look at whether the server has moved may take.
const MOVE_CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// A request that was refused.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Exchange<'a> {
    /// The URL that was asked.
    pub url: &'a Url,
    /// The headers that were sent, as [`Session::authorize`] left them.
    pub sent: &'a HeaderMap,
    /// The status of the answer.
    pub status: StatusCode,
    /// The headers of the answer.
    pub received: &'a HeaderMap,
}

impl<'a> Exchange<'a> {
    /// The request to `url` with the headers `sent`, answered by `status` and `received`.
    pub fn new(url: &'a Url, sent: &'a HeaderMap, status: StatusCode, received: &'a HeaderMap) -> Self {
        Self { url, sent, status, received }
    }
}

/// What to do about an answer, as transports say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Take it as it is.
    Accept,
    /// Send the request again, after [`Session::authorize`].
    Retry,
}

impl Session {
    /// Adds the access token, and the proof that goes with it, to a request.
    ///
    /// Nothing is added
    ///
    /// 1. to a request that leaves the server's origin: the token was issued for that server;
    /// 2. to a request that has an `Authorization` header of its own: a header from the configuration never starts OAuth;
    /// 3. before the first login: the server may not want one, and says so if it does.
    ///
    /// # Errors
    ///
    /// When a token is held and cannot be renewed for a reason that a login would not change.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a renewal that has begun goes on and is kept.
    pub async fn authorize(&self, method: &Method, url: &Url, headers: &mut HeaderMap) -> Result<(), Error> {
        headers.remove(PROOF);
        let foreign = origin(url) != origin(&self.shared.server);
        {
            let mut memory = self.shared.memory();
            memory.header_of_their_own = headers.contains_key(AUTHORIZATION);
            if foreign || memory.header_of_their_own || memory.nothing_stored {
                return Ok(());
            }
        }
        match self.current(None, Effort::Renew).await {
            Ok(held) => self.put(&held, method, url, headers),
            Err(Error::NeedsLogin { reason: LoginReason::NeverLoggedIn, .. }) => {
                self.shared.memory().nothing_stored = true;
                Ok(())
            }
            // Without a token the server answers with what it wants, which is more than is known here.
            Err(error) if error.needs_login() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Judges an answer. Every answer may be shown; those that are not 401 or 403 are accepted.
    ///
    /// A token that was refused is renewed once. Where that does not help and a person can be asked
    /// ([`SessionOptions::interaction`](crate::SessionOptions::interaction)), the login is part of this call; otherwise it
    /// ends at once. Requests that are refused at the same time share one renewal and one login, and after the person
    /// has said no no request asks again until [`Session::login`] is called.
    ///
    /// A request is sent again with the headers it had before [`Session::authorize`] added its own: an `Authorization`
    /// header that is already there counts as one from the configuration.
    ///
    /// # Errors
    ///
    /// The request is to be given up: [`Error::NeedsScopes`] where the login does not reach far enough, with the scopes held
    /// and those that are missing; else [`Error::needs_login`] tells whether a login would help.
    ///
    /// # Cancel safety
    ///
    /// A renewal that has begun goes on; a login that waits for its person ends.
    pub async fn answer(&self, exchange: &Exchange<'_>) -> Result<Verdict, Error> {
        let challenge = Challenge::parse(exchange.received.get_all(WWW_AUTHENTICATE));
        let challenge = challenge.into_iter().find(Challenge::is_bearer);
        let sent = presented(exchange.sent);
        if self.shared.memory().header_of_their_own {
            return Ok(Verdict::Accept);
        }
        let lacks_scope = challenge.as_ref().is_some_and(Challenge::is_insufficient_scope);
        match exchange.status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if lacks_scope => self.step_up(challenge, sent).await,
            StatusCode::UNAUTHORIZED => self.unauthorized(exchange, challenge, sent).await,
            status => {
                self.remember_nonce(exchange);
                if status.is_success() && sent.is_some() {
                    let mut memory = self.shared.memory();
                    memory.unproven_logins = 0;
                    memory.from_refusal = None;
                }
                Ok(Verdict::Accept)
            }
        }
    }

    fn needs_scopes(&self, scopes: Scopes) -> Error {
        Error::NeedsScopes { server: self.shared.slot.server.clone(), scopes }
    }

    fn put(&self, held: &Held, method: &Method, url: &Url, headers: &mut HeaderMap) -> Result<(), Error> {
        let scheme = match held.tokens.kind {
            TokenKind::Bearer => "Bearer",
            TokenKind::Dpop => "DPoP",
        };
        let token = &held.tokens.access_token;
        let value = HeaderValue::try_from(format!("{scheme} {}", token.expose()))
            .map_err(|_source| Error::Key { what: "access token", reason: "it is no header value" })?;
        if let (TokenKind::Dpop, Some(proof)) = (held.tokens.kind, &held.proof) {
            headers.insert(PROOF, sensitive(proof.proof(method, url, Some(token), self.shared.clock.now())?));
        }
        headers.insert(AUTHORIZATION, sensitive(value));
        Ok(())
    }

    async fn unauthorized(
        &self,
        exchange: &Exchange<'_>,
        challenge: Option<Challenge>,
        sent: Option<Secret>,
    ) -> Result<Verdict, Error> {
        let wants_nonce = challenge.as_ref().is_some_and(Challenge::wants_nonce);
        if self.remember_nonce(exchange) && wants_nonce && sent.is_some() {
            return Ok(Verdict::Retry);
        }
        if challenge.is_some() {
            self.shared.memory().challenge.clone_from(&challenge);
        }
        let outcome = match &sent {
            Some(token) => self.replace(token).await,
            None => self.current(None, Effort::Obtain).await,
        };
        let reason = match outcome {
            Ok(held) => {
                let mut memory = self.shared.memory();
                memory.from_refusal = sent.is_some().then_some(held.tokens.access_token);
                return Ok(Verdict::Retry);
            }
            Err(Error::NeedsLogin { reason, .. }) => reason,
            Err(error) => return Err(error),
        };
        self.ask_person(LoginRequest { challenge, ..LoginRequest::default() }, sent, reason).await
    }

    /// Another token than `refused`.
    async fn replace(&self, refused: &Secret) -> Result<Held, Error> {
        let held = self.shared.memory().held.clone();
        let current = held.filter(|held| held.tokens.access_token == *refused);
        if let Some(held) = current {
            let now = self.shared.clock.now();
            // Refused although it has not ended: the server may have moved, and then what the old authorization server
            // gave, its client included, is not renewed for it (MCP 2026-07-28 "Authorization Server Migration").
            if held.is_tolerable(None, now) && self.has_moved(&held.credential.server.issuer).await {
                return Err(self.shared.needs_login(LoginReason::IssuerChanged));
            }
            let last = self.shared.memory().from_refusal.clone();
            if last.as_ref() == Some(refused) {
                return Err(self.shared.needs_login(LoginReason::TokenRefused));
            }
        }
        self.current(Some(refused), Effort::Obtain).await.map_err(|error| match error {
            // Nothing to renew it with, and it had time left: it is the token that is at fault.
            Error::NeedsLogin { server, reason: LoginReason::Expired } => {
                Error::NeedsLogin { server, reason: LoginReason::TokenRefused }
            }
            error => error,
        })
    }

    /// Whether the server now names another authorization server. What cannot be found out counts as no.
    async fn has_moved(&self, issuer: &str) -> bool {
        let shared = &self.shared;
        let challenge = shared.memory().challenge.clone();
        let looking = discover(&*shared.web, &shared.server, challenge.as_ref(), &shared.settings);
        match tokio::time::timeout(MOVE_CHECK_TIMEOUT, looking).await {
            Ok(Ok(found)) => !same_issuer(&found.authorization_server.issuer, issuer),
            _ => false,
        }
    }

    async fn step_up(&self, mut challenge: Option<Challenge>, sent: Option<Secret>) -> Result<Verdict, Error> {
        let wanted = challenge.as_ref().and_then(|challenge| challenge.scope.clone()).unwrap_or_default();
        let (scopes, asked_before) = {
            let mut memory = self.shared.memory();
            let held = memory.held.as_ref().map(|held| &held.tokens);
            let stale = held.is_some_and(|tokens| Some(&tokens.access_token) != sent.as_ref());
            if stale && held.is_some_and(|tokens| tokens.granted.covers(&wanted)) {
                return Ok(Verdict::Retry);
            }
            let requested = held.map(|tokens| tokens.requested.clone()).unwrap_or_default();
            let asked_before = requested.covers(&wanted) || memory.step_ups >= MOST_STEP_UPS;
            let scopes = requested.union(&wanted);
            // A later login has to ask for all of it.
            challenge = challenge.map(|challenge| challenge.widened(&scopes, memory.challenge.as_ref()));
            memory.challenge.clone_from(&challenge);
            (scopes, asked_before)
        };
        if asked_before || self.shared.interaction.is_none() || !matches!(self.shared.settings.flow, Flow::Person) {
            // What cannot be written down is asked for by this process alone.
            let noting = self.shared.note_missing(challenge, &wanted, sent.as_ref());
            if let Ok(Err(error)) = tokio::time::timeout(NOTE_TIMEOUT, noting).await {
                tracing::debug!(%error, "the missing scopes are not kept");
            }
            return Err(self.needs_scopes(scopes));
        }
        self.shared.memory().step_ups += 1;
        let request = LoginRequest { challenge, scopes, ..LoginRequest::default() };
        self.ask_person(request, sent, LoginReason::TokenRefused).await
    }

    /// Logs in, if there is somebody to do it; of several requests the first asks, and the others take what came of it.
    async fn ask_person(
        &self,
        request: LoginRequest,
        sent: Option<Secret>,
        reason: LoginReason,
    ) -> Result<Verdict, Error> {
        let shared = &self.shared;
        let Some(interaction) = shared.interaction.clone() else {
            return Err(shared.needs_login(reason));
        };
        let _turn = shared.logging_in.lock().await;
        if shared.memory().declined {
            return Err(shared.needs_login(reason));
        }
        let since = shared.memory().held.as_ref().map(|held| held.tokens.access_token.clone());
        if since.is_some() && since != sent && shared.remembered(sent.as_ref()).is_some() {
            return Ok(Verdict::Retry);
        }
        // Logins after which no request got through: another one would end the same way.
        if shared.memory().unproven_logins >= MOST_UNPROVEN_LOGINS {
            return Err(shared.needs_login(reason));
        }
        match self.login_unlocked(&request, &*interaction).await {
            Ok(()) => Ok(Verdict::Retry),
            Err(error) => {
                shared.memory().declined = error.is_denied();
                Err(error)
            }
        }
    }

    fn remember_nonce(&self, exchange: &Exchange<'_>) -> bool {
        let proof = self.shared.memory().held.as_ref().and_then(|held| held.proof.clone());
        proof.is_some_and(|proof| proof.remember_nonce(exchange.url, exchange.received))
    }
}

/// The access token that a request carried.
fn presented(headers: &HeaderMap) -> Option<Secret> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let known = scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("dpop");
    known.then(|| Secret::from(token.trim()))
}
