//! How long one logical call may take: whatever it consists of, it has one deadline.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::{Error, Timeouts};

/// Longer than this nobody waits, whatever was asked for: a point in time must be computable.
const FOR_EVER: Duration = Duration::from_hours(24 * 365);

/// How much later than whoever ends a handshake each of its steps would end.
const SLACK: Duration = Duration::from_secs(1);

/// What holds for one call and no other. What it leaves open is as the connection's [`Timeouts`] say.
///
/// A call is everything that its caller asked for with one function: questions in between and the rounds they cause, a
/// task that is polled, another login, another session, waiting for whoever else is being asked. All of it ends at the
/// total.
///
/// ```
/// use std::time::Duration;
/// use mcp_transport::CallScope;
///
/// // Whatever the connection says: ten seconds, and not one more.
/// let strict = CallScope::default().within(Duration::from_secs(10));
/// // Silent for an hour, if need be.
/// let patient = CallScope::default().with_silence(Duration::from_secs(3600));
/// # assert_eq!((strict.total, patient.total), (Some(Duration::from_secs(10)), None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CallScope {
    /// How long the server may neither answer nor report progress, instead of [`Timeouts::call`]. Longer than
    /// [`Timeouts::call_total`], it lengthens the total too.
    pub silence: Option<Duration>,
    /// How long all of it may take, instead of [`Timeouts::call_total`].
    pub total: Option<Duration>,
    /// Since when the total counts: for a caller whose call began before this one, or is made again.
    pub since: Option<Instant>,
    /// Whether making the call twice is making it once, whatever its tool says of itself. A failure on the way that may pass (a
    /// lost connection, HTTP 502, 503 or 504) then leads to another try. Default no.
    pub is_repeatable: bool,
}

impl CallScope {
    /// Ends the call after `limit`, progress or not; longer or shorter than the connection's own limits.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        self.with_silence(limit).with_total(limit)
    }

    /// Lets the server be silent for this long.
    #[must_use]
    pub fn with_silence(mut self, silence: Duration) -> Self {
        self.silence = Some(silence);
        self
    }

    /// Ends all of it after this time.
    #[must_use]
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = Some(total);
        self
    }

    /// Counts the total from `since`.
    #[must_use]
    pub fn with_since(mut self, since: Instant) -> Self {
        self.since = Some(since);
        self
    }

    /// Says that making the call twice is making it once.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.is_repeatable = true;
        self
    }

    pub(crate) fn patience(self, timeouts: &Timeouts) -> Patience {
        let silence = self.silence.unwrap_or(timeouts.call);
        let total = self.total.unwrap_or_else(|| timeouts.call_total.max(self.silence.unwrap_or_default()));
        Patience { since: self.since.unwrap_or_else(Instant::now), silence, total, margin: Duration::ZERO }
    }
}

/// How long one logical call may take, counted from its beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    since: Instant,
    /// Of one exchange, without a sign of life.
    silence: Duration,
    /// Of all exchanges, and of everything between them.
    total: Duration,
    /// How much sooner somebody else ends it all.
    margin: Duration,
}

impl Patience {
    /// A fixed time from now on.
    pub(crate) fn fixed(limit: Duration) -> Self {
        Self { since: Instant::now(), silence: limit, total: limit, margin: Duration::ZERO }
    }

    /// That of a handshake, which somebody else ends at `deadline`: no step of it needs a limit of its own.
    pub(crate) fn handshake(deadline: Instant) -> Self {
        let left = deadline.saturating_duration_since(Instant::now());
        Self { margin: SLACK, ..Self::fixed(left.saturating_add(SLACK)) }
    }

    /// The rest of it, and `limit` at most.
    pub(crate) fn at_most(self, limit: Duration) -> Self {
        Self::fixed(self.deadline().saturating_duration_since(Instant::now()).min(limit))
    }

    /// The end of what may be waited for before something is sent again.
    pub(crate) fn worth_until(&self) -> Instant {
        let end = self.silent_until();
        end.checked_sub(self.margin).unwrap_or(end)
    }

    /// When everything ends.
    pub(crate) fn deadline(&self) -> Instant {
        self.since + self.total.min(FOR_EVER)
    }

    /// When an exchange ends that is silent from now on.
    pub(crate) fn silent_until(&self) -> Instant {
        (Instant::now() + self.silence.min(FOR_EVER)).min(self.deadline())
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline()
    }

    /// What to say when the time is up.
    pub(crate) fn over(&self, method: &str) -> Error {
        Error::Timeout { method: method.to_owned(), after: self.since.elapsed() }
    }

    /// Drops `work` at the deadline, whatever it waits for.
    pub(crate) async fn hold<T>(&self, method: &str, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        timeout_at(self.deadline(), work).await.unwrap_or_else(|_late| Err(self.over(method)))
    }
}

#[cfg(test)]
mod tests;
