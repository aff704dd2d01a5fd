//! Every configured MCP server behind one client: the facade of the MCP toolkit.
