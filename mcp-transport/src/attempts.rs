//! One attempt at a time, and its failure for all who waited for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lets those who want the same thing at the same time share one attempt at it, also when it fails: each trying in turn
/// would make the last one wait for everybody's time limit.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use mcp_transport::Attempts;
///
/// let attempts = Attempts::default();
/// let attempt = async || {
///     tokio::task::yield_now().await;
///     Err::<(), _>("no")
/// };
/// let made = async || attempts.share(|| None, |error| Some(*error), attempt()).await;
/// assert_eq!(tokio::join!(made(), made()), (Err("no"), Err("no"))); // one attempt
/// # }
/// ```
#[derive(Debug)]
pub struct Attempts<E> {
    /// Held by whoever tries.
    turn: tokio::sync::Mutex<()>,
    failures: Mutex<Failures<E>>,
}

#[derive(Debug)]
struct Failures<E> {
    count: u64,
    last: Option<E>,
}

impl<E> Default for Attempts<E> {
    fn default() -> Self {
        Self { turn: tokio::sync::Mutex::default(), failures: Mutex::new(Failures { count: 0, last: None }) }
    }
}

impl<E> Attempts<E> {
    /// What is `there` already, or what `attempt` brings; a `copy` of the failure of an attempt that was made while this call
    /// waited for its turn. A failure of which there is no copy is not shared.
    ///
    /// # Errors
    ///
    /// Those of `attempt`, or of the one that was waited for.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops an attempt under way; one of those who wait makes its own.
    pub async fn share<T>(
        &self,
        there: impl FnOnce() -> Option<T>,
        copy: impl Fn(&E) -> Option<E>,
        attempt: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let seen = self.failures().count;
        let _turn = self.turn.lock().await;
        if let Some(there) = there() {
            return Ok(there);
        }
        let shared = {
            let failures = self.failures();
            failures.last.as_ref().filter(|_| failures.count != seen).and_then(&copy)
        };
        if let Some(failure) = shared {
            return Err(failure);
        }
        let outcome = attempt.await;
        let mut failures = self.failures();
        failures.last = outcome.as_ref().err().and_then(&copy);
        failures.count = failures.count.wrapping_add(u64::from(outcome.is_err()));
        drop(failures);
        outcome
    }

    /// Whether an attempt is being made at this moment.
    pub fn is_under_way(&self) -> bool {
        self.turn.try_lock().is_err()
    }

    fn failures(&self) -> MutexGuard<'_, Failures<E>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
