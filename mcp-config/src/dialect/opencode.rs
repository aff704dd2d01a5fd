//! `OpenCode`'s `opencode.json`, in both versions, <https://opencode.ai/docs/mcp-servers>.
//!
//! Version 1 keeps servers in `mcp.<name>` with `enabled`, version 2 in `mcp.servers.<name>` with `disabled`. Both say
//! `local` and `remote`, write the command line as one array, and call the environment `environment`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::claude;
use super::fields::{Fields, Unit};
use super::reader::{Draft, MAX_NAME, Reader};
use super::shape::{AUTO, COMMON, Common, STDIO, Shape, argv, enabled, server};
use crate::document::Node;
use crate::server::{LaunchTemplate, Timeouts, ToolFilter};
use crate::template::Syntax;

/// How much the patterns that switch off tools may hold for all servers of a file together, in bytes.
const MAX_PATTERNS: usize = 4 * 1024 * 1024;

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
    let tools = document.child("tools").and_then(Node::members).unwrap_or_default();
    let off = tools.iter().filter(|member| member.node.as_bool() == Some(false));
    switch_tools_off(off.map(|member| member.key.as_str()).collect(), reader);
}

/// Denies each server the tools that a pattern switches off: `SERVER_TOOL`, or `*` for all tools of all servers.
fn switch_tools_off(patterns: BTreeSet<&str>, reader: &mut Reader<'_>) {
    let all = patterns.contains("*");
    let mut by_server: BTreeMap<String, Vec<&str>> =
        reader.entries.iter().map(|entry| (entry.name.clone(), Vec::new())).collect();
    for pattern in patterns {
        // A server's name may hold the character that ends it here, so a pattern may be about several.
        let ends = pattern.match_indices('_').take_while(|(end, _)| *end <= MAX_NAME);
        for (server, tool) in ends.filter_map(|(end, _)| Some((pattern.get(..end)?, pattern.get(end + 1..)?))) {
            if let Some(tools) = by_server.get_mut(server) {
                tools.push(tool);
            }
        }
    }
    let mut room = MAX_PATTERNS;
    for entry in &mut reader.entries {
        let denied = by_server.get(&entry.name).into_iter().flatten().copied().chain(all.then_some("*"));
        for tool in denied {
            let Some(rest) = room.checked_sub(tool.len()) else {
                Arc::make_mut(&mut entry.config).refusal =
                    Some(format!("its file switches off tools in more than {MAX_PATTERNS} bytes"));
                break;
            };
            room = rest;
            Arc::make_mut(&mut entry.config).tools.deny.push(tool.to_owned());
        }
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
