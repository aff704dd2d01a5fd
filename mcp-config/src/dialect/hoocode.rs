//! hoocode's files: `mcpServers` maps, and `mcp-servers/*.json` with one server each,
//! <https://github.com/kolisachint/hoocode>.
//!
//! Nothing is expanded, a program inherits the whole environment, `background` says how calls run, and Streamable HTTP
//! falls back to SSE.

use super::claude;
use super::fields::Fields;
use super::reader::{Draft, Key, Reader};
use super::shape::{AUTO, COMMON, Common, SSE, STDIO, Shape, enabled, server};
use crate::document::Node;
use crate::problem::ProblemKind;
use crate::server::{Inherit, Timeouts, ToolFilter};

const SHAPE: Shape =
    Shape { types: &[("stdio", STDIO), ("http", AUTO), ("sse", SSE)], urls: &[("url", AUTO)], ..COMMON };

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

/// Reads a file that is one server and holds its own name.
pub(super) fn read_single(document: &Node, reader: &mut Reader<'_>) {
    let Some(name) = document.child("name").and_then(Node::as_str) else {
        let message = "expected the server's `name` beside its `command` or `url`".to_owned();
        return reader.error(ProblemKind::Shape, message, document.position, "");
    };
    reader.entry(Key { name, position: document.position, pointer: "" }, document, entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    fields.ignore(&["name"]);
    let launch = SHAPE.launch(fields);
    let common = Common { enabled: enabled(fields), timeouts: Timeouts::default(), tools: ToolFilter::default() };
    let hints = claude::hints(fields);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.hints = hints;
    config.inherit = Inherit::All;
    Some(Draft::Server(Box::new(config)))
}
