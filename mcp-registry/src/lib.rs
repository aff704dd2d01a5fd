//! Names, permits, batches and records the tools of many MCP servers.
