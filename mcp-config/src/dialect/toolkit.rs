//! Our own dialect: `.mcp.json`, `.agents/mcp.json` and `--config` files.
//!
//! The container is `mcpServers`, or no container at all: `OpenCode`'s branch of `.agents/mcp.json` is a bare map. The
//! fields are Claude Code's, <https://code.claude.com/docs/en/mcp>, and those of the draft for a common `mcp.json`,
//! <https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2633>, plus what other hosts' entries carry when
//! they are pasted into a shared file.

use super::claude;
use super::fields::{Fields, Unit};
use super::login;
use super::reader::{Draft, Reader};
use super::shape::{AUTO, COMMON, Common, HTTP, SSE, STDIO, Shape, auto_approve, enabled, server};
use crate::document::{Member, Node};
use crate::problem::ProblemKind;
use crate::server::{Timeouts, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Toolkit,
    types: &[
        ("stdio", STDIO),
        ("http", HTTP),
        ("sse", SSE),
        ("streamable-http", HTTP),
        ("streamableHttp", HTTP),
        ("streamable_http", HTTP),
        ("local", STDIO),
    ],
    urls: &[("url", AUTO)],
    env_file: Some("envFile"),
    ..COMMON
};

/// The words other hosts use for the container.
const OTHER_CONTAINERS: [(&str, &str); 4] =
    [("servers", "VS Code"), ("mcp", "OpenCode"), ("context_servers", "Zed"), ("mcp_servers", "Codex")];

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    match container(document) {
        ServerMap::Key => reader.map_at(document, "", "mcpServers", entry),
        ServerMap::Foreign { key, host } => {
            let message = format!("expected `mcpServers`, found `{key}`, which is {host}'s word");
            reader.warn(ProblemKind::ForeignSyntax, message, document.position, "");
            reader.map_at(document, "", key, entry);
        }
        ServerMap::Bare => reader.map(document, "", entry),
        ServerMap::None if document.members().is_some_and(|members| !members.is_empty()) => {
            let message = "expected `mcpServers`, found no servers".to_owned();
            reader.warn(ProblemKind::Shape, message, document.position, "");
        }
        ServerMap::None => {}
    }
}

/// Where a file of this dialect keeps its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerMap {
    /// Under `mcpServers`.
    Key,
    /// Under another host's word.
    Foreign { key: &'static str, host: &'static str },
    /// In the file itself: every member is a server.
    Bare,
    /// Nowhere yet.
    None,
}

/// Finds where a file keeps its servers, the same for readers and editors.
pub(crate) fn container(document: &Node) -> ServerMap {
    if document.member("mcpServers").is_some() {
        return ServerMap::Key;
    }
    let foreign = OTHER_CONTAINERS.iter().find(|(key, _)| document.member(key).is_some_and(holds_servers));
    if let Some((key, host)) = foreign {
        return ServerMap::Foreign { key, host };
    }
    let members = document.members().unwrap_or_default();
    if members.iter().any(|member| looks_like_server(&member.node)) { ServerMap::Bare } else { ServerMap::None }
}

fn holds_servers(member: &Member) -> bool {
    member.node.members().is_some_and(|members| members.iter().any(|member| looks_like_server(&member.node)))
}

fn looks_like_server(node: &Node) -> bool {
    ["command", "url", "type", "enabled", "disabled"].iter().any(|key| node.member(key).is_some())
}

pub(super) fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let common = Common {
        enabled: enabled(fields),
        timeouts: Timeouts {
            startup: fields.duration("startupTimeout", Unit::Milliseconds),
            call: fields.duration("timeout", Unit::Milliseconds),
        },
        tools: ToolFilter {
            allow: fields.strings("includeTools"),
            deny: [fields.strings("excludeTools"), fields.strings("disabledTools")]
                .into_iter()
                .flatten()
                .flatten()
                .collect(),
        },
    };
    let oauth = login::oauth(fields, SHAPE.syntax);
    let auto_approve = auto_approve(fields, &["alwaysAllow", "autoApprove"]);
    let hints = claude::hints(fields);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    config.auto_approve = auto_approve;
    config.hints = hints;
    Some(Draft::Server(Box::new(config)))
}
