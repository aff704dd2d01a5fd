//! Connects to MCP servers over stdio, Streamable HTTP and HTTP+SSE without hanging, leaking or trusting the peer.
