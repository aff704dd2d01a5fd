//! Cline's `cline_mcp_settings.json`: `streamableHttp` in camel case, a bare `url` is SSE, time-outs in seconds,
//! <https://docs.cline.bot/mcp/configuring-mcp-servers>.

use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, SSE, STDIO, Shape, auto_approve, call_timeout, enabled, server};
use crate::document::Node;
use crate::server::ToolFilter;

const SHAPE: Shape =
    Shape { types: &[("stdio", STDIO), ("sse", SSE), ("streamableHttp", HTTP)], urls: &[("url", SSE)], ..COMMON };

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let common = Common {
        enabled: enabled(fields),
        timeouts: call_timeout(fields, Unit::Seconds),
        tools: ToolFilter::default(),
    };
    let auto_approve = auto_approve(fields, &["alwaysAllow", "autoApprove"]);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.auto_approve = auto_approve;
    Some(Draft::Server(Box::new(config)))
}
