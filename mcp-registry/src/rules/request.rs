//! What is asked of the rules, and in which mode.

use serde_json::Value;

use crate::effect::Effect;
use crate::pin::Standing;
use crate::snapshot::Origin;

/// A call that somebody wants to make. [`crate::Registered::request`] fills it in.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The server's name; empty for a tool of the host.
    pub server: &'a str,
    /// The hash of the server's configuration.
    pub definition: &'a str,
    /// The server's name for the tool.
    pub tool: &'a str,
    /// What a call does.
    pub effect: Effect,
    /// The arguments, an object or null. They must be those that are sent: give the parsed value to both.
    pub arguments: &'a Value,
    /// How the tool stands against its approved baseline.
    pub standing: Standing,
    /// Who answers the call.
    pub origin: Origin,
}

/// How much a session may do without being told.
///
/// | mode | read-only | mutating | where a rule says ask |
/// |---|---|---|---|
/// | [`Mode::Build`] | allow | ask | ask |
/// | [`Mode::Plan`], [`Mode::Review`] | allow | deny | ask |
/// | [`Mode::Explore`] | allow | deny | deny |
/// | [`Mode::Unattended`] | allow | deny, as nobody answers | deny |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Work with a person at hand.
    #[default]
    Build,
    /// Prepare a change without making it.
    Plan,
    /// Read and judge somebody's change.
    Review,
    /// Look around without disturbing anybody.
    Explore,
    /// Work with nobody at hand who could answer.
    Unattended,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 5] = [Self::Build, Self::Plan, Self::Review, Self::Explore, Self::Unattended];

    /// Returns the mode's name: `build`, `plan`, `review`, `explore` or `unattended`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Plan => "plan",
            Self::Review => "review",
            Self::Explore => "explore",
            Self::Unattended => "unattended",
        }
    }

    /// Returns the mode of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// Whether a mutating call that no rule allows is refused outright.
    pub(super) fn refuses_mutations(self) -> bool {
        matches!(self, Self::Plan | Self::Review | Self::Explore)
    }

    /// Whether nobody is to be asked, so that a question counts as refused.
    pub(super) fn refuses_questions(self) -> bool {
        matches!(self, Self::Explore | Self::Unattended)
    }
}
