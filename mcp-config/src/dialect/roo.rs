//! Roo Code's `mcp_settings.json` and `.roo/mcp.json`: `streamable-http`, `type` required beside a `url`, time-outs in
//! seconds, <https://docs.roocode.com/features/mcp/using-mcp-in-roo>.

use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, HTTP, SSE, STDIO, Shape, auto_approve, call_timeout, enabled, server};
use crate::document::Node;
use crate::problem::ProblemKind;
use crate::server::ToolFilter;
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Editor,
    types: &[("stdio", STDIO), ("sse", SSE), ("streamable-http", HTTP)],
    urls: &[("url", AUTO)],
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    if fields.has("url") && !fields.has("type") {
        let position = fields.position();
        let message =
            "expected `type` beside `url`: Roo needs `streamable-http` or `sse`; both are tried here".to_owned();
        fields.warn(ProblemKind::Shape, message, position, None);
    }
    let launch = SHAPE.launch(fields);
    let deny = fields.strings("disabledTools").unwrap_or_default();
    let tools = ToolFilter { allow: None, deny };
    let common = Common { enabled: enabled(fields), timeouts: call_timeout(fields, Unit::Seconds), tools };
    let auto_approve = auto_approve(fields, &["alwaysAllow"]);
    // Restarting a server when a file changes is the editor's business.
    fields.skip(&["watchPaths"]);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.auto_approve = auto_approve;
    Some(Draft::Server(Box::new(config)))
}
