//! Logging in, step by step.

use std::time::Duration;

use oauth2::StandardDeviceAuthorizationResponse;
use tokio::time::timeout;
use url::Url;

use crate::authorization::{Authorization, Redirect, choose_scopes, require_code_protection};
use crate::callback::{CallbackListener, Judgement};
use crate::challenge::Challenge;
use crate::client::{Client, ClientOrigin};
use crate::credential::Credential;
use crate::discovery::{Discovery, discover};
use crate::dpop::ProofKey;
use crate::error::{Error, LoginReason};
use crate::guard::check_openable;
use crate::login::{Interaction, LoginMethod, LoginRequest, Prompt};
use crate::random::random_text;
use crate::registration::{Registration, register};
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::session::{Effort, Session, Shared};
use crate::settings::Flow;
use crate::store::{LockPurpose, PendingLogin, StoreLock};
use crate::token_endpoint::{Grant, TokenRequest};
use crate::token_response::TokenResponse;

/// How long a person has for a login in a browser.
const BROWSER_TIMEOUT: Duration = Duration::from_mins(5);

/// A login that waits for its person: a state between [`Session::begin_login`] and one of
///
/// 1. [`Login::finish`], which waits for the browser, for something pasted, or for the other device;
/// 2. [`Login::suspend`], after which [`Session::finish_login`] goes on, in this process or another one.
///
/// Dropping it ends the login. Nobody else can log in to the same server and account meanwhile.
#[derive(Debug)]
pub struct Login<'a> {
    session: &'a Session,
    attempt: Attempt,
    waiting: Waiting,
    _lock: StoreLock,
}

/// What both ways of logging in have in common.
#[derive(Debug)]
struct Attempt {
    authorization: Authorization,
    proof_key: Option<Secret>,
    /// Whether the client is one that an earlier login had registered, and may have been forgotten since.
    reused: bool,
    /// What the server asked for, with the scopes that are asked for.
    challenge: Option<Challenge>,
}

#[derive(Debug)]
enum Waiting {
    Browser { listener: CallbackListener, url: Url },
    Device(Box<StandardDeviceAuthorizationResponse>),
}

impl Session {
    /// Logs in: shows the person where, waits, and keeps what comes of it. A session whose
    /// [flow](crate::Settings::flow) needs no person asks nobody and gets its token.
    ///
    /// If the authorization server turns out to have forgotten the client that an earlier login had registered, a new one
    /// is registered and the person is asked once more.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] when the person or the server says no; [`Error::TimedOut`] when nobody answers;
    /// [`Error::LoginInProgress`] when another login waits; otherwise what went wrong.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the login; an earlier one stays as it was.
    pub async fn login(&self, request: &LoginRequest, interaction: &dyn Interaction) -> Result<(), Error> {
        if !matches!(self.shared.settings.flow, Flow::Person) {
            return self.current(None, Effort::Obtain).await.map(drop);
        }
        let _turn = self.shared.logging_in.lock().await;
        self.shared.memory().step_ups = 0;
        self.login_unlocked(request, interaction).await
    }

    pub(crate) async fn login_unlocked(
        &self,
        request: &LoginRequest,
        interaction: &dyn Interaction,
    ) -> Result<(), Error> {
        let login = self.begin_login(request).await?;
        let reused = login.attempt.reused;
        match login.finish(interaction).await {
            Err(error) if error.is_invalid_client() && reused => {
                tracing::debug!(%error, "the client of an earlier login is forgotten; registering a new one");
                let again = LoginRequest { new_client: true, ..request.clone() };
                self.begin_login(&again).await?.finish(interaction).await
            }
            result => result,
        }
    }

