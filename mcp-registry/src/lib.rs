//! Names, permits, batches and records the tools of many MCP servers.

mod batch;
mod digest;
mod effect;
mod error;
mod event;
mod json;
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

pub use batch::{Batch, plan_batches};
pub use effect::{Effect, Failure};
pub use error::{Error, Problem, RuleFault};
pub use event::{Change, Event};
pub use name::{NameStyle, ToolName};
pub use output::{Media, MediaKind, Output, OutputLimits, truncate};
pub use pin::Standing;
pub use registry::Registry;
pub use resolve::Resolution;
pub use rules::{
    Answer, Authority, Bearing, Because, Binding, Considered, Decision, Dialect, Explanation, Mode, Request, Rule,
    RuleLayer, RuleUse, Rules, Scope, SettingsRule, Source, Tier, Unbound, Verdict, forget_rule, parse_settings,
    write_rule,
};
pub use server_tools::{ServerTools, ToolFilter};
pub use snapshot::{Origin, Registered, Snapshot};
pub use tool::Tool;
