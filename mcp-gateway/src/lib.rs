//! An MCP server that puts every configured server behind one endpoint.
//!
//! A client in any language that can talk to one MCP server can, through this one, use all that a user has configured:
//! found, trusted, named and permitted by the same [`Client`] that Rust programs use.
//!
//! ```no_run
//! use mcp_client::{Client, process_environment};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder(process_environment()?).build();
//! client.start().await;
//! mcp_gateway::serve(client, tokio::io::stdin(), tokio::io::stdout()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! This is the crate's first slice: tools, in both protocol eras, over any pair of byte streams.

mod handler;

use mcp_client::Client;
use rmcp::ServiceExt as _;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::handler::Handler;

/// Why the gateway stopped serving.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The peer did not open the conversation as the protocol asks.
    #[error("the client did not initialize the connection")]
    Handshake(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The task that served was ended from outside.
    #[error("serving was interrupted")]
    Interrupted(#[source] tokio::task::JoinError),
}

/// Serves the client's tools to one MCP peer until it hangs up.
///
/// The tools listed are those of the servers connected at the time of asking, under their registered ids, sorted by id.
/// A call goes through the client's permission rules; one that is denied is answered as a tool's error, with the reason,
/// so that a model sees it.
///
/// # Errors
///
/// [`Error::Handshake`] when the peer does not initialize, [`Error::Interrupted`] when the runtime ends first.
///
/// # Cancel safety
///
/// Dropping the future ends the conversation. The client and its servers stay.
pub async fn serve(
    client: Client,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), Error> {
    let serving =
        Handler::new(client).serve((input, output)).await.map_err(|error| Error::Handshake(Box::new(error)))?;
    serving.waiting().await.map_err(Error::Interrupted)?;
    Ok(())
}
