//! Cursor's `mcp.json`: `mcpServers`, transport inferred, <https://cursor.com/docs/mcp>.

use super::claude;
use super::fields::Fields;
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, HTTP, SSE, STDIO, Shape, enabled, server};
use crate::document::Node;
use crate::server::{Timeouts, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Editor,
    types: &[("stdio", STDIO), ("http", HTTP), ("streamableHttp", HTTP), ("streamable-http", HTTP), ("sse", SSE)],
    urls: &[("url", AUTO)],
    env_file: Some("envFile"),
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let common = Common { enabled: enabled(fields), timeouts: Timeouts::default(), tools: ToolFilter::default() };
    let oauth = claude::oauth_at(fields, "auth", SHAPE.syntax);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    Some(Draft::Server(Box::new(config)))
}
