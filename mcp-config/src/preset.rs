//! Whose world is reproduced: which files are looked at, in which order.

use crate::place::{Place, Surroundings};
use crate::source::{Host, Scope};

/// Whose world is reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Preset {
    /// This toolkit: its own files as the user's, every other host's as imports, in the order of [`Scope`].
    #[default]
    Toolkit,
    /// hoocode, where **the user beats the project**. From the highest precedence to the lowest:
    ///
    /// 1. `~/.agents/mcp.json`
    /// 2. `./.agents/mcp.json`
    /// 3. `~/.config/claude/mcp.json`
    /// 4. `~/.hoocode/mcp-servers/*.json`
    /// 5. `./.hoocode/mcp-servers/*.json`
    /// 6. plugins
    ///
    /// `./` is the working directory alone. Of two files in one directory the first by name wins; hoocode itself leaves
    /// that to the file system.
    Hoocode,
    /// `FreeCode`: `~/.freecode/config.json` and nothing else.
    Freecode,
    /// One host alone: its user files are the user's own, its project files and other places as that host orders them.
    Only(Host),
}

impl Preset {
    /// Returns the name used on the command line: `toolkit`, `hoocode`, `freecode`, or that of the one host.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Toolkit => "toolkit",
            Self::Hoocode => "hoocode",
            Self::Freecode => "freecode",
            Self::Only(host) => host.name(),
        }
    }

    /// Returns how the preset's system writes a tool's id, with `{server}` and `{tool}` for the names.
    ///
    /// ```
    /// use mcp_config::Preset;
    ///
    /// assert_eq!(Preset::Toolkit.tool_id_template(), "mcp__{server}__{tool}");
    /// assert_eq!(Preset::Hoocode.tool_id_template(), "mcp_{server}_{tool}");
    /// ```
    pub const fn tool_id_template(self) -> &'static str {
        match self {
            Self::Hoocode | Self::Only(Host::Hoocode) => "mcp_{server}_{tool}",
            Self::Toolkit | Self::Freecode | Self::Only(_) => "mcp__{server}__{tool}",
        }
    }

    /// Returns the places, lowest precedence first.
    pub(crate) fn places(self, surroundings: &Surroundings<'_>) -> Vec<Place> {
        match self {
            Self::Toolkit => {
                // Within one scope, hosts are in the reverse order of listings: this toolkit's own files win.
                let hosts = Host::ALL.into_iter().rev();
                let mut places: Vec<Place> =
                    hosts.flat_map(|host| surroundings.of(host, Scope::Imported)).filter(is_not_machine_wide).collect();
                places.sort_by_key(|place| place.source.scope);
                places
            }
            Self::Hoocode => surroundings.of(Host::Hoocode, Scope::User),
            Self::Freecode => surroundings.of(Host::FreeCode, Scope::User),
            Self::Only(host) => surroundings.of(host, Scope::User),
        }
    }

    /// Returns the host whose world it is, whose servers need no import.
    pub(crate) fn host(self) -> Host {
        match self {
            Self::Toolkit => Host::Toolkit,
            Self::Hoocode => Host::Hoocode,
            Self::Freecode => Host::FreeCode,
            Self::Only(host) => host,
        }
    }
}

/// What an administrator gave another host to run is not for this toolkit to take over.
fn is_not_machine_wide(place: &Place) -> bool {
    !place.is_machine_wide
}
