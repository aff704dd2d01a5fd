//! Finds, merges and edits the MCP server configurations a user already has, with provenance and trust.
