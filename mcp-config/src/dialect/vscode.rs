//! VS Code's `mcp.json` and the older `mcp` section of its `settings.json`.
//!
//! `servers` instead of `mcpServers`, prompts for values in `inputs`, and `http` that falls back to SSE:
//! <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration>.

use super::claude;
use super::fields::Fields;
use super::inputs;
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, SSE, STDIO, Shape, enabled, server};
use crate::document::Node;
use crate::problem::ProblemKind;
use crate::server::{Timeouts, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Editor,
    types: &[("stdio", STDIO), ("http", AUTO), ("sse", SSE)],
    urls: &[("url", AUTO)],
    env_file: Some("envFile"),
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    if document.member("servers").is_none() && document.member("mcpServers").is_some() {
        let message = "expected `servers`, found `mcpServers`, which VS Code does not read here".to_owned();
        reader.warn(ProblemKind::ForeignSyntax, message, document.position, "/mcpServers");
        reader.map_at(document, "", "mcpServers", entry);
    }
    reader.map_at(document, "", "servers", entry);
    if let Some(list) = document.child("inputs") {
        inputs::attach(list, reader);
    }
}

/// Reads the `mcp` section of a `settings.json`, where servers lived before `mcp.json`.
pub(super) fn read_settings(document: &Node, reader: &mut Reader<'_>) {
    let Some(section) = document.child("mcp") else { return };
    reader.map_at(section, "/mcp", "servers", entry);
    if let Some(list) = section.child("inputs") {
        inputs::attach(list, reader);
    }
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let common = Common { enabled: enabled(fields), timeouts: Timeouts::default(), tools: ToolFilter::default() };
    let oauth = claude::oauth(fields, SHAPE.syntax);
    let sandboxed = fields.flag("sandboxEnabled") == Some(true);
    fields.skip(&["sandbox", "dev", "gallery", "version"]);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    if sandboxed {
        config.refusal = Some("VS Code would run it in a sandbox, and nothing here provides one".to_owned());
    }
    Some(Draft::Server(Box::new(config)))
}
