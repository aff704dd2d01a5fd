//! What the user approved, and what has changed since.

/// How a tool stands against the baseline the user approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// It is as it was approved, or its server keeps no baseline.
    #[default]
    Approved,
    /// It joined after the approval. It is offered; the user is told.
    New,
    /// A read-only tool changed. It is offered; the user is told.
    Flagged,
    /// A mutating tool changed, or a tool began to call itself read-only: every call asks until it is approved again.
    AskAgain,
    /// As [`Standing::AskAgain`], under a policy that refuses the calls instead.
    Quarantined,
}

impl Standing {
    /// Whether the tool's own word on being read-only is suspended.
    pub(crate) fn is_suspended(self) -> bool {
        matches!(self, Self::AskAgain | Self::Quarantined)
    }
}