    /// Begins a login: finds the authorization server, becomes known to it, and listens for the browser.
    ///
    /// The client is chosen by the first of these that applies:
    ///
    /// 1. the one that is set for the server;
    /// 2. the client metadata document, where the authorization server accepts one;
    /// 3. the one that an earlier login has registered, if its redirect URI can be listened at;
    /// 4. a new registration.
    ///
    /// # Errors
    ///
    /// See [`Session::login`].
    ///
    /// # Cancel safety
    ///
    /// A registration that has been made and not yet been stored is lost; the next login makes another.
    pub async fn begin_login(&self, request: &LoginRequest) -> Result<Login<'_>, Error> {
        let shared = &*self.shared;
        let method = request.method.unwrap_or(shared.settings.method);
        let lock = shared.login_lock().await?;
        let heard = shared.memory().challenge.clone();
        let remembered = match heard {
            Some(heard) => Some(heard),
            None => shared.last_login().await?.and_then(|login| login.challenge),
        };
        let challenge = request.challenge.as_ref().or(remembered.as_ref());
        let discovery = discover(&*shared.web, &shared.server, challenge, &shared.settings).await?;
        if method == LoginMethod::Browser {
            let excepted = shared.settings.exceptions.unstated_code_challenges;
            require_code_protection(&discovery.authorization_server, excepted)?;
        }
        let earlier = shared.earlier(&discovery).await?;
        let held = earlier.as_ref().and_then(|earlier| earlier.proof_key.as_ref());
        let proof_key = shared.proof_key(&discovery.authorization_server, held)?;
        let suggested = choose_scopes(
            shared.settings.scopes.as_ref(),
            challenge.and_then(|challenge| challenge.scope.as_ref()),
            discovery.scopes_supported.as_ref(),
            &discovery.authorization_server,
        );
        let wanting = earlier.as_ref().map(Credential::wanting).unwrap_or_default();
        let scopes = request.scopes.union(&wanting).union(&suggested);
        let challenge = challenge.map(|challenge| challenge.clone().widened(&scopes, None));
        let plan = Plan { discovery, earlier, scopes, new_client: request.new_client, method, challenge };
        let (attempt, listener) = shared.prepare(plan, proof_key).await?;
        let waiting = match method {
            LoginMethod::Browser => {
                let url = attempt.authorization.url()?;
                check_openable(&url)?;
                Waiting::Browser { listener, url }
            }
            LoginMethod::Device => {
                let authorization = &attempt.authorization;
                let endpoint = shared.endpoint(&authorization.server, &authorization.client);
                let resource = authorization.resource.as_deref();
                Waiting::Device(Box::new(endpoint.start_device(&authorization.scopes, resource).await?))
            }
        };
        Ok(Login { session: self, attempt, waiting, _lock: lock })
    }

    /// Finishes a login that was [suspended](Login::suspend), with the address at which the browser ended or its query.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsLogin`] when none is suspended; otherwise as for [`Session::login`]. After [`Error::Redirect`] it
    /// is still suspended, and can be finished with the right address.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may use up the code; log in again.
    pub async fn finish_login(&self, pasted: &str) -> Result<(), Error> {
        let shared = &*self.shared;
        let slot = shared.slot.clone();
        let pending = shared.blocking(move |store| store.pending(&slot)).await?;
        let Some(pending) = pending else { return Err(shared.needs_login(LoginReason::NeverLoggedIn)) };
        let code = pending.authorization.accept(&Redirect::from_pasted(pasted)?)?;
        let attempt = Attempt {
            authorization: pending.authorization,
            proof_key: pending.proof_key,
            reused: false,
            challenge: pending.challenge,
        };
        let response = shared.exchange(&attempt, &code).await?;
        shared.commit(attempt, &response).await
    }
}

impl Login<'_> {
    /// What to show to the person.
    pub fn prompt(&self) -> Prompt {
        match &self.waiting {
            Waiting::Browser { url, .. } => {
                Prompt::Open { url: url.clone(), redirect_uri: self.attempt.authorization.redirect_uri.clone() }
            }
            Waiting::Device(device) => Prompt::Enter {
                url: device.verification_uri().url().clone(),
                complete_url: device.verification_uri_complete().and_then(|url| Url::parse(url.secret()).ok()),
                code: device.user_code().secret().clone(),
                expires_in: device.expires_in(),
            },
        }
    }

    /// Shows the [prompt](Login::prompt), waits for the answer and keeps the login.
    ///
    /// # Errors
    ///
    /// See [`Session::login`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the login.
    pub async fn finish(self, interaction: &dyn Interaction) -> Result<(), Error> {
        let shared = &*self.session.shared;
        interaction.present(self.prompt()).await?;
        let response = match &self.waiting {
            Waiting::Browser { listener, .. } => match self.attempt.code(listener, interaction).await {
                Ok(code) => shared.exchange(&self.attempt, &code).await,
                Err(error) => Err(error),
            },
            Waiting::Device(device) => {
                let proof = self.attempt.proof()?;
                let authorization = &self.attempt.authorization;
                let endpoint = shared.endpoint(&authorization.server, &authorization.client).with_proof(proof.as_ref());
                endpoint.poll_device(device, authorization.resource.as_deref()).await
            }
        };
        let response = shared.note_forgotten_client(&self.attempt, response).await?;
        shared.commit(self.attempt, &response).await
    }

    /// Stores the login so that [`Session::finish_login`] can go on with it, and stops listening.
    ///
    /// # Errors
    ///
    /// When it cannot be stored, and [`Error::Unsupported`] for a login on another device, which has nothing to paste.
    ///
    /// # Cancel safety
    ///
    /// The login may or may not have been stored.
    pub async fn suspend(self) -> Result<Prompt, Error> {
        let shared = &*self.session.shared;
        if matches!(self.waiting, Waiting::Device(_)) {
            return Err(Error::Unsupported {
                issuer: self.attempt.authorization.server.issuer,
                what: "a device login that is finished elsewhere",
                advice: "wait for it here",
            });
        }
        let prompt = self.prompt();
        let pending = PendingLogin {
            slot: shared.slot.clone(),
            authorization: self.attempt.authorization,
            proof_key: self.attempt.proof_key,
            challenge: self.attempt.challenge,
        };
        shared.blocking(move |store| store.save_pending(&pending)).await?;
        Ok(prompt)
    }
}

