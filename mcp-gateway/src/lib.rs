//! An MCP server that puts every configured server behind one endpoint.
