//! `OpenCode`'s `opencode.json`, in both versions, <https://opencode.ai/docs/mcp-servers>.
//!
//! Version 1 keeps servers in `mcp.<name>` with `enabled`, version 2 in `mcp.servers.<name>` with `disabled`. Both say
//! `local` and `remote`, write the command line as one array, and call the environment `environment`.

use super::claude;
use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, STDIO, Shape, argv, enabled, server};
use crate::document::Node;
use crate::server::{LaunchTemplate, Timeouts, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::OpenCode,
    types: &[("local", STDIO), ("remote", AUTO)],
    urls: &[("url", AUTO)],
    env: "environment",
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    let Some(section) = document.child("mcp") else { return };
    // A version 1 server may be called `servers`; it has a `type`, which a map of servers has not.
    let servers = section
        .child("servers")
        .filter(|servers| servers.members().is_some() && servers.child("type").and_then(Node::as_str).is_none());
    if servers.is_some() {
        reader.map_at(section, "/mcp", "servers", entry);
    } else {
        reader.map_at(document, "", "mcp", entry);
    }
    let off: Vec<&str> = document
        .child("tools")
        .and_then(Node::members)
        .unwrap_or_default()
        .iter()
        .filter(|member| member.node.as_bool() == Some(false))
        .map(|member| member.key.as_str())
        .collect();
    for entry in &mut reader.entries {
        let prefix = format!("{}_", entry.name);
        let denied =
            off.iter().filter_map(|pattern| if *pattern == "*" { Some("*") } else { pattern.strip_prefix(&prefix) });
        entry.config.tools.deny.extend(denied.map(str::to_owned));
    }
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch =
        if fields.has("command") { argv(fields, &SHAPE).map(LaunchTemplate::Stdio) } else { SHAPE.launch(fields) };
    let common = Common {
        enabled: enabled(fields),
        // OpenCode counts the listing of tools, not their calls.
        timeouts: Timeouts { startup: fields.duration("timeout", Unit::Milliseconds), call: None },
        tools: ToolFilter::default(),
    };
    let oauth = claude::oauth(fields, SHAPE.syntax);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    Some(Draft::Server(Box::new(config)))
}
