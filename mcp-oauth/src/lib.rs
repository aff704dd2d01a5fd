//! Logs in to MCP servers with OAuth once, stays logged in, and leaks nothing.
