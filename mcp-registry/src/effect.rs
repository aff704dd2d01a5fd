//! Whether a call changes anything, and what follows from it.

/// Whether a call changes anything outside the conversation.
///
/// A tool is taken for [`Effect::Mutating`] unless one of these says otherwise, the first that speaks:
///
/// 1. the user's configuration, which may declare either effect for a tool ([`crate::ServerTools::with_effect`]);
/// 2. the server's `readOnlyHint: true`, if the server is trusted for annotations; hints of other servers
///    are [untrusted](https://modelcontextprotocol.io/specification/draft/server/tools#tool) by the specification.
///
/// Only read-only calls run beside each other ([`crate::plan_batches`]) and only they are repeated ([`Effect::may_retry`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// The call changes nothing.
    ReadOnly,
    /// The call may change something.
    Mutating,
}

/// Whether a failed call might succeed if it were made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// A timeout, a lost connection, an overloaded server: the same call may succeed.
    Transient,
    /// The server understood and refused: the same call fails again.
    Permanent,
}

impl Effect {
    /// How many times a call is repeated after a transient failure: a read-only call once, a mutating call never, because
    /// nobody knows whether the lost attempt took effect.
    pub const fn retries(self) -> usize {
        match self {
            Self::ReadOnly => 1,
            Self::Mutating => 0,
        }
    }

    /// Whether a call that has failed `attempts` times, the last time with `failure`, is made again.
    ///
    /// ```
    /// use mcp_registry::{Effect, Failure};
    ///
    /// assert!(Effect::ReadOnly.may_retry(1, Failure::Transient));
    /// assert!(!Effect::ReadOnly.may_retry(2, Failure::Transient));
    /// assert!(!Effect::Mutating.may_retry(1, Failure::Transient));
    /// ```
    pub const fn may_retry(self, attempts: usize, failure: Failure) -> bool {
        matches!(failure, Failure::Transient) && attempts <= self.retries()
    }

    /// Returns `read-only` or `mutating`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Mutating => "mutating",
        }
    }
}
