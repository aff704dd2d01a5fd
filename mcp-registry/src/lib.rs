//! The tool registry of an MCP host: it names the tools of many servers, decides which calls may be made, plans which run
//! together, reads what they return, and records it all.
//!
//! A registry maps ids that a model may call to pairs of a server and that server's own name for a tool. It is fed lists of
//! tools as they arrive and is read through snapshots that never change:
//!
//! ```
//! use mcp_registry::{NameStyle, Registry, ServerTools, Tool};
//!
//! let definition = serde_json::json!({"name": "read_file", "inputSchema": {"type": "object"}});
//! let (read_file, _) = Tool::parse(serde_json::value::to_raw_value(&definition)?)?;
//!
//! let mut registry = Registry::new(NameStyle::default());
//! registry.replace_server(ServerTools::new("fs", "sha256:5f1c", vec![read_file]));
//!
//! let snapshot = registry.snapshot();
//! let tool = snapshot.resolve("fs.read_file").exact().ok_or("no such tool")?;
//! assert_eq!(tool.id, "mcp__fs__read_file");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate does no I/O and reads no clock: configuration, files, time and connections are its caller's, and what it returns
//! is data. It depends on no other crate of the toolkit.
//!
//! # Example: may this call be made?
//!
//! [`Rules`] decides by rules from several sources, by mode and by whether the tool changes anything. A decision says what
//! decided, and a refusal says what would change it ([`Remedy`]).
//!
//! ```
//! # use mcp_registry::{NameStyle, Registry, ServerTools, Tool};
//! use mcp_registry::{Mode, Rules, Source, Verdict, parse_settings};
//! # let definition = serde_json::json!({"name": "write_file", "inputSchema": {"type": "object"}});
//! # let (write_file, _) = Tool::parse(serde_json::value::to_raw_value(&definition)?)?;
//! # let mut registry = Registry::new(NameStyle::default());
//! # registry.replace_server(ServerTools::new("fs", "sha256:5f1c", vec![write_file]));
//! # let snapshot = registry.snapshot();
//!
//! let text = r#"{"permissions": {"deny": ["mcp__fs__write_file(path=secrets/**)"]}}"#;
//! let (settings, problems) = parse_settings(Source::user("settings.json"), text);
//! assert!(problems.is_empty());
//! let rules = Rules::new([settings]);
//!
//! let tool = snapshot.resolve("write_file").exact().ok_or("no such tool")?;
//! let arguments = serde_json::json!({"path": "src/../secrets/key"});
//! let decision = rules.decide(&tool.request(&arguments), Mode::Build);
//! assert_eq!(decision.verdict, Verdict::Deny);
//! assert_eq!(
//!     decision.because.to_string(),
//!     "the deny rule `mcp__fs__write_file(path=secrets/**)` (settings.json:/permissions/deny/0) says so",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Example: a person says "always"
//!
//! An answer becomes a rule that matches the next time, bound to the server's present definition: should another server take
//! the name, the question comes back.
//!
//! ```
//! # use mcp_registry::{NameStyle, Registry, ServerTools, Tool};
//! use mcp_registry::{Answer, Mode, Rules, Source, Verdict, parse_settings, write_rule};
//! # let definition = serde_json::json!({"name": "write_file", "inputSchema": {"type": "object"}});
//! # let (write_file, _) = Tool::parse(serde_json::value::to_raw_value(&definition)?)?;
//! # let mut registry = Registry::new(NameStyle::default());
//! # registry.replace_server(ServerTools::new("fs", "sha256:5f1c", vec![write_file]));
//! # let snapshot = registry.snapshot();
//! # let tool = snapshot.resolve("write_file").exact().ok_or("no such tool")?;
//! # let arguments = serde_json::json!({});
//! # let request = tool.request(&arguments);
//!
//! let mut rules = Rules::default();
//! assert_eq!(rules.decide(&request, Mode::Build).verdict, Verdict::Ask);
//!
//! let rule = rules.answer(&request, Answer::Always).ok_or("always is written down")?;
//! let steps = write_rule(&rule)?; // … which whoever keeps the file takes, and the file says:
//!
//! let settings = r#"{"theme": "dark", "permissions": {
//!     "allow": ["mcp__fs__write_file"],
//!     "definitions": {"mcp__fs__write_file": {"fs": "sha256:5f1c"}}
//! }}"#;
//! let (tomorrow, _) = parse_settings(Source::user("settings.json"), settings);
//! # assert_eq!(steps.len(), 4);
//! assert_eq!(Rules::new([tomorrow]).decide(&request, Mode::Build).verdict, Verdict::Allow);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Example: from a turn of the model to what it sees
//!
//! [`plan_batches`] runs reads together and writes alone. [`Output`] reads a result, keeps media out of the text and shows each
//! piece of data once; an [`OutputStore`] keeps what is too long to show.
//!
//! ```
//! use mcp_registry::{Effect, Output, OutputLimits, OutputStore, plan_batches};
//!
//! let batches = plan_batches([Effect::ReadOnly, Effect::ReadOnly, Effect::Mutating]);
//! assert_eq!(batches.len(), 2);
//!
//! let result = serde_json::json!({
//!     "content": [{"type": "text", "text": "{\"free\": 12}"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}],
//!     "structuredContent": {"free": 12},
//! });
//! let output = Output::from_call_result(&serde_json::value::to_raw_value(&result)?);
//! let mut store = OutputStore::new(OutputLimits::default());
//! assert_eq!(store.shorten("session", output.for_model()), "{\"free\": 12}\n[image 1: image/png, 3 bytes]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What else there is
//!
//! - [`Baseline`] notices that a server says something else of its tools than when it was approved.
//! - [`Snapshot::suspicious_names`] finds names that are made to be mistaken for others.
//! - [`View`] and [`ToolSet`] show a sub-agent the tools it may have, and no others.
//! - [`AuditLog`] writes a line for each call, chained so that a change is noticed.
//! - [`Change`] and [`Event`] say what each change of the registry means for whoever listens.
//!
//! # Limits
//!
//! A rule's condition on arguments compares text. What a path means is for the server to say, so such rules deny in doubt: see
//! [`Rule`]. Ids of names that are not plain hold 64 bits of a hash; two tools that share an id nevertheless
//! are both withheld: see [`ToolName`].

