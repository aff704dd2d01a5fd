//! Codex's `config.toml`: `[mcp_servers.<name>]`, secrets by the names of variables, times in seconds,
//! <https://github.com/openai/codex/blob/main/docs/config.md#mcp_servers>.
//!
//! Nothing is expanded; `bearer_token_env_var`, `env_http_headers` and `env_vars` name variables instead.

use super::claude;
use super::fields::{Fields, Unit};
use super::reader::{Draft, Reader};
use super::shape::{COMMON, Common, HTTP, STDIO, Shape, enabled, server};
use crate::document::{Node, Value};
use crate::login::ResourceHint;
use crate::problem::ProblemKind;
use crate::server::{AutoApprove, Hints, LaunchTemplate, RemoteTemplate, StdioTemplate, Timeouts, ToolFilter};
use crate::template::{Syntax, Template};

const SHAPE: Shape =
    Shape { types: &[("stdio", STDIO), ("http", HTTP)], urls: &[("url", HTTP)], headers: "http_headers", ..COMMON };

pub(super) fn read(document: &Node, reader: &mut Reader<'_>) {
    reader.map_at(document, "", "mcp_servers", entry);
}

fn entry(fields: &mut Fields<'_>) -> Option<Draft> {
    refuse_mixtures(fields);
    if fields.failed() {
        return None;
    }
    let mut launch = SHAPE.launch(fields);
    match &mut launch {
        Some(LaunchTemplate::Stdio(stdio)) => forward_variables(fields, stdio),
        Some(LaunchTemplate::Remote(remote)) => headers_from_variables(fields, remote),
        None => {}
    }
    let common = Common {
        enabled: enabled(fields),
        timeouts: Timeouts {
            startup: fields
                .duration("startup_timeout_sec", Unit::Seconds)
                .or_else(|| fields.duration("startup_timeout_ms", Unit::Milliseconds)),
            call: fields.duration("tool_timeout_sec", Unit::Seconds),
        },
        tools: ToolFilter {
            allow: fields.strings("enabled_tools"),
            deny: fields.strings("disabled_tools").unwrap_or_default(),
        },
    };
    let mut oauth = claude::oauth(fields, SHAPE.syntax);
    oauth.scopes.extend(fields.strings("scopes").unwrap_or_default());
    oauth.resource =
        fields.string("oauth_resource").map(|resource| ResourceHint::Exactly(resource.to_owned())).or(oauth.resource);
    let auto_approve = auto_approve(fields);
    let hints = Hints {
        required: fields.flag("required"),
        parallel_calls: fields.flag("supports_parallel_tool_calls"),
        ..Hints::default()
    };
    // Older versions wrote the name into the entry; both second spellings are taken so that neither is called unknown.
    fields.ignore(&["name", "startup_timeout_ms"]);
    let Some(launch) = launch else { return SHAPE.overlay(fields, common.into_change()) };
    let mut config = server(fields, launch, common);
    config.oauth = oauth;
    config.auto_approve = auto_approve;
    config.hints = hints;
    Some(Draft::Server(Box::new(config)))
}

/// Codex refuses fields of the other transport, and a token in clear.
fn refuse_mixtures(fields: &mut Fields<'_>) {
    if fields.says("command") && fields.says("url") {
        fields.error_with_fix(
            "expected `command` or `url`, found both".to_owned(),
            "remove the one that is not meant".to_owned(),
        );
    }
    if fields.take("bearer_token").is_some() {
        fields.error_with_fix(
            "`bearer_token` holds a secret in clear, which Codex refuses".to_owned(),
            "put it into a variable and name that in `bearer_token_env_var`".to_owned(),
        );
    }
}

/// `env_vars` is a list of names, or of tables with a `name`.
fn forward_variables(fields: &mut Fields<'_>, stdio: &mut StdioTemplate) {
    let Some(list) = fields.take("env_vars") else { return };
    for item in list.items().unwrap_or_default() {
        stdio.forward.extend(item.as_str().or_else(|| item.child("name")?.as_str()).map(str::to_owned));
    }
    if list.items().is_none() {
        let message = format!("expected an array of names, found {}", list.type_name());
        fields.error(ProblemKind::Shape, message, list.position, Some("env_vars"));
    }
}

fn headers_from_variables(fields: &mut Fields<'_>, remote: &mut RemoteTemplate) {
    // The names are Codex's; the templates that stand for them are in the syntax that expands `${NAME}`.
    if let Some(name) = fields.string("bearer_token_env_var") {
        let value = Template::new(format!("Bearer ${{{name}}}"), Syntax::Claude);
        remote.headers.insert("Authorization".to_owned(), value);
    }
    for (header, name) in fields.template_map("env_http_headers", Syntax::None) {
        remote.headers.insert(header, Template::new(format!("${{{}}}", name.raw()), Syntax::Claude));
    }
}

/// `default_tools_approval_mode = "approve"`, or the same in `tools.<name>.approval_mode`, calls without asking.
fn auto_approve(fields: &mut Fields<'_>) -> AutoApprove {
    let everything = fields.string("default_tools_approval_mode") == Some("approve");
    let tools = fields.take("tools").map(|node| &node.value);
    if everything {
        return AutoApprove::Everything;
    }
    let Some(Value::Object(tools)) = tools else { return AutoApprove::Nothing };
    let mode = |node: &Node| node.child("approval_mode").and_then(Node::as_str) == Some("approve");
    let approved: Vec<String> =
        tools.iter().filter(|member| mode(&member.node)).map(|member| member.key.clone()).collect();
    if approved.is_empty() { AutoApprove::Nothing } else { AutoApprove::Tools(approved) }
}
