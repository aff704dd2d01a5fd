//! `FreeCode`'s `~/.freecode/config.json`: an array of servers in `mcp.servers`, and `mcp.pollInterval`,
//! <https://github.com/ayan-de/freecode>.
//!
//! The command line is an array to which `args` is appended, `local` and `remote` are required, nothing is expanded, and
//! of two servers of one name the first wins.

use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, STDIO, Shape, argv, call_timeout, enabled, server};
use crate::document::Node;
use crate::problem::ProblemKind;
use crate::server::{LaunchTemplate, ToolFilter};

const SHAPE: Shape =
    Shape { types: &[("local", STDIO), ("remote", HTTP)], urls: &[("url", HTTP)], cwd: None, ..COMMON };

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    let Some(section) = document.child("mcp") else { return };
    let mut interval = Fields::new(section, "", "/mcp", reader.path);
    reader.poll_interval = interval.duration("pollInterval", Unit::Milliseconds);
    reader.problems.append(interval.finish());
    if let Some(servers) = section.child("servers") {
        reader.list(servers, "/mcp/servers", entry);
    } else if section.members().is_none() {
        let message = format!("expected an object with `servers`, found {}", section.type_name());
        reader.error(ProblemKind::Shape, message, section.position, "/mcp");
    }
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    fields.ignore(&["name"]);
    if !fields.has("type") {
        let (message, fix) = ("expected `type`", "add `\"type\": \"local\"` or `\"type\": \"remote\"`");
        fields.error_with_fix(message.to_owned(), fix.to_owned());
        return None;
    }
    let launch = if fields.has("command") && !fields.is_text("type", "remote") {
        argv(fields, &SHAPE).map(LaunchTemplate::Stdio)
    } else {
        SHAPE.launch(fields)
    };
    let common = Common {
        enabled: enabled(fields),
        timeouts: call_timeout(fields, Unit::Milliseconds),
        tools: ToolFilter::default(),
    };
    let launch = launch?;
    Some(Draft::Server(Box::new(server(fields, launch, common))))
}