impl Attempt {
    fn proof(&self) -> Result<Option<ProofKey>, Error> {
        self.proof_key.as_ref().map(ProofKey::from_stored).transpose()
    }

    /// The code, from the browser or from the person's clipboard, whichever comes first.
    async fn code(&self, listener: &CallbackListener, interaction: &dyn Interaction) -> Result<Secret, Error> {
        let judge = |redirect: &Redirect| {
            let own = redirect.state.as_ref() == Some(&self.authorization.state);
            if own { Judgement::Final(self.authorization.accept(redirect)) } else { Judgement::Foreign }
        };
        let either = async {
            tokio::select! {
                code = listener.redirected(judge) => code,
                code = self.pasted_code(interaction) => code,
            }
        };
        let after = BROWSER_TIMEOUT;
        timeout(after, either).await.unwrap_or(Err(Error::TimedOut { what: "the login in the browser", after }))
    }

    async fn pasted_code(&self, interaction: &dyn Interaction) -> Result<Secret, Error> {
        loop {
            let pasted = interaction.pasted().await;
            match Redirect::from_pasted(&pasted).and_then(|redirect| self.authorization.accept(&redirect)) {
                Err(Error::Redirect { reason }) => {
                    interaction.present(Prompt::NotAccepted { reason: reason.to_owned() }).await?;
                }
                result => return result,
            }
        }
    }
}

/// What is known before the client is chosen.
struct Plan {
    discovery: Discovery,
    earlier: Option<Credential>,
    scopes: Scopes,
    new_client: bool,
    method: LoginMethod,
    challenge: Option<Challenge>,
}

impl Shared {
    async fn login_lock(&self) -> Result<StoreLock, Error> {
        let slot = self.slot.clone();
        let lock = self.blocking(move |store| store.try_lock(&slot, LockPurpose::Login)).await?;
        lock.ok_or_else(|| Error::LoginInProgress { server: self.slot.server.clone() })
    }

    /// What is stored for the authorization server that was found. What another one gave is not looked at.
    async fn earlier(&self, discovery: &Discovery) -> Result<Option<Credential>, Error> {
        let issuer = &discovery.authorization_server.issuer;
        Ok(self.stored().await?.into_iter().find(|credential| credential.server.issuer == *issuer))
    }

    async fn prepare(&self, plan: Plan, proof_key: Option<Secret>) -> Result<(Attempt, CallbackListener), Error> {
        let server = plan.discovery.authorization_server.clone();
        let known = self.known_client(&plan).await?;
        let callback = &self.settings.callback;
        let registered = known.as_ref().and_then(|client| client.redirect_uri.as_deref());
        let sticky = registered.and_then(|uri| callback.port_of(uri));
        let listener = CallbackListener::bind(callback, sticky).await.map_err(|source| Error::Unreachable {
            url: callback.redirect_uri(callback.port.unwrap_or_default()),
            source: Box::new(source),
        })?;
        let redirect_uri = callback.redirect_uri(listener.port());
        // A registered client is good for the redirect URI it was registered with, and for no other.
        let fits = |client: &Client| {
            client.origin != ClientOrigin::Registered || client.redirect_uri.as_deref() == Some(&redirect_uri)
        };
        let known = known.filter(fits);
        let reused = known.as_ref().is_some_and(|client| client.origin == ClientOrigin::Registered);
        let resource = self.resource_parameter(&plan.discovery);
        let client = match known {
            Some(client) => client,
            None => self.register(&plan, &redirect_uri, resource.clone()).await?,
        };
        let authorization = Authorization {
            server,
            client,
            redirect_uri,
            scopes: plan.scopes,
            resource,
            state: random_text()?,
            verifier: random_text()?,
        };
        Ok((Attempt { authorization, proof_key, reused, challenge: plan.challenge }, listener))
    }

