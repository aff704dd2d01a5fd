//! A server after merging: where it comes from, what it hides, and whether it may run.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::layer::{Entry, Layer};
use crate::preview::Preview;
use crate::remedy::Remedy;
use crate::server::ServerConfig;
use crate::source::{Host, Origin};
use crate::trust::{Approval, Identity};
use crate::trusted::Trusted;
use crate::workspace;

/// One server of the merged configuration.
///
/// What it runs and where it connects to is private: only [`trusted`](Self::trusted) leads there, and everything else
/// gets a redacted [`preview`](Self::preview).
///
/// ```compile_fail,E0616
/// fn run(server: &mcp_config::Resolved) {
///     let _ = &server.config; // the definition of a server that nobody has approved
/// }
/// ```
///
/// ```compile_fail,E0599
/// fn run(server: &mcp_config::Resolved, environment: &mcp_config::Environment) {
///     let _ = server.activate(environment); // only `Trusted` can be activated
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) shadows: Vec<Origin>,
    pub(crate) trust: Trust,
    /// As its file says: what a person approves, and what is planned.
    pub(crate) defined: Arc<ServerConfig>,
    /// With what overlays change of it: what is in force.
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) definition: String,
    /// What an approval of it is filed under, if it needs one.
    pub(crate) identity: Option<Identity>,
    /// The approval of exactly this.
    pub(crate) approval: Option<Approval>,
    pub(crate) context: LaunchContext,
    pub(crate) overridden_by: Vec<Origin>,
    /// The position of its layer, counted from the lowest.
    pub(crate) rank: usize,
}

/// What activation needs to know beside the definition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LaunchContext {
    pub(crate) workspace: std::path::PathBuf,
    pub(crate) default_cwd: std::path::PathBuf,
    pub(crate) plugin: Option<crate::layer::PluginDirectories>,
    /// Whether the entry is a project's, which may not reach outside the workspace unasked.
    pub(crate) confined: bool,
    /// The administrator's rules, by which what really starts is judged.
    pub(crate) policy: Option<Arc<crate::policy::Policy>>,
}

impl LaunchContext {
    pub(crate) fn new(layer: &Layer, entry: &Entry) -> Self {
        Self {
            workspace: layer.workspace.clone(),
            default_cwd: layer.default_cwd.clone(),
            plugin: entry.plugin.clone(),
            confined: layer.source.scope == crate::source::Scope::Project,
            policy: layer.policy.clone(),
        }
    }

    /// Whether a path leads to the repository's own.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        workspace::is_inside(path, &self.workspace)
    }
}

/// Whether a server may run, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
#[non_exhaustive]
pub enum Trust {
    /// It may.
    Trusted {
        /// What makes it trusted.
        why: Why,
    },
    /// It is the project's, and nobody has approved it.
    NeedsApproval {
        /// Whether it was approved before and has changed since.
        changed: bool,
    },
    /// It is another host's, and was not imported.
    Imported,
    /// It may not, whoever approves it.
    Denied {
        /// Why.
        reason: String,
    },
}

/// What makes a server trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Why {
    /// It stands in the user's own file.
    UserFile,
    /// The user named the file.
    Explicit,
    /// A person approved exactly this definition.
    Approved,
    /// The user's settings allow the imports of this host.
    AllowedImport,
    /// The user installed the plugin that brings it.
    Plugin,
}

impl Trust {
    /// Tells whether the server may run.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted { .. })
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Trusted { why: Why::Approved } => "approved",
            Self::Trusted { .. } => "trusted",
            Self::NeedsApproval { changed: false } => "needs approval",
            Self::NeedsApproval { changed: true } => "changed since approval",
            Self::Imported => "not imported",
            Self::Denied { .. } => "denied",
        })
    }
}

/// Why a server may not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotTrusted {
    /// The project's definition was never approved.
    #[error("server `{name}` from {origin} is not approved")]
    NeedsApproval {
        /// The server.
        name: String,
        /// Where it is defined.
        origin: Origin,
    },
    /// The project's definition, or a script it runs, is not the one that was approved.
    #[error("server `{name}` from {origin} has changed since it was approved")]
    Changed {
        /// The server.
        name: String,
        /// Where it is defined.
        origin: Origin,
    },
    /// It is another host's.
    #[error("server `{name}` from {origin} belongs to {host}")]
    Imported {
        /// The server.
        name: String,
        /// The host.
        host: Host,
        /// Where it is defined.
        origin: Origin,
    },
    /// It may not run at all.
    #[error("server `{name}` from {origin} is refused: {reason}")]
    Denied {
        /// The server.
        name: String,
        /// Where it is defined.
        origin: Origin,
        /// Why.
        reason: String,
    },
}

impl NotTrusted {
    /// What would let it run; none for what may not run at all.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NeedsApproval { name, .. } | Self::Changed { name, .. } => Some(Remedy::trust(name.as_str())),
            Self::Imported { host, .. } => Some(Remedy::import(*host)),
            Self::Denied { .. } => None,
        }
    }
}

impl Resolved {
    /// Returns the server's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns where it is defined.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the definitions of the same name that this one replaces, highest precedence first.
    pub fn shadows(&self) -> &[Origin] {
        &self.shadows
    }

    /// Returns the overlays that changed whether it runs, its time-outs or its tools, in the order they were applied.
    pub fn overridden_by(&self) -> &[Origin] {
        &self.overridden_by
    }

    /// Tells whether it is switched on.
    pub fn enabled(&self) -> bool {
        self.config.enabled
    }

    /// Tells whether it may run, and why.
    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Returns what may be shown of it.
    pub fn preview(&self) -> Preview {
        Preview::of(&self.config)
    }

    /// Returns the hash of its definition as written, variables unexpanded.
    pub fn definition_hash(&self) -> &str {
        &self.definition
    }

    /// Returns the definition, when it may run.
    ///
    /// # Errors
    /// It may not; the error says why, and the command that changes that.
    pub fn trusted(&self) -> Result<Trusted<ServerConfig>, NotTrusted> {
        let (name, origin) = (self.name.clone(), self.origin.clone());
        match &self.trust {
            Trust::Trusted { .. } => Ok(Trusted::new(self)),
            Trust::NeedsApproval { changed: false } => Err(NotTrusted::NeedsApproval { name, origin }),
            Trust::NeedsApproval { changed: true } => Err(NotTrusted::Changed { name, origin }),
            Trust::Imported => Err(NotTrusted::Imported { name, host: origin.source.host, origin }),
            Trust::Denied { reason } => Err(NotTrusted::Denied { name, origin, reason: reason.clone() }),
        }
    }
}

/// A server as listings show it: everything but its secrets.
impl Serialize for Resolved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Listed<'a> {
            name: &'a str,
            origin: &'a Origin,
            trust: &'a Trust,
            #[serde(flatten)]
            preview: Preview,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            shadows: &'a [Origin],
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            overridden_by: &'a [Origin],
            definition: &'a str,
        }
        let listed = Listed {
            name: &self.name,
            origin: &self.origin,
            trust: &self.trust,
            preview: self.preview(),
            shadows: &self.shadows,
            overridden_by: &self.overridden_by,
            definition: &self.definition,
        };
        listed.serialize(serializer)
    }
}