mod audit;
mod batch;
mod cached;
mod digest;
mod effect;
mod error;
mod event;
mod json;
mod likeness;
mod name;
mod output;
mod pattern;
mod pin;
mod registry;
mod resolve;
mod rules;
mod server_tools;
mod snapshot;
mod tool;
mod view;

pub use audit::{AuditLog, AuditRecord, Outcome};
pub use batch::{Batch, plan_batches};
pub use cached::Cached;
pub use effect::{Effect, Failure};
pub use error::{Error, Problem, RuleFault};
pub use event::{Change, Event};
pub use name::{NameStyle, ToolName};
pub use output::{Media, MediaKind, Output, OutputLimits, OutputStore, Page, PageRequest, truncate};
pub use pin::{
    Baseline, Basis, Difference, Drift, DriftEntry, DriftKind, Instructions, MemoryPins, Pin, PinPolicy, PinStore,
    Standing, Surface, UnknownPinPolicy,
};
pub use registry::Registry;
pub use resolve::Resolution;
pub use rules::{
    Aim, Answer, Authority, Bearing, Because, Binding, Considered, Decision, Dialect, Explanation, Known, ListedRule,
    Mode, Remedy, Request, Rule, RuleLayer, RuleUse, Rules, Scope, SettingsEdit, SettingsRule, Source, StrayRule,
    StrayRules, Surroundings, Tier, Unbound, Verdict, forget_rule, parse_settings, write_rule,
};
pub use server_tools::{ServerTools, ToolFilter};
pub use snapshot::{HeldTool, Origin, Registered, Snapshot};
pub use tool::Tool;
pub use view::{ToolSet, View};
