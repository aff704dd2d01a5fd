//! Gemini CLI's `settings.json`: `url` is SSE, `httpUrl` is Streamable HTTP, `trust` skips confirmations,
//! <https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md>.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::claude;
use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, SSE, STDIO, Shape, call_timeout, enabled, server};
use crate::document::Node;
use crate::server::{AutoApprove, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Gemini,
    types: &[("stdio", STDIO), ("http", HTTP), ("sse", SSE)],
    urls: &[("httpUrl", HTTP), ("url", SSE)],
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
    let Some(global) = document.child("mcp") else { return };
    let names = |key| {
        let items = global.child(key).and_then(Node::items);
        items.map(|items| items.iter().filter_map(Node::as_str).collect::<BTreeSet<_>>())
    };
    // `mcp.allowed` is all that runs when it is given; `mcp.excluded` never runs.
    let (allowed, excluded) = (names("allowed"), names("excluded").unwrap_or_default());
    for entry in &mut reader.entries {
        let name = entry.name.as_str();
        let is_allowed = allowed.as_ref().is_none_or(|allowed| allowed.contains(name));
        Arc::make_mut(&mut entry.config).enabled &= is_allowed && !excluded.contains(name);
    }
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let tools =
        ToolFilter { allow: fields.strings("includeTools"), deny: fields.strings("excludeTools").unwrap_or_default() };
    let common = Common { enabled: enabled(fields), timeouts: call_timeout(fields, Unit::Milliseconds), tools };
    let oauth = claude::oauth(fields, SHAPE.syntax);
    let hints = claude::hints(fields);
    let trusts = fields.flag("trust") == Some(true);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    config.hints = hints;
    if trusts {
        config.auto_approve = AutoApprove::Everything;
    }
    Some(Draft::Server(Box::new(config)))
}
