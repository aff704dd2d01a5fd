//! Windsurf's `mcp_config.json`: `serverUrl` where others say `url`,
//! <https://docs.windsurf.com/windsurf/cascade/mcp>.

use super::fields::Fields;
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, HTTP, SSE, STDIO, Shape, auto_approve, enabled, server};
use crate::document::Node;
use crate::server::{Timeouts, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Windsurf,
    types: &[("stdio", STDIO), ("http", HTTP), ("streamable-http", HTTP), ("sse", SSE)],
    urls: &[("serverUrl", AUTO), ("url", SSE)],
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let deny = fields.strings("disabledTools").unwrap_or_default();
    let tools = ToolFilter { allow: None, deny };
    let common = Common { enabled: enabled(fields), timeouts: Timeouts::default(), tools };
    let auto_approve = auto_approve(fields, &["alwaysAllow"]);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.auto_approve = auto_approve;
    Some(Draft::Server(Box::new(config)))
}
