//! Resolves JSON Schema and converts tool schemas for model providers without losing meaning.
//!
//! An MCP server describes the arguments of a tool by a JSON Schema, and any keyword of
//! [2020-12](https://json-schema.org/draft/2020-12) is legal in it. A model provider accepts a dialect of its own, and
//! refuses the whole request when one schema of it does not fit. This crate stands between the two:
//!
//! ```
//! use mcp_schema::{Limits, Profile, Schema, convert};
//! use serde_json::json;
//!
//! let schema = Schema::parse(json!({
//!     "type": "object",
//!     "properties": {"level": {"$ref": "#/$defs/level"}, "note": {"type": ["string", "null"]}},
//!     "required": ["level"],
//!     "$defs": {"level": {"enum": [1, 2, 3], "description": "How loud."}},
//! }), Limits::default())?;
//!
//! let gemini = convert(&schema, &Profile::builtin("gemini").expect("a built-in profile"));
//! assert_eq!(gemini.schema, json!({
//!     "type": "object",
//!     "properties": {
//!         "level": {"type": "string", "enum": ["1", "2", "3"], "description": "How loud."},
//!         "note": {"type": "string", "nullable": true},
//!     },
//!     "required": ["level"],
//! }));
//!
//! // The model answers in that dialect; the codec turns its arguments into what the server understands.
//! assert_eq!(gemini.codec.decode(json!({"level": "2"})), json!({"level": 2}));
//! # Ok::<(), mcp_schema::Error>(())
//! ```
//!
//! # Example: what was lost
//!
//! What a provider cannot express is widened, never dropped in silence: the [`Report`] names it, and the model reads
//! it in the description.
//!
//! ```
//! use mcp_schema::{Limits, LossKind, Profile, Schema, convert};
//! use serde_json::json;
//!
//! let schema = Schema::parse(json!({
//!     "type": "object",
//!     "properties": {"id": {"type": "string", "minLength": 3}},
//! }), Limits::default())?;
//! let xai = convert(&schema, &Profile::builtin("xai").expect("a built-in profile"));
//! assert_eq!(xai.report.worst(), Some(LossKind::Widened));
//! assert_eq!(xai.schema["properties"]["id"]["description"], "(minLength: 3)");
//! # Ok::<(), mcp_schema::Error>(())
//! ```
//!
//! # Example: validating what the model sent
//!
//! Because conversion may widen, the decoded arguments are validated against the original.
//!
//! ```
//! use mcp_schema::{Limits, Schema, Validator};
//! use serde_json::json;
//!
//! let schema = Schema::parse(json!({"type": "object", "required": ["id"]}), Limits::default())?;
//! let violations = Validator::new(&schema)?.validate(&json!({})).expect_err("`id` is missing");
//! assert_eq!(violations[0].expected, r#"the property "id""#);
//! # Ok::<(), mcp_schema::Error>(())
//! ```
//!
//! # Hostile schemas
//!
//! Whatever a schema is, parsing, converting and judging take a bounded number of steps and a bounded stack: a schema above
//! its [`Limits`] is refused, what would grow too large keeps its references or is widened, and a value that a schema
//! cannot judge in a bounded number of steps is no valid one. A pattern runs in linear time, or gives up.
//!
//! # Purity
//!
//! Nothing here reads files, the network, the environment or the clock; a `$ref` that leads out of the schema is
//! reported, never fetched. Results are deterministic and keep the order of properties.

mod batch;
mod codec;
mod compile;
mod convert;
mod definitions;
mod dialect;
mod effort;
mod error;
mod evaluated;
mod fuel;
mod guard;
mod headers;
mod index;
mod intersect;
mod json;
mod keyword;
mod limits;
mod lint;
mod merge;
mod naming;
mod parameters;
mod patterns;
mod pointer;
mod profile;
mod repair;
mod report;
mod resolve;
mod schema;
mod upgrade;
mod validator;

pub use batch::{Batch, Complexity, convert_batch};
pub use codec::Codec;
pub use convert::{Conversion, convert, convert_or_fall_back};
pub use dialect::Dialect;
pub use error::Error;
pub use headers::{HeaderParameter, HeaderProblem, x_mcp_headers};
pub use limits::Limits;
pub use lint::{Finding, lint};
pub use parameters::{Parameter, parameters};
pub use profile::{
    ArrayRules, EnumRules, KeyRules, NullStyle, ObjectRules, PatternRules, Profile, Recursion, ReferenceRules,
    RequestLimits, RootRules, SchemaLimits, TypeRules, UnionRules,
};
pub use report::{Loss, LossKind, Report};
pub use schema::{Pass, Schema, merge_all_of, repair, resolve, upgrade};
pub use validator::{Validator, Violation};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
