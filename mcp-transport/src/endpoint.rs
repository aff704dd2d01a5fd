//! Where a server is.

use crate::{Error, HttpOptions, StdioOptions};

/// Where a server is and how it speaks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Endpoint {
    /// A child process, over its standard streams.
    Stdio(StdioOptions),
    /// [Streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).
    Http(HttpOptions),
    /// [HTTP+SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse), the
    /// transport of 2024-11-05.
    Sse(HttpOptions),
    /// Streamable HTTP, and HTTP+SSE when the server refuses that as servers of 2024-11-05 do
    /// ([backwards compatibility](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility)).
    /// A server that asks for a login (401, 403) never causes the fallback.
    HttpAuto(HttpOptions),
}

impl Endpoint {
    /// Tells what [`connect`](crate::connect) would refuse before it starts or asks anything: a folder or a program that is not
    /// there, arguments, variables or headers that cannot be passed on, a URL that is none or would give headers away. It looks
    /// at files, starts nothing and sends nothing.
    ///
    /// # Errors
    ///
    /// The one that `connect` would return.
    ///
    /// ```
    /// use mcp_transport::{Endpoint, HttpOptions, StdioOptions};
    ///
    /// assert!(Endpoint::Http(HttpOptions::new("https://mcp.example.com/mcp")).check().is_ok());
    /// assert!(Endpoint::Http(HttpOptions::new("https://")).check().is_err());
    /// assert!(Endpoint::Stdio(StdioOptions::new("/no/such/program")).check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Stdio(options) => options.check(),
            Self::Http(options) | Self::Sse(options) | Self::HttpAuto(options) => options.check(),
        }
    }

    /// The endpoint at `url` whose transport is called `name` in configuration files: `http` (also `streamable-http`,
    /// `streamableHttp`), `sse`, or `auto`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`] for anything else; `ws` and `websocket` are named as what they are.
    ///
    /// ```
    /// use mcp_transport::{Endpoint, HttpOptions};
    ///
    /// assert!(Endpoint::from_name("sse", HttpOptions::new("http://localhost:1")).is_ok());
    /// let error = Endpoint::from_name("ws", HttpOptions::new("ws://localhost:1")).unwrap_err();
    /// assert!(error.to_string().contains("WebSocket"));
    /// ```
    pub fn from_name(name: &str, options: HttpOptions) -> Result<Self, Error> {
        match name {
            "http" | "streamable-http" | "streamableHttp" | "streamable_http" => Ok(Self::Http(options)),
            "sse" => Ok(Self::Sse(options)),
            "auto" => Ok(Self::HttpAuto(options)),
            "ws" | "websocket" => Err(Error::InvalidOption {
                option: "transport",
                reason: format!("`{name}` (WebSocket) is no MCP transport; use the server's http or sse address"),
            }),
            other => Err(Error::InvalidOption {
                option: "transport",
                reason: format!("`{other}` is unknown; use `stdio`, `http`, `sse` or `auto`"),
            }),
        }
    }
}
