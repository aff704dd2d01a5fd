//! A connection on demand: the living one, or a new one.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Mutex, time::Instant};

use crate::{Backoff, ConnectOptions, Connection, Endpoint, Error, connect};

/// Keeps at most one connection to one server, and makes a new one when the old one is over.
///
/// Every connection is a value of its own: the end of an old process touches its own [`Connection`] only, never its
/// successor. Callers that ask at the same time share one attempt. After a failure the next attempt waits as
/// [`Backoff`] says; callers that ask sooner wait with it.
///
/// Requests that were under way when a connection ended have failed and are not repeated: only the caller knows
/// whether that is safe.
#[derive(Debug, Clone)]
pub struct Dialer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    options: ConnectOptions,
    backoff: Backoff,
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
        Self { inner: Arc::new(Inner { endpoint, options, backoff, state: Mutex::default() }) }
    }

    /// Returns the living connection, or makes a new one.
    ///
    /// # Errors
    ///
    /// As [`connect`](crate::connect()). The error belongs to this attempt; the next call makes another.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops an attempt under way; others who wait make their own.
    pub async fn connection(&self) -> Result<Connection, Error> {
        let mut state = self.inner.state.lock().await;
        if let Some(living) = state.current.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(living.clone());
        }
        state.current = None;
        if let Some(not_before) = state.not_before {
            tokio::time::sleep_until(not_before).await;
        }
        match connect(self.inner.endpoint.clone(), self.inner.options.clone()).await {
            Ok(connection) => {
                *state = State { current: Some(connection.clone()), ..State::default() };
                Ok(connection)
            }
            Err(error) => {
                let asked = error.retry_after().unwrap_or(Duration::ZERO);
                let wait = self.inner.backoff.random(state.failures).max(asked.min(self.inner.backoff.ceiling));
                state.failures = state.failures.saturating_add(1);
                state.not_before = Some(Instant::now() + wait);
                Err(error)
            }
        }
    }

    /// Ends the current connection, if any, in an orderly way. The next [`connection`](Self::connection) makes a new
    /// one.
    ///
    /// # Cancel safety
    ///
    /// As [`Connection::shutdown`].
    pub async fn shutdown(&self) {
        let current = self.inner.state.lock().await.current.take();
        if let Some(connection) = current {
            connection.shutdown().await;
        }
    }
}
