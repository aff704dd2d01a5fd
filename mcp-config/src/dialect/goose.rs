//! Goose's `config.yaml`: `extensions` with `cmd`, `envs` and `uri`, times in seconds,
//! <https://block.github.io/goose/docs/guides/config-files>.

use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, SSE, STDIO, Shape, call_timeout, enabled, server};
use crate::document::Node;
use crate::problem::ProblemKind;
use crate::server::{Hints, LaunchTemplate, ToolFilter};
use crate::template::{Syntax, Template};

const SHAPE: Shape = Shape {
    syntax: Syntax::Copilot,
    types: &[("stdio", STDIO), ("sse", SSE), ("streamable_http", HTTP)],
    urls: &[("uri", HTTP)],
    command: "cmd",
    env: "envs",
    ..COMMON
};

/// Extensions that live inside Goose.
const BUILT_IN: [&str; 4] = ["builtin", "platform", "frontend", "inline_python"];

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "extensions", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    if let Some(kind) = BUILT_IN.iter().find(|kind| fields.is_text("type", kind)) {
        let position = fields.position();
        let message = format!("an extension of type `{kind}` lives inside Goose; it cannot be started from here");
        fields.note(ProblemKind::Refused, message, position);
        return None;
    }
    let mut launch = SHAPE.launch(fields);
    if let Some(LaunchTemplate::Stdio(stdio)) = &mut launch {
        // The values are in Goose's keyring; here they come from the environment.
        for name in fields.strings("env_keys").unwrap_or_default() {
            stdio.env.insert(name.clone(), Template::new(format!("${{{name}}}"), Syntax::Claude));
        }
    }
    let tools = ToolFilter {
        // Goose writes an empty list for "all of them".
        allow: fields.strings("available_tools").filter(|tools| !tools.is_empty()),
        deny: Vec::new(),
    };
    let common = Common { enabled: enabled(fields), timeouts: call_timeout(fields, Unit::Seconds), tools };
    let hints = Hints { description: fields.string("description").map(str::to_owned), ..Hints::default() };
    fields.ignore(&["name", "env_keys"]);
    fields.skip(&["display_name", "bundled"]);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.hints = hints;
    Some(Draft::Server(Box::new(config)))
}
