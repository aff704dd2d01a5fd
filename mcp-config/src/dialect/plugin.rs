//! The servers a plugin brings along: Claude Code's variables beside the directories of the plugin,
//! <https://code.claude.com/docs/en/plugins-reference#mcp-servers>.
//!
//! They stand in the manifest's `mcpServers`, or in a file with `mcpServers`, `servers`, or no container.

use super::claude;
use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, HTTP, SSE, STDIO, Shape, call_timeout, enabled, server};
use crate::document::Node;
use crate::server::ToolFilter;
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Plugin,
    types: &[("stdio", STDIO), ("local", STDIO), ("http", HTTP), ("streamable-http", HTTP), ("sse", SSE)],
    urls: &[("url", AUTO)],
    ..COMMON
};

/// Reads a file of servers.
pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    match ["mcpServers", "servers"].iter().find(|key| document.child(key).is_some()) {
        Some(key) => reader.map_at(document, "", key, entry),
        None => reader.map(document, "", entry),
    }
}

/// Reads the map inside a manifest.
pub(super) fn read_manifest(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let common = Common {
        enabled: enabled(fields),
        timeouts: call_timeout(fields, Unit::Milliseconds),
        tools: ToolFilter::default(),
    };
    let oauth = claude::oauth(fields, SHAPE.syntax);
    let hints = claude::hints(fields);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    config.hints = hints;
    Some(Draft::Server(Box::new(config)))
}
