//! Points in time as the store keeps them, and where they come from.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A point in time in whole seconds since 1970, as a record on disk keeps it.
///
/// Expiry is stored as a point in time and never as a remaining duration: a duration means nothing once the process that
/// received it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The point `seconds` after the start of 1970.
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds)
    }

    /// Seconds since the start of 1970.
    pub const fn seconds(self) -> u64 {
        self.0
    }

    /// This point later by `duration`, of which fractions of a second are dropped.
    #[must_use]
    pub const fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.as_secs()))
    }

    /// How long after `earlier` this point is; nothing when it is before.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_secs(self.0.saturating_sub(earlier.0))
    }
}

/// Where the present time comes from: the system, or a test.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self::new(|| {
            let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Timestamp::from_seconds(elapsed.as_secs())
        })
    }

    /// A clock that asks `now`.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The present.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Clock")
    }
}