    /// A client that needs no registration.
    async fn known_client(&self, plan: &Plan) -> Result<Option<Client>, Error> {
        let server = &plan.discovery.authorization_server;
        if let Some(configured) = self.configured_client(server).await? {
            return Ok(Some(configured));
        }
        if let Some(document) = self.settings.client_document.as_ref().filter(|_| server.accepts_client_documents) {
            return Ok(Some(Client::public(document.as_str(), ClientOrigin::Document)));
        }
        // A client that registered itself may have no scopes but those it named then, which were those it asked for.
        let reaches =
            |earlier: &&Credential| earlier.tokens.as_ref().is_none_or(|tokens| tokens.requested.covers(&plan.scopes));
        let earlier = plan.earlier.as_ref().filter(|_| !plan.new_client).filter(reaches);
        let usable = |client: &Client| client.origin == ClientOrigin::Registered && client.is_usable(self.clock.now());
        Ok(earlier.map(|earlier| earlier.client.clone()).filter(usable))
    }

    /// Registers a client, and stores it unless that would take the client away from tokens that still need it.
    async fn register(&self, plan: &Plan, redirect_uri: &str, resource: Option<String>) -> Result<Client, Error> {
        let server = &plan.discovery.authorization_server;
        let registration = Registration {
            client_name: &self.settings.client_name,
            redirect_uri,
            scopes: &plan.scopes,
            device: plan.method == LoginMethod::Device,
        };
        let client = register(&*self.web, server, &registration).await?;
        if plan.earlier.as_ref().is_none_or(|earlier| earlier.tokens.is_none()) {
            let generation = plan.earlier.as_ref().map_or(0, |earlier| earlier.generation) + 1;
            let mut blank = Credential::new(self.slot.clone(), server.clone(), client.clone(), resource);
            blank.generation = generation;
            let lock = self.lock().await?;
            drop(self.save(lock, &blank).await?);
        }
        Ok(client)
    }

    async fn exchange(&self, attempt: &Attempt, code: &Secret) -> Result<TokenResponse, Error> {
        let authorization = &attempt.authorization;
        let grant = Grant::AuthorizationCode {
            code,
            verifier: &authorization.verifier,
            redirect_uri: &authorization.redirect_uri,
        };
        let proof = attempt.proof()?;
        let mut request = TokenRequest::new(grant);
        request.resource = authorization.resource.as_deref();
        self.endpoint(&authorization.server, &authorization.client).with_proof(proof.as_ref()).request(&request).await
    }

    /// A client that is unknown is forgotten. A browser that never came back may have met a page that does not know it: the next
    /// login registers anew.
    async fn note_forgotten_client<T>(&self, attempt: &Attempt, result: Result<T, Error>) -> Result<T, Error> {
        let forgotten = |error: &Error| error.is_invalid_client() || matches!(error, Error::TimedOut { .. });
        if attempt.reused && result.as_ref().err().is_some_and(forgotten) {
            self.forget_client(attempt).await?;
        }
        result
    }

    async fn forget_client(&self, attempt: &Attempt) -> Result<(), Error> {
        let lock = self.lock().await?;
        let stored = self.stored().await?;
        let same = |credential: &Credential| credential.client.id == attempt.authorization.client.id;
        if let Some(mut credential) = stored.into_iter().find(same) {
            credential.client.refused = true;
            credential.generation += 1;
            drop(self.save(lock, &credential).await?);
        }
        Ok(())
    }

    /// Stores a login and uses it. Only here an earlier login with the same authorization server is replaced.
    async fn commit(&self, attempt: Attempt, response: &TokenResponse) -> Result<(), Error> {
        let Attempt { authorization, proof_key, challenge, .. } = attempt;
        // A renewal of the earlier login must not be published after this one.
        let _turn = self.renewing.lock().await;
        let lock = self.lock().await?;
        let stored = self.stored().await?;
        let before = stored.iter().map(|credential| credential.generation).max().unwrap_or_default();
        let mut blank =
            Credential::new(self.slot.clone(), authorization.server, authorization.client, authorization.resource);
        blank.generation = before;
        blank.proof_key = proof_key;
        blank.challenge = challenge;
        if let Some(earlier) = stored.into_iter().find(|earlier| earlier.id() == blank.id()) {
            blank.missing = earlier.missing;
        }
        let credential = blank.renewed(response, &authorization.scopes, self.clock.now());
        self.keep(lock, credential).await?;
        {
            let mut memory = self.memory();
            memory.unproven_logins += 1;
            memory.declined = false;
        }
        let slot = self.slot.clone();
        self.blocking(move |store| store.forget_pending(&slot)).await
    }
}
