//! Logging out.

use std::time::Duration;

use tokio::time::timeout;

use crate::credential::Credential;
use crate::error::Error;
use crate::registration::unregister;
use crate::session::{Session, Shared};

/// How long one token may take to be given back. The login is gone here in any case.
const REVOCATION_TIMEOUT: Duration = Duration::from_secs(10);

/// What a logout has done.
#[derive(Debug)]
#[non_exhaustive]
pub struct LogoutReport {
    /// The authorization servers whose logins and registrations have been removed here, in order.
    pub removed: Vec<String>,
    /// What became of the tokens there, in the same order; empty when they were not to be given back.
    pub revocations: Vec<Revocation>,
    /// What was in the way here. Something of the login may be left.
    pub problems: Vec<Error>,
}

/// What became of the tokens of one login at its authorization server.
#[derive(Debug)]
#[non_exhaustive]
pub enum Revocation {
    /// It has ended them.
    Done,
    /// It has no way to end them; they end by themselves.
    NotOffered,
    /// There were none.
    NothingHeld,
    /// It did not say that it has ended them.
    Failed(Error),
}

impl Session {
    /// Removes every login of this session's server and account from the store.
    ///
    /// With `revoke` the authorization server is then told to end the tokens
    /// ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)), the refresh token first, and the registration of a client
    /// that had registered itself. Whatever it answers, the login is gone here.
    ///
    /// # Errors
    ///
    /// When the store cannot be locked or listed.
    ///
    /// # Cancel safety
    ///
    /// What was removed stays removed; tokens may not have been given back.
    pub async fn logout(&self, revoke: bool) -> Result<LogoutReport, Error> {
        let shared = &*self.shared;
        let (found, problems) = shared.remove_all().await?;
        *shared.memory() = super::Memory::default();
        let mut report = LogoutReport { removed: Vec::new(), revocations: Vec::new(), problems };
        for credential in found {
            if revoke {
                report.revocations.push(shared.revoke(&credential).await);
            }
            report.removed.push(credential.server.issuer);
        }
        Ok(report)
    }
}

impl Shared {
    async fn remove_all(&self) -> Result<(Vec<Credential>, Vec<Error>), Error> {
        let lock = self.lock().await?;
        let slot = self.slot.clone();
        self.blocking(move |store| {
            let (found, mut problems) = store.find(&slot)?;
            for credential in &found {
                problems.extend(store.remove(&lock, credential).err());
            }
            problems.extend(store.forget_pending(&slot).err());
            Ok((found, problems))
        })
        .await
    }

    async fn revoke(&self, credential: &Credential) -> Revocation {
        let result = match &credential.tokens {
            None => Ok(Revocation::NothingHeld),
            Some(_) if credential.server.revocation_endpoint.is_none() => Ok(Revocation::NotOffered),
            Some(_) => self.revoke_tokens(credential).await.map(|()| Revocation::Done),
        };
        if let Some((url, token)) = &credential.client.management {
            let ended = timeout(REVOCATION_TIMEOUT, unregister(&*self.web, url, token)).await;
            if !matches!(ended, Ok(Ok(()))) {
                tracing::debug!("the registration of the client could not be ended");
            }
        }
        result.unwrap_or_else(Revocation::Failed)
    }

    async fn revoke_tokens(&self, credential: &Credential) -> Result<(), Error> {
        let Some(tokens) = &credential.tokens else { return Ok(()) };
        let endpoint = self.endpoint(&credential.server, &credential.client);
        let refresh = tokens.refresh_token.as_ref().map(|token| (token, true));
        let mut first_error = None;
        for (token, renews) in refresh.into_iter().chain([(&tokens.access_token, false)]) {
            let after = REVOCATION_TIMEOUT;
            let answer = timeout(after, endpoint.revoke(token, renews)).await;
            let answer = answer.unwrap_or(Err(Error::TimedOut { what: "giving a token back", after }));
            first_error = first_error.or(answer.err());
        }
        first_error.map_or(Ok(()), Err)
    }
}
