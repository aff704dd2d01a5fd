//! Claude Desktop's `claude_desktop_config.json`: programs only, nothing expanded,
//! <https://modelcontextprotocol.io/docs/develop/connect-local-servers>.

use super::fields::Fields;
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, HTTP, SSE, STDIO, Shape, enabled, server};
use crate::document::Node;
use crate::server::{Timeouts, ToolFilter};

/// Remote servers are connectors there, not entries; an entry that has a URL all the same says clearly what it means.
const SHAPE: Shape =
    Shape { types: &[("stdio", STDIO), ("http", HTTP), ("sse", SSE)], urls: &[("url", AUTO)], ..COMMON };

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let common = Common { enabled: enabled(fields), timeouts: Timeouts::default(), tools: ToolFilter::default() };
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    Some(Draft::Server(Box::new(server(fields, launch, common))))
}
