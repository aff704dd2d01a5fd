//! Renewing a login, once, whoever else wants to.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::credential::{Credential, Freshness};
use crate::discovery::discover;
use crate::error::{Error, LoginReason};
use crate::secret::Secret;
use crate::session::{Effort, Held, Shared};
use crate::settings::Flow;
use crate::store::StoreLock;
use crate::store::private_file::LOCK_POLL;
use crate::token_endpoint::{Grant, TokenRequest};
use crate::token_response::TokenResponse;

/// How long a renewal may take at the authorization server. It is longer than an exchange, so that a nonce fits in, and
/// shorter than others wait for the lock.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(45);

/// How long to wait before a server that cannot answer now is asked again. Only a request that has no other token waits.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];

/// How long a failed attempt to renew a token that still works is not repeated.
const QUIET_AFTER_FAILURE: Duration = Duration::from_secs(30);

/// What waiting for the lock ends with.
enum Turn {
    /// It is this session's turn to renew.
    Own(StoreLock),
    /// Another process has renewed meanwhile.
    Over(Held),
}

impl Shared {
    /// A token that is good and not `rejected`, by these steps, each of which may end the renewal:
    ///
    /// 1. wait for this process's other renewal, and take what it brought;
    /// 2. take what another process has stored;
    /// 3. wait for the lock across processes, and look into the store again;
    /// 4. ask the authorization server, write its answer down, and only then use it.
    ///
    /// A failure that may pass is shared with everybody who waited for this renewal: each trying in turn would make the
    /// last one wait for all the others' timeouts.
    pub(crate) async fn renew(&self, rejected: Option<&Secret>, effort: Effort) -> Result<Held, Error> {
        let seen = self.memory().failures;
        let _turn = self.renewing.lock().await;
        if let Some(held) = self.remembered(rejected) {
            return Ok(held);
        }
        if let Some(source) = self.failed_since(seen) {
            return Err(Error::RenewalFailed { source });
        }
        let result = self.renew_in_turn(rejected, effort).await;
        result.map_err(|error| if error.is_transient() { self.share(error) } else { error })
    }

    fn failed_since(&self, seen: u64) -> Option<Arc<Error>> {
        let memory = self.memory();
        memory.last_failure.clone().filter(|_| memory.failures > seen)
    }

    fn share(&self, error: Error) -> Error {
        let source = Arc::new(error);
        let mut memory = self.memory();
        memory.failures += 1;
        memory.last_failure = Some(Arc::clone(&source));
        Error::RenewalFailed { source }
    }

    async fn renew_in_turn(&self, rejected: Option<&Secret>, effort: Effort) -> Result<Held, Error> {
        let stored = self.last_login().await?;
        if let Some(held) = self.adopt(stored.as_ref(), rejected)? {
            return Ok(held);
        }
        if stored.is_none() && !self.may_obtain(effort) {
            return Err(self.needs_login(LoginReason::NeverLoggedIn));
        }
        let lock = match self.lock_or_adopt(rejected).await? {
            Turn::Own(lock) => lock,
            Turn::Over(held) => return Ok(held),
        };
        let (lock, stored) = self.with_unsaved(lock).await?;
        if let Some(held) = self.adopt(stored.as_ref(), rejected)? {
            return Ok(held);
        }
        match (stored, &self.settings.flow) {
            (Some(stored), Flow::Person) => self.refresh(lock, stored, rejected).await,
            (None, Flow::Person) => Err(self.needs_login(LoginReason::NeverLoggedIn)),
            (stored, _) => {
                let _under_way = self.exchanging.lock().await;
                let obtained = self.obtain(stored).await?;
                self.keep(lock, obtained).await
            }
        }
    }

    /// Waits for the lock across processes, or for what its holder writes: whoever waits needs the lock only if the holder
    /// fails.
    async fn lock_or_adopt(&self, rejected: Option<&Secret>) -> Result<Turn, Error> {
        let waiting = async {
            loop {
                if let Some(lock) = self.try_lock().await? {
                    return Ok(Turn::Own(lock));
                }
                sleep(LOCK_POLL).await;
                if let Some(held) = self.adopt(self.last_login().await?.as_ref(), rejected)? {
                    return Ok(Turn::Over(held));
                }
            }
        };
        self.patiently(waiting).await
    }

