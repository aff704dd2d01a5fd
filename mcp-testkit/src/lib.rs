//! Scripted MCP peers for the tests of the I/O crates.
