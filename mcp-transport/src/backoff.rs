//! How long to wait before the next try.

use std::time::Duration;

/// Exponential waiting with a ceiling and jitter.
///
/// The n-th wait is drawn evenly from the upper half of `first × 2ⁿ`, and of `ceiling` once that is smaller: many
/// clients of one server do not come back in the same instant, and none waits much longer than its step says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backoff {
    /// The first wait, before jitter. Default 500 ms.
    pub first: Duration,
    /// No wait is longer. Default 30 s.
    pub ceiling: Duration,
}

impl Backoff {
    /// Waits from `first` up to `ceiling`.
    pub fn new(first: Duration, ceiling: Duration) -> Self {
        Self { first, ceiling }
    }

    /// The wait after `failures` failures (0 is the first wait); `jitter` is a random number from 0 to 1.
    pub fn wait(self, failures: u32, jitter: f64) -> Duration {
        let step = self.first.saturating_mul(2_u32.saturating_pow(failures.min(20))).min(self.ceiling);
        step.mul_f64(jitter.clamp(0.0, 1.0).mul_add(0.5, 0.5))
    }

    pub(crate) fn random(self, failures: u32) -> Duration {
        self.wait(failures, fastrand::f64())
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(500), Duration::from_secs(30))
    }
}

#[cfg(test)]
mod tests;
