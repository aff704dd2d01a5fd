//! Connections to [MCP](https://modelcontextprotocol.io) servers that cannot hang, leak, or be blinded by a bad server.
//!
//! One function, [`connect`], takes an [`Endpoint`] (a command to start, or a URL) and returns a [`Connection`] with a
//! few typed methods and one raw lane. Which protocol era the server speaks is found out on the way.
//!
//! # Example: list a server's tools and call one
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use mcp_transport::{ConnectOptions, Endpoint, StdioOptions, connect};
//!
//! let server = StdioOptions::new("uvx").with_args(["mcp-server-time"]).with_host_env(std::env::vars_os());
//! let connection = connect(Endpoint::Stdio(server), ConnectOptions::default()).await?;
//!
//! for tool in connection.list_tools().await?.items {
//!     println!("{}: {}", tool.name, tool.input_schema);
//! }
//! let arguments = serde_json::value::to_raw_value(&serde_json::json!({"timezone": "Europe/Berlin"}))?;
//! println!("{}", connection.call_tool("get_current_time", Some(&arguments)).await?);
//! connection.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Example: reach a server over HTTP, whatever its age
//!
//! [`Endpoint::HttpAuto`] tries Streamable HTTP and falls back to the HTTP+SSE of 2024.
//!
//! ```no_run
//! # async fn example() -> Result<(), mcp_transport::Error> {
//! use mcp_transport::{ConnectOptions, Endpoint, HttpOptions, connect};
//!
//! let server = HttpOptions::new("https://example.com/mcp").with_header("X-Api-Key", "…");
//! match connect(Endpoint::HttpAuto(server), ConnectOptions::default()).await {
//!     Ok(connection) => println!("{} over {}", connection.protocol_version(), connection.transport()),
//!     Err(error) if error.is_auth_required() => println!("log in first"),
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Example: hear of changes
//!
//! ```no_run
//! # async fn example(connection: mcp_transport::Connection) -> Result<(), mcp_transport::Error> {
//! use mcp_transport::Change;
//!
//! let mut changes = connection.changes();
//! while let Some(change) = changes.next().await {
//!     if change == Change::Tools {
//!         println!("{} tools now", connection.list_tools().await?.items.len());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What a server can do to its host
//!
//! Nothing but answer, or not:
//!
//! * every wait has a timeout ([`Timeouts`]), a call has one for all it consists of ([`CallScope`]), every buffer a
//!   bound ([`Limits`]);
//! * a message that cannot be understood fails the one request it answers, or counts as noise; an oversized one is not
//!   stored, only scanned for the request it answers;
//! * one bad tool is reported beside the good ones ([`Listing::rejected`]);
//! * its stderr is always read, and its process group dies with the connection, also when the host is killed;
//! * a request that did not get through (a lost connection, HTTP 502, 503 or 504) and can be asked twice is asked
//!   again, within its time and no sooner than the server says;
//! * credentials do not travel over plain `http`, nor to another origin, nor into an error or a log.
//!
//! # What it does not do
//!
//! It does not validate schemas, keep tokens, ask users or restart servers on its own: an [`Authorize`] hook signs
//! requests in, a [`Handler`] answers questions, a [`Dialer`] reconnects when asked for a connection, and shares it.
//!
//! # Why it does not build on rmcp
//!
//! rmcp decodes every message into one untagged enum before anybody can look at it. That loses unknown members, costs
//! seven times the parsing of a large tool list, and turns one bad tool into a failed list, one odd answer into a call
//! that waits for ever. Here the envelope is read and the rest stays text. What rmcp would have given in return
//! (negotiation, multi round-trip requests, subscriptions, tasks) is small when nothing has to be typed. rmcp is a
//! development dependency: the fault table and the benchmark run it beside this crate.

mod attempts;
mod backoff;
mod changes;
mod connect;
mod connection;
mod dialer;
mod endpoint;
mod era;
mod error;
mod handler;
mod handshake;
mod http;
mod inbox;
mod link;
mod listing;
mod loopback;
mod options;
mod owned_tasks;
mod questions;
mod renewal;
mod rounds;
mod scope;
mod sent;
mod session;
mod stdio;
mod subscriptions;
mod tasks;
mod tls;
mod tools;
mod wire;
mod withdrawals;

pub use attempts::Attempts;
pub use backoff::Backoff;
pub use changes::{Change, Changes};
pub use connect::connect;
pub use connection::{Connection, ServerInfo};
pub use dialer::Dialer;
pub use endpoint::Endpoint;
pub use era::{Era, EraMemory};
pub use error::{Cause, Error, Exit, RpcError, SharedCause};
pub use handler::{BoxFuture, Elicitation, ElicitationAnswer, Features, Handler, LogRecord, Progress, Root};
pub use http::{Authorize, HttpOptions, Proxy, RequestHead, ResponseHead, Verdict};
pub use options::{ClientInfo, ConnectOptions, Limits, LogLevel, Negotiation, Timeouts};
pub use scope::CallScope;
pub use stdio::{Inherit, LineSink, StdioLabel, StdioOptions};
pub use tools::{Annotations, Listing, Rejected, Tool};