    /// Whether a first token may be asked for without a person.
    fn may_obtain(&self, effort: Effort) -> bool {
        effort == Effort::Obtain && !matches!(self.settings.flow, Flow::Person)
    }

    /// Uses what is stored, if that is good. Somebody else may have renewed it.
    fn adopt(&self, stored: Option<&Credential>, rejected: Option<&Secret>) -> Result<Option<Held>, Error> {
        let now = self.clock.now();
        let Some(stored) = stored.filter(|stored| stored.tokens.is_some()) else { return Ok(None) };
        let held = self.publish(stored.clone())?;
        Ok(held.is_usable(rejected, now).then_some(held))
    }

    /// What is stored, after a credential that could not be written the last time has been written, unless the stored
    /// one has moved on since.
    async fn with_unsaved(&self, lock: StoreLock) -> Result<(StoreLock, Option<Credential>), Error> {
        let stored = self.last_login().await?;
        let unsaved = self.memory().unsaved.take();
        let follows = |unsaved: &Credential| {
            let before = stored.as_ref().map_or(0, |stored| stored.generation);
            unsaved.generation == before + 1
        };
        let Some(unsaved) = unsaved.filter(follows) else { return Ok((lock, stored)) };
        self.memory().unsaved = Some(unsaved.clone());
        let lock = self.save(lock, &unsaved).await?;
        self.memory().unsaved = None;
        Ok((lock, Some(unsaved)))
    }

    async fn refresh(&self, lock: StoreLock, mut stored: Credential, rejected: Option<&Secret>) -> Result<Held, Error> {
        if stored.refresh_token().is_none() || stored.rests(self.clock.now()) {
            let reason = stored.refused.unwrap_or(LoginReason::Expired);
            return self.tolerate(stored, rejected, self.needs_login(reason));
        }
        let requested = stored.tokens.as_ref().map(|tokens| tokens.requested.clone()).unwrap_or_default();
        let _under_way = self.exchanging.lock().await;
        let now = self.clock.now();
        let expired = stored.tokens.as_ref().is_none_or(|tokens| tokens.freshness(now) == Freshness::Expired);
        let pauses = if expired || rejected.is_some() { PAUSES.as_slice() } else { &[] };
        match self.ask_patiently(&mut stored, pauses).await {
            Ok(response) => self.keep(lock, stored.renewed(&response, &requested, self.clock.now())).await,
            // An error in a successful answer is one as well.
            Err(error) if error.is_refusal() || error.is_invalid_grant() || error.is_invalid_client() => {
                tracing::debug!(%error, "the login is not renewed");
                self.give_up(lock, stored, rejected, &error).await
            }
            Err(error) => {
                tracing::debug!(%error, "the login could not be renewed now; it is kept");
                self.tolerate(stored, rejected, error)
            }
        }
    }

    /// Asks for a renewal, again when the server says that it cannot answer now. Where nothing answered the refresh token may
    /// have been used up, and it is for the next request to find out.
    async fn ask_patiently(&self, stored: &mut Credential, pauses: &[Duration]) -> Result<TokenResponse, Error> {
        let asking = async {
            for pause in pauses {
                match self.ask_wherever(stored).await {
                    Err(Error::UnexpectedAnswer { status: 500.., .. } | Error::Refused { status: 500.., .. }) => {
                        sleep(*pause).await;
                    }
                    answer => return answer,
                }
            }
            self.ask_wherever(stored).await
        };
        let after = RENEWAL_TIMEOUT;
        timeout(after, asking).await.unwrap_or(Err(Error::TimedOut { what: "renewing the login", after }))
    }

