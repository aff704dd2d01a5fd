//! The store, from asynchronous code.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use crate::challenge::Challenge;
use crate::client::{Client, ClientOrigin};
use crate::credential::Credential;
use crate::error::Error;
use crate::metadata::AuthorizationServer;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::session::Shared;
use crate::store::private_file::LOCK_POLL;
use crate::store::{LockPurpose, StoreLock, TokenStore};

/// How long a lock is waited for: longer than a renewal may take.
const LOCK_WAIT: Duration = Duration::from_mins(1);

impl Shared {
    /// Runs `work` on a thread that may block.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn TokenStore) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let store = Arc::clone(&self.store);
        let done = spawn_blocking(move || work(&*store)).await;
        done.unwrap_or(Err(Error::Interrupted { what: "reading the store" }))
    }

    /// Every readable credential of the slot, for the configured issuer if one is configured.
    ///
    /// A record that does not read back counts as logged out and has been reported; a store that does not answer is an
    /// error, since what it holds may be the login.
    pub(crate) async fn stored(&self) -> Result<Vec<Credential>, Error> {
        let slot = self.slot.clone();
        let (mut found, problems) = self.blocking(move |store| store.find(&slot)).await?;
        for problem in problems {
            match problem {
                Error::Record { .. } => tracing::warn!(%problem, "a stored login cannot be read"),
                problem if found.is_empty() => return Err(problem),
                _ => {}
            }
        }
        found.retain(|credential| self.settings.takes(credential));
        if let Some(issuer) = &self.settings.issuer {
            found.retain(|credential| self.settings.is_issuer(&credential.server.issuer, issuer));
        }
        Ok(found)
    }

    /// The credential of the last login, whichever authorization server it was with.
    pub(crate) async fn last_login(&self) -> Result<Option<Credential>, Error> {
        let age = |credential: &Credential| credential.tokens.as_ref().map(|tokens| tokens.obtained_at);
        let logged_in = self.stored().await?.into_iter().filter(|credential| credential.tokens.is_some());
        Ok(logged_in.max_by_key(|credential| (age(credential), credential.generation)))
    }

    /// The client that was registered by hand, if there is one and it has not been used with another authorization server:
    /// a server that names another could otherwise collect the client's secret.
    pub(crate) async fn configured_client(&self, server: &AuthorizationServer) -> Result<Option<Client>, Error> {
        let Some(client) = self.settings.configured_client(server) else { return Ok(None) };
        let stored = self.stored().await?;
        let elsewhere = stored.into_iter().find(|credential| {
            let same = credential.client.origin == ClientOrigin::Configured && credential.client.id == client.id;
            same && !self.settings.is_issuer(&credential.server.issuer, &server.issuer)
        });
        match elsewhere {
            Some(other) => Err(Error::ClientElsewhere {
                client: client.id,
                expected: other.server.issuer,
                found: server.issuer.clone(),
            }),
            None => Ok(Some(client)),
        }
    }

    /// Keeps what the login that was `sent` lacks, for a login in another process.
    pub(crate) async fn note_missing(
        &self,
        challenge: Option<Challenge>,
        wanted: &Scopes,
        sent: Option<&Secret>,
    ) -> Result<(), Error> {
        let _turn = self.renewing.lock().await;
        let lock = self.lock().await?;
        let Some(mut lacking) = self.last_login().await? else { return Ok(()) };
        let Some(tokens) = lacking.tokens.as_ref().filter(|tokens| Some(&tokens.access_token) == sent) else {
            return Ok(());
        };
        let missing = wanted.without(&tokens.granted);
        let all = tokens.requested.union(wanted);
        let challenge = challenge.map(|challenge| challenge.widened(&all, lacking.challenge.as_ref()));
        if lacking.missing == missing && lacking.challenge == challenge {
            return Ok(());
        }
        lacking.challenge = challenge;
        lacking.missing = missing;
        lacking.generation += 1;
        self.keep(lock, lacking).await.map(drop)
    }

    /// Waits for the lock under which credentials are changed.
    pub(crate) async fn lock(&self) -> Result<StoreLock, Error> {
        let waiting = async {
            loop {
                if let Some(lock) = self.try_lock().await? {
                    return Ok(lock);
                }
                sleep(LOCK_POLL).await;
            }
        };
        self.patiently(waiting).await
    }

    /// The lock under which credentials are changed, if nobody has it.
    pub(crate) async fn try_lock(&self) -> Result<Option<StoreLock>, Error> {
        let slot = self.slot.clone();
        self.blocking(move |store| store.try_lock(&slot, LockPurpose::Change)).await
    }

    /// Waits for something that comes with the lock, and not for ever.
    pub(crate) async fn patiently<T>(&self, waiting: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let what = "waiting for another process that renews this login";
        timeout(LOCK_WAIT, waiting).await.unwrap_or(Err(Error::TimedOut { what, after: LOCK_WAIT }))
    }

    /// Writes a credential; the lock comes back so that it is held until the caller has done everything.
    pub(crate) async fn save(&self, lock: StoreLock, credential: &Credential) -> Result<StoreLock, Error> {
        let credential = credential.clone();
        self.blocking(move |store| {
            store.save(&lock, &credential)?;
            Ok(lock)
        })
        .await
    }
}
