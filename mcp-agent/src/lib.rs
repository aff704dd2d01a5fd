//! An agent that works with every configured MCP server, itself behind MCP.
