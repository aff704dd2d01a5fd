//! The terminal program of the MCP toolkit.
fn main() {}
