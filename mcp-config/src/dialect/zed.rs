//! Zed's `settings.json`: `context_servers`, <https://zed.dev/docs/ai/mcp>.
//!
//! Three kinds of entry stand side by side: a program, a URL, and the settings of a server that an extension brings. An
//! older form nests the program: `command: {path, args, env}`.

use super::claude;
use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, STDIO, Shape, call_timeout, enabled, server};
use crate::document::{Node, Value};
use crate::problem::ProblemKind;
use crate::server::{LaunchTemplate, ToolFilter};

const SHAPE: Shape = Shape { types: &[("stdio", STDIO), ("http", HTTP)], urls: &[("url", HTTP)], cwd: None, ..COMMON };
const NESTED: Shape = Shape { command: "path", ..SHAPE };

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "context_servers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = if fields.is_object_at("command") { nested(fields) } else { SHAPE.launch(fields) };
    let common = Common {
        enabled: enabled(fields),
        timeouts: call_timeout(fields, Unit::Seconds),
        tools: ToolFilter::default(),
    };
    let oauth = claude::oauth(fields, SHAPE.syntax);
    fields.skip(&["source", "remote"]);
    let settings = fields.take("settings");
    let Some(launch) = launch else {
        if settings.is_some() && !fields.failed() {
            let position = fields.position();
            let message = "a Zed extension brings this server; it cannot be started from here".to_owned();
            fields.note(ProblemKind::Refused, message, position);
            return None;
        }
        return SHAPE.overlay(fields, common.into_change());
    };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    Some(Draft::Server(Box::new(config)))
}

/// Reads `command: {path, args, env}`.
fn nested(fields: &mut Fields<'_>) -> Option<LaunchTemplate> {
    let node = fields.take("command").filter(|node| matches!(node.value, Value::Object(_)))?;
    let position = node.position;
    let message = "expected `command` to be a string: Zed no longer reads the nested form".to_owned();
    fields.warn(ProblemKind::Shape, message, position, Some("command"));
    fields.nested(node, "command", |inner| NESTED.launch(inner))
}
