//! Logs in to MCP servers with OAuth once, stays logged in, and leaks nothing.
//!
//! The crate is built from pure parts. Reading what a refusing server wants is one of them:
//!
//! ```
//! use mcp_oauth::{Challenge, Resource, protected_resource_candidates};
//! use url::Url;
//!
//! let server = Url::parse("https://mcp.example.com/mcp")?;
//! let refused = Challenge::parse([r#"Bearer error="invalid_token", scope="files:read""#]);
//!
//! assert_eq!(refused[0].error.as_deref(), Some("invalid_token"));
//! assert_eq!(Resource::canonical(&server).as_str(), "https://mcp.example.com/mcp");
//! assert_eq!(
//!     protected_resource_candidates(&server)[0].as_str(),
//!     "https://mcp.example.com/.well-known/oauth-protected-resource/mcp",
//! );
//! # Ok::<(), url::ParseError>(())
//! ```

mod challenge;
mod error;
mod resource;
mod scopes;
mod secret;
mod well_known;

pub use challenge::Challenge;
pub use error::{Attempt, Error, LoginReason};
pub use resource::Resource;
pub use scopes::Scopes;
pub use secret::Secret;
pub use well_known::{authorization_server_candidates, protected_resource_candidates};
