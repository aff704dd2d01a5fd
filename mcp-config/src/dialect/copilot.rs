//! Copilot CLI's `mcp-config.json`: `local` for `stdio`, and `tools` as the allow list,
//! <https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers>.

use super::claude;
use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, SSE, STDIO, Shape, call_timeout, enabled, server};
use crate::document::Node;
use crate::server::ToolFilter;
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Copilot,
    types: &[("local", STDIO), ("stdio", STDIO), ("http", HTTP), ("sse", SSE)],
    urls: &[("url", HTTP)],
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    // `["*"]` is all of them, which is what no list means.
    let allow = fields.strings("tools").filter(|tools| !tools.iter().any(|tool| tool == "*"));
    let tools = ToolFilter { allow, deny: Vec::new() };
    let common = Common { enabled: enabled(fields), timeouts: call_timeout(fields, Unit::Milliseconds), tools };
    let hints = claude::hints(fields);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.hints = hints;
    Some(Draft::Server(Box::new(config)))
}
