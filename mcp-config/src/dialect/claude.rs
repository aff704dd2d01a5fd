//! Claude Code's `~/.claude.json`.
//!
//! Two containers: `mcpServers` at the top is the user's, and `projects["<absolute path>"].mcpServers` belongs to one
//! project (the scope `claude mcp add` calls local). See <https://code.claude.com/docs/en/mcp>. The file also holds the
//! rest of Claude Code's state, so nothing else in it is looked at, and it is never written.

use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, SSE, STDIO, Shape, call_timeout, enabled, server};
use crate::document::{Node, Value, pointer_join};
use crate::login::{OauthHints, ResourceHint};
use crate::problem::ProblemKind;
use crate::server::{Hints, ToolFilter};
use crate::template::Syntax;

const SHAPE: Shape = Shape {
    syntax: Syntax::Claude,
    types: &[("stdio", STDIO), ("http", HTTP), ("streamable-http", HTTP), ("sse", SSE)],
    urls: &[("url", HTTP)],
    ..COMMON
};

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcpServers", entry);
}

/// Reads the servers of the current project.
pub(super) fn read_local(document: &Node, reader: &mut Reader<'_>) {
    let Some(projects) = document.child("projects") else { return };
    for directory in reader.projects {
        let key = directory.to_string_lossy();
        if let Some(project) = projects.child(&key) {
            let pointer = pointer_join("/projects", &key);
            reader.map_at(project, &pointer, "mcpServers", entry);
            // What the person said no to in Claude Code stays off when Claude Code's servers are used here.
            for list in ["disabledMcpjsonServers", "disabledMcpServers"] {
                reader.switch_off(project, &pointer, list);
            }
        }
    }
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    let launch = SHAPE.launch(fields);
    let common = Common {
        enabled: enabled(fields),
        timeouts: call_timeout(fields, Unit::Milliseconds),
        tools: ToolFilter::default(),
    };
    let oauth = oauth(fields, SHAPE.syntax);
    let hints = hints(fields);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    refuse_headers_helper(fields);
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    config.hints = hints;
    Some(Draft::Server(Box::new(config)))
}

/// `headersHelper` is a shell command whose output becomes headers. Running it is not something a reader does, and
/// connecting without the headers would fail in a way nobody could explain.
fn refuse_headers_helper(fields: &mut Fields<'_>) {
    if fields.take("headersHelper").is_some() {
        fields.error_with_fix(
            "`headersHelper` runs a shell command to make headers, which is not supported".to_owned(),
            "put the value in a variable and write it under `headers`".to_owned(),
        );
    }
}

pub(super) fn hints(fields: &mut Fields<'_>) -> Hints {
    Hints {
        description: fields.string("description").map(str::to_owned),
        always_load: fields.flag("alwaysLoad"),
        background: fields.flag("background"),
        ..Hints::default()
    }
}

/// Reads `oauth`: an object, or `false` to switch it off. `scopes` is one string with spaces, or an array.
pub(super) fn oauth(fields: &mut Fields<'_>, syntax: Syntax) -> OauthHints {
    oauth_at(fields, "oauth", syntax)
}

/// Reads the same under another name.
pub(super) fn oauth_at(fields: &mut Fields<'_>, key: &'static str, syntax: Syntax) -> OauthHints {
    let mut hints = OauthHints::default();
    let Some(node) = fields.take(key) else { return hints };
    match &node.value {
        Value::Bool(on) => hints.disabled = !on,
        Value::Object(_) => fill(&mut hints, fields, node, syntax),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let message = format!("expected an object or false, found {}", node.type_name());
            fields.warn(ProblemKind::Shape, message, node.position, Some(key));
        }
    }
    hints
}

fn fill(hints: &mut OauthHints, fields: &mut Fields<'_>, node: &Node, syntax: Syntax) {
    let text = |keys: &[&str]| keys.iter().find_map(|key| node.child(key)?.as_str()).map(str::to_owned);
    hints.client_id = text(&["clientId", "client_id", "CLIENT_ID"]);
    hints.secrets.client_secret = text(&["clientSecret", "client_secret", "CLIENT_SECRET"])
        .map(|secret| crate::template::Template::new(secret, syntax));
    hints.metadata_url = text(&["authServerMetadataUrl"]);
    hints.redirect_uri = text(&["redirectUri"]);
    hints.resource = text(&["resource"]).map(ResourceHint::Exactly);
    hints.scopes = ["scopes", "scope"].iter().find_map(|key| node.child(key)).map(scopes).unwrap_or_default();
    if let Some(false) = node.child("enabled").and_then(Node::as_bool) {
        hints.disabled = true;
    }
    if let Some(port) = node.child("callbackPort") {
        let number = match &port.value {
            Value::Number(number) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
            _ => None,
        };
        if number.is_none() {
            let message = "expected a port number between 0 and 65535; a free port is used".to_owned();
            fields.warn(ProblemKind::Shape, message, port.position, Some("oauth/callbackPort"));
        }
        hints.callback_port = number;
    }
}

fn scopes(node: &Node) -> Vec<String> {
    match &node.value {
        Value::String(text) => text.split_whitespace().map(str::to_owned).collect(),
        Value::Array(items) => items.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
