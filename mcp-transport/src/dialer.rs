//! A connection on demand: the living one, or a new one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::{Attempts, Backoff, ConnectOptions, Connection, Endpoint, Error, connect};

/// Keeps at most one connection to one server, and makes a new one when the old one is over.
///
/// Every connection is a value of its own: the end of an old process touches its own [`Connection`] only, never its
/// successor. Callers that ask at the same time share one attempt, and its failure. After a failure the next attempt waits
/// as [`Backoff`] says; callers that ask sooner wait with it.
///
/// Requests that were under way when a connection ended have failed and are not repeated: only the caller knows
/// whether that is safe. Whoever opens connections in a way of its own shares them with the same [`Attempts`].
#[derive(Debug, Clone)]
pub struct Dialer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    options: ConnectOptions,
    backoff: Backoff,
    attempts: Attempts<Error>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    current: Option<Connection>,
    failures: u32,
    not_before: Option<Instant>,
}

impl Dialer {
    /// A dialer that has not connected yet.
    pub fn new(endpoint: Endpoint, options: ConnectOptions, backoff: Backoff) -> Self {
        let (attempts, state) = (Attempts::default(), Mutex::default());
        Self { inner: Arc::new(Inner { endpoint, options, backoff, attempts, state }) }
    }

    /// Returns the living connection, or makes a new one.
    ///
    /// # Errors
    ///
    /// As [`connect`](crate::connect()). The error belongs to this attempt, and to all who waited for it; the next call makes
    /// another.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops an attempt under way; one of the others who wait makes its own.
    pub async fn connection(&self) -> Result<Connection, Error> {
        let living = || self.state().current.clone().filter(|connection| !connection.is_closed());
        self.inner.attempts.share(living, |error| Some(error.clone()), Box::pin(self.dial())).await
    }

    async fn dial(&self) -> Result<Connection, Error> {
        let not_before = {
            let mut state = self.state();
            state.current = None;
            state.not_before
        };
        if let Some(not_before) = not_before {
            tokio::time::sleep_until(not_before).await;
        }
        let dialed = connect(self.inner.endpoint.clone(), self.inner.options.clone()).await;
        let mut state = self.state();
        match &dialed {
            Ok(connection) => *state = State { current: Some(connection.clone()), ..State::default() },
            Err(error) => {
                let asked = error.retry_after().unwrap_or(Duration::ZERO);
                let wait = self.inner.backoff.random(state.failures).max(asked.min(self.inner.backoff.ceiling));
                state.failures = state.failures.saturating_add(1);
                state.not_before = Some(Instant::now() + wait);
            }
        }
        drop(state);
        dialed
    }

    /// Ends the current connection, if any, in an orderly way. The next [`connection`](Self::connection) makes a new
    /// one.
    ///
    /// # Cancel safety
    ///
    /// As [`Connection::shutdown`].
    pub async fn shutdown(&self) {
        let current = self.state().current.take();
        if let Some(connection) = current {
            connection.shutdown().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
