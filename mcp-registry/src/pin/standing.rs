//! How a tool stands against what was approved, and what becomes of one that changed.

use std::fmt;
use std::str::FromStr;

/// How a tool stands against the baseline the user approved. The order is that of caution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// It is as it was approved, or its server keeps no baseline.
    #[default]
    Approved,
    /// It changed or is new. It is offered as it is; the user is told.
    Noted,
    /// Its description changed, and what it takes and returns did not. It is offered in the words that were approved.
    Reworded,
    /// It changed or is new. It is offered as it is; every call asks until it is approved.
    AskAgain,
    /// It changed or is new. It is not offered until it is approved.
    Held,
}

impl Standing {
    /// Whether the tool's own word on being read-only is suspended.
    pub(crate) fn is_suspended(self) -> bool {
        matches!(self, Self::AskAgain | Self::Held)
    }
}

/// What becomes of a tool that changed, or joined, since its server was approved. The order is that of caution: of two
/// policies the greater protects more.
///
/// ```
/// use mcp_registry::PinPolicy;
///
/// assert_eq!("ask".parse(), Ok(PinPolicy::Ask));
/// assert_eq!(PinPolicy::default(), PinPolicy::Hold);
/// assert!(PinPolicy::Hold > PinPolicy::Ask && PinPolicy::Ask > PinPolicy::Note);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PinPolicy {
    /// It is offered as it is; the user is told.
    Note,
    /// It is offered as it is; its calls ask until it is approved.
    Ask,
    /// A model sees what was approved: the tool is offered in its approved words if those still fit it, else not at all.
    #[default]
    Hold,
}

impl PinPolicy {
    /// Returns the name that settings use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Ask => "ask",
            Self::Hold => "hold",
        }
    }

    /// How a tool stands that cannot be offered as it was approved.
    pub(super) fn standing(self) -> Standing {
        match self {
            Self::Note => Standing::Noted,
            Self::Ask => Standing::AskAgain,
            Self::Hold => Standing::Held,
        }
    }
}

impl fmt::Display for PinPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// The name is that of no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected note, ask or hold, found `{name}`")]
pub struct UnknownPinPolicy {
    /// The name that was given.
    pub name: String,
}

impl FromStr for PinPolicy {
    type Err = UnknownPinPolicy;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::Note, Self::Ask, Self::Hold]
            .into_iter()
            .find(|policy| policy.as_str() == name)
            .ok_or_else(|| UnknownPinPolicy { name: name.to_owned() })
    }
}