    /// Asks for a renewal. An endpoint that is gone may have moved: the metadata is as old as the login.
    async fn ask_wherever(&self, stored: &mut Credential) -> Result<TokenResponse, Error> {
        match self.ask(stored).await {
            Err(Error::UnexpectedAnswer { url, status: status @ (404 | 405 | 410), expected }) => {
                let challenge = self.memory().challenge.clone();
                let found = discover(&*self.web, &self.server, challenge.as_ref(), &self.settings).await;
                match found.map(|found| found.authorization_server) {
                    Ok(server) if server.issuer == stored.server.issuer && server != stored.server => {
                        stored.server = server;
                        self.ask(stored).await
                    }
                    _ => Err(Error::UnexpectedAnswer { url, status, expected }),
                }
            }
            answer => answer,
        }
    }

    async fn ask(&self, stored: &Credential) -> Result<TokenResponse, Error> {
        let proof = self.publish(stored.clone())?.proof;
        let endpoint = self.endpoint(&stored.server, &stored.client).with_proof(proof.as_deref());
        let Some(refresh_token) = stored.refresh_token() else {
            return Err(self.needs_login(LoginReason::Expired));
        };
        let mut request = TokenRequest::new(Grant::RefreshToken(refresh_token));
        // The same value as at the login, always; no scope, which could only narrow what was granted.
        request.resource = stored.resource.as_deref();
        endpoint.request(&request).await
    }

    /// Writes a renewed credential and then uses it. One that cannot be written is not used: the next process would come
    /// with the used-up refresh token. It stays in memory and is written by the next renewal.
    pub(crate) async fn keep(&self, lock: StoreLock, renewed: Credential) -> Result<Held, Error> {
        if !self.settings.takes(&renewed) {
            let what = "tokens that are bound to a key";
            let advice = "they are demanded for this server; demand them only where they are offered";
            return Err(Error::Unsupported { issuer: renewed.server.issuer, what, advice });
        }
        if let Err(error) = self.save(lock, &renewed).await {
            self.memory().unsaved = Some(renewed);
            return Err(error);
        }
        self.publish(renewed)
    }

    /// Writes down that the authorization server does not renew this login: for good where it says that of the refresh token,
    /// else until it may be asked again; unless somebody without our lock has stored
    /// another one meanwhile, which is then used: only what was refused is given up.
    async fn give_up(
        &self,
        lock: StoreLock,
        refused: Credential,
        rejected: Option<&Secret>,
        error: &Error,
    ) -> Result<Held, Error> {
        let unknown = error.is_invalid_client();
        let reason = if unknown { LoginReason::ClientUnknown } else { LoginReason::RefreshRefused };
        let stored = self.last_login().await?;
        if let Some(stored) = stored.filter(|stored| stored.refresh_token() != refused.refresh_token()) {
            let held = self.publish(stored)?;
            if held.is_tolerable(rejected, self.clock.now()) {
                return Ok(held);
            }
            return Err(self.needs_login(reason));
        }
        let now = self.clock.now();
        let mut given_up = refused.refused(reason, error.is_invalid_grant(), now);
        // A token that both have refused is over, whatever time it was said to have: nobody is to be told that it is good.
        if let Some(tokens) = given_up.tokens.as_mut().filter(|tokens| Some(&tokens.access_token) == rejected) {
            tokens.expires_at = Some(now);
        }
        drop(self.save(lock, &given_up).await?);
        self.tolerate(given_up, rejected, self.needs_login(reason))
    }

    /// A token that could not be renewed is used as long as it lasts; without one `error` is the answer.
    fn tolerate(&self, stored: Credential, rejected: Option<&Secret>, error: Error) -> Result<Held, Error> {
        let now = self.clock.now();
        let held = self.publish(stored)?;
        if !held.is_tolerable(rejected, now) {
            return Err(error);
        }
        self.memory().quiet_until = Some(now.after(QUIET_AFTER_FAILURE));
        Ok(held)
    }

    pub(crate) fn needs_login(&self, reason: LoginReason) -> Error {
        Error::NeedsLogin { server: self.slot.server.clone(), reason }
    }
}
