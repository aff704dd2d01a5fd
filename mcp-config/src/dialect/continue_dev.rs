//! Continue's `config.yaml`: `mcpServers` as a list, headers in `requestOptions`, <https://docs.continue.dev/reference>;
//! and the JSON files of `.continue/mcpServers/`, which hold the common map.

use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, HTTP, SSE, STDIO, Shape, enabled, server};
use crate::document::Node;
use crate::server::{LaunchTemplate, Timeouts, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Continue,
    types: &[("stdio", STDIO), ("sse", SSE), ("streamable-http", HTTP)],
    urls: &[("url", AUTO)],
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    let Some(servers) = document.child("mcpServers") else { return };
    if servers.items().is_some() {
        reader.list(servers, "/mcpServers", entry);
    } else {
        reader.map_at(document, "", "mcpServers", entry);
    }
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    fields.ignore(&["name"]);
    let mut launch = SHAPE.launch(fields);
    let options = fields.take("requestOptions");
    if let (Some(LaunchTemplate::Remote(remote)), Some(options)) = (&mut launch, options) {
        let headers = fields.nested(options, "requestOptions", |inner| inner.template_map("headers", SHAPE.syntax));
        remote.headers.extend(headers);
    }
    let common = Common {
        enabled: enabled(fields),
        timeouts: Timeouts { startup: fields.duration("connectionTimeout", Unit::Milliseconds), call: None },
        tools: ToolFilter::default(),
    };
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    Some(Draft::Server(Box::new(server(fields, launch, common))))
}
