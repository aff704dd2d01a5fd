//! Finds, merges and edits the MCP server configurations a user already has, with provenance and trust.
//!
//! Every program that speaks the Model Context Protocol keeps its servers in a file of its own, in a dialect of its own.
//! This crate reads them all into one form, puts them on top of each other in a defined order, says of every server where
//! it comes from, and lets nothing that merely lay in a repository run before a person has agreed to it.
//!
//! ```
//! # let directory = tempfile::tempdir()?;
//! # let project = directory.path();
//! use mcp_config::{Discovery, Edit, Environment, FileFormat, Launch, NewServer, TrustStore, merge};
//!
//! // A server in the user's own file …
//! let environment = Environment::new(project.join("work")).with_home(project.join("home"));
//! let file = environment.user_file().ok_or("no home")?;
//! let mut edit = Edit::open(file, FileFormat::McpServers)?;
//! edit.add("clock", &NewServer::stdio("mcp-server-time", ["--zone", "${ZONE:-UTC}"]))?;
//! edit.save()?;
//!
//! // … is found, may run, and has its variables expanded when it does.
//! let found = Discovery::new(&environment).load();
//! let merged = merge(&found.layers, &TrustStore::default(), &environment);
//! let clock = merged.server("clock").ok_or("not found")?;
//! let activated = clock.trusted()?.activate(&environment)?;
//! assert!(matches!(activated.launch, Launch::Stdio { args, .. } if args == ["--zone", "UTC"]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Example: a project's server waits for approval
//!
//! ```
//! # let directory = tempfile::tempdir()?;
//! # let root = directory.path();
//! use std::time::SystemTime;
//!
//! use mcp_config::{Discovery, Environment, Remedy, TrustStore, merge};
//!
//! std::fs::write(root.join(".mcp.json"), r#"{"mcpServers": {"evil": {"command": "./run.sh"}}}"#)?;
//! let environment = Environment::new(root);
//! let found = Discovery::new(&environment).load();
//!
//! let (mut trust, _) = TrustStore::load(root.join("state/trust.json"));
//! let merged = merge(&found.layers, &trust, &environment);
//! let refusal = merged.servers[0].trusted().unwrap_err();
//! assert_eq!(refusal.remedy(), Some(Remedy::trust("evil")));
//!
//! let plan = merged.servers[0].plan(&environment); // Show its facts to somebody, and then:
//! trust.approve(&plan, SystemTime::now())?;
//! assert!(merge(&found.layers, &trust, &environment).servers[0].trusted().is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What happens in which order
//!
//! 1. [`Discovery`] finds files and reads them; each becomes a [`Layer`], and everything that is wrong a [`Problem`].
//! 2. [`merge`] picks one definition per name, a [`Resolved`]; see [`Scope`] for the order.
//! 3. [`Resolved::trusted`] opens the definition, if it may run.
//! 4. [`Trusted::activate`] expands its variables, once, from the [`Environment`] it is given.

mod budget;
mod dialect;
mod discovery;
mod disk;
mod doctor;
mod document;
mod edit;
mod env_file;
mod environment;
mod error;
mod facts;
mod fingerprint;
mod import;
mod layer;
mod login;
mod loosening;
mod mask;
mod merge;
mod new_server;
mod overlay;
mod own_file;
mod place;
mod plan;
mod policy;
mod preset;
mod preview;
mod problem;
mod problems;
mod programs;
mod registry_entry;
mod remedy;
mod resolved;
mod secret;
mod server;
mod settings;
mod source;
mod state;
mod state_key;
mod template;
mod temporary;
mod trust;
mod trusted;
mod wanted;
mod words;
mod workspace;

pub use discovery::{Discovery, Found, Looked, LookedState};
pub use doctor::{Activate, Machine, ThisMachine, diagnose};
pub use edit::{Edit, FileFormat};
pub use environment::{Environment, Platform};
pub use error::Error;
pub use facts::{Fact, Facts, Topic};
pub use fingerprint::{Changes, Fingerprint};
pub use import::{Import, ImportState, imports};
pub use layer::Layer;
pub use login::{
    ClientAuthentication, IdentityProviderHint, LoginException, LoginFlow, LoginProof, LoginSecrets, OauthHints,
    ResourceHint,
};
pub use loosening::Loosening;
pub use merge::{Merged, Shadowed, merge};
pub use new_server::NewServer;
pub use overlay::Withheld;
pub use own_file::OwnFile;
pub use plan::Plan;
pub use preset::Preset;
pub use preview::{LaunchPreview, Preview, RemotePreview};
pub use problem::{Position, Problem, ProblemKind, Severity};
pub use programs::Programs;
pub use registry_entry::{Need, RegistryServer};
pub use remedy::{PromptOf, Remedy};
pub use resolved::{NotTrusted, Resolved, Trust, Why};
pub use secret::{REDACTED, Secret};
pub use server::{AutoApprove, Hints, Inherit, Input, RemoteTransport, ServerConfig, Timeouts, ToolFilter};
pub use settings::{FoundSettings, Permissions, ProjectSettings, Settings, SettingsDocument};
pub use source::{Host, Origin, Scope, Source, UnknownHost};
pub use trust::{NotApprovable, TrustStore};
pub use trusted::{Activated, Answers, Launch, Trusted};
pub use workspace::Workspace;
