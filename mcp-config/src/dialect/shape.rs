//! What most dialects share: an object that has either a command or a URL.

use indexmap::IndexMap;

use super::fields::{Fields, Unit, nearest};
use super::reader::Draft;
use crate::layer::OverlayChange;
use crate::problem::ProblemKind;
use crate::server::{
    AutoApprove, LaunchTemplate, RemoteTemplate, RemoteTransport, ServerConfig, StdioTemplate, Timeouts, ToolFilter,
    Unknown,
};
use crate::template::{Syntax, Template};

/// What a transport's name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Stdio,
    Remote(RemoteTransport),
}

pub(super) const STDIO: Transport = Transport::Stdio;
pub(super) const HTTP: Transport = Transport::Remote(RemoteTransport::Http);
pub(super) const SSE: Transport = Transport::Remote(RemoteTransport::Sse);
pub(super) const AUTO: Transport = Transport::Remote(RemoteTransport::HttpAuto);

/// The names a dialect gives to the common fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) syntax: Syntax,
    /// Every value of `type` that works, and what it means.
    pub(super) types: &'static [(&'static str, Transport)],
    /// The keys that hold a URL, each with the transport it implies when there is no `type`.
    pub(super) urls: &'static [(&'static str, Transport)],
    pub(super) command: &'static str,
    pub(super) env: &'static str,
    pub(super) headers: &'static str,
    pub(super) cwd: Option<&'static str>,
    pub(super) env_file: Option<&'static str>,
}

/// The commonest shape; a dialect changes what it does differently.
pub(super) const COMMON: Shape = Shape {
    syntax: Syntax::None,
    types: &[("stdio", STDIO), ("http", HTTP), ("streamable-http", HTTP), ("sse", SSE)],
    urls: &[("url", AUTO)],
    command: "command",
    env: "env",
    headers: "headers",
    cwd: Some("cwd"),
    env_file: None,
};

impl Shape {
    /// Reads how the server is reached. `None` is an entry with neither a command nor a URL: an overlay, or a mistake.
    pub(super) fn launch(&self, fields: &mut Fields<'_>) -> Option<LaunchTemplate> {
        let named = self.named_transport(fields);
        let (url, has_command) = self.ways(fields);
        self.urls.iter().for_each(|(key, _)| fields.ignore(&[key]));
        if fields.failed() {
            // A `type` that says nothing known: what the other fields mean cannot be told.
            fields.ignore(&["args", self.command, self.env, self.headers]);
            fields.ignore(&self.places());
            return None;
        }
        match (named, has_command, url) {
            (Some(STDIO), false, _) => {
                self.missing(fields, self.command);
                None
            }
            (Some(Transport::Remote(_)), _, None) => {
                self.missing(fields, self.urls.first().map_or("url", |(key, _)| *key));
                None
            }
            (Some(STDIO) | None, true, other) => {
                self.warn_ignored(fields, other.is_some(), "the command");
                Some(LaunchTemplate::Stdio(self.stdio(fields)?))
            }
            (Some(Transport::Remote(transport)), command, Some((key, _))) => {
                self.warn_ignored(fields, command, "the URL");
                Some(LaunchTemplate::Remote(self.remote(fields, key, transport)?))
            }
            (None, false, Some((key, implied))) => {
                let Transport::Remote(transport) = implied else { return None };
                Some(LaunchTemplate::Remote(self.remote(fields, key, transport)?))
            }
            (None, false, None) => None,
        }
    }

    /// Which of the keys for a URL is given, and whether a command is. An empty text beside the other is none.
    fn ways(&self, fields: &Fields<'_>) -> (Option<(&'static str, Transport)>, bool) {
        let url = self.urls.iter().copied().find(|(key, _)| fields.says(key));
        if fields.says(self.command) || url.is_some() {
            return (url, fields.says(self.command));
        }
        let has_command = fields.has(self.command);
        let url = self.urls.iter().copied().find(|(key, _)| !has_command && fields.has(key));
        (url, has_command)
    }

    /// The keys of a program's directory and of its file of variables, where the dialect has them.
    fn places(&self) -> Vec<&'static str> {
        [self.cwd, self.env_file].into_iter().flatten().collect()
    }

    fn named_transport(&self, fields: &mut Fields<'_>) -> Option<Transport> {
        let name = fields.string("type").filter(|name| !name.is_empty())?;
        if let Some((_, transport)) = self.types.iter().find(|(known, _)| *known == name) {
            return Some(*transport);
        }
        let names: Vec<&'static str> = self.types.iter().map(|(name, _)| *name).collect();
        let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("expected `type` to be one of {}; found {name:?}", shown.join(", "));
        // Another host's spelling of a transport this one has: what is meant is beyond doubt.
        let meant = every_spelling(name);
        if let Some((spelling, transport)) = self.types.iter().find(|(_, transport)| Some(*transport) == meant) {
            let (message, position) = (format!("{message}, which is read as `{spelling}`"), fields.position());
            fields.warn(ProblemKind::ForeignSyntax, message, position, Some("type"));
            return Some(*transport);
        }
        let fix = match nearest(name, &names) {
            _ if matches!(name, "ws" | "websocket") => {
                "MCP over WebSocket is not supported; ask for an HTTP endpoint".to_owned()
            }
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "use one of the names listed".to_owned(),
        };
        fields.error_with_fix(message, fix);
        None
    }

    fn missing(&self, fields: &mut Fields<'_>, key: &str) {
        let fix = if key == self.command {
            format!("add `\"{key}\": \"…\"` with the program to run")
        } else {
            format!("add `\"{key}\": \"https://…\"`")
        };
        fields.error_with_fix(format!("expected `{key}` beside this `type`"), fix);
    }

    fn warn_ignored(&self, fields: &mut Fields<'_>, both: bool, winner: &str) {
        if both {
            let url = self.urls.first().map_or("url", |(key, _)| *key);
            let message = format!("both `{}` and `{url}` are given; {winner} is used", self.command);
            let position = fields.position();
            fields.warn(ProblemKind::Conflict, message, position, None);
        }
    }

    fn stdio(&self, fields: &mut Fields<'_>) -> Option<StdioTemplate> {
        let command = fields.template(self.command, self.syntax)?;
        if command.raw().trim().is_empty() {
            fields.error_with_fix(
                format!("expected the program to run in `{}`, found nothing", self.command),
                "name a program, such as `npx`".to_owned(),
            );
            return None;
        }
        let stdio = StdioTemplate {
            args: fields.templates("args", self.syntax).unwrap_or_default(),
            env: fields.template_map(self.env, self.syntax),
            forward: Vec::new(),
            env_file: self.env_file.and_then(|key| fields.template(key, self.syntax)).filter(is_given),
            cwd: self.cwd.and_then(|key| fields.template(key, self.syntax)).filter(is_given),
            command,
        };
        warn_about_one_string_command(fields, &stdio);
        // A URL's headers beside a command have no effect; taking them keeps them from being called unknown.
        if !fields.template_map(self.headers, self.syntax).is_empty() {
            let position = fields.position();
            let message = format!("`{}` has no effect on a server that is a command", self.headers);
            fields.warn(ProblemKind::Unused, message, position, Some(self.headers));
        }
        Some(stdio)
    }

    fn remote(&self, fields: &mut Fields<'_>, key: &'static str, transport: RemoteTransport) -> Option<RemoteTemplate> {
        let url = fields.template(key, self.syntax)?;
        check_url(fields, &url, key)?;
        let headers = self.headers(fields);
        let env = fields.template_map(self.env, self.syntax);
        if !env.is_empty() {
            let position = fields.position();
            let message = format!("`{}` has no effect on a remote server: no process is started for it", self.env);
            fields.warn(ProblemKind::Unused, message, position, Some(self.env));
        }
        fields.ignore(&["args", self.command]);
        fields.ignore(&self.places());
        Some(RemoteTemplate { transport, url, headers })
    }

    fn headers(&self, fields: &mut Fields<'_>) -> IndexMap<String, Template> {
        let mut headers = fields.template_map(self.headers, self.syntax);
        headers.retain(|name, value| {
            let problem = if !is_header_name(name) {
                "expected a header name of letters, digits and `-`"
            } else if value.raw().contains(['\r', '\n']) {
                "expected a header value on one line"
            } else {
                return true;
            };
            let position = fields.position();
            let place = format!("{}/{name}", self.headers);
            fields.error(ProblemKind::Shape, problem.to_owned(), position, Some(&place));
            false
        });
        headers
    }

    /// Finishes an entry: an overlay when there is nothing to launch, and an error when there is nothing at all.
    pub(super) fn overlay(&self, fields: &mut Fields<'_>, change: OverlayChange) -> Option<Draft> {
        drop(fields.unknown());
        if fields.failed() {
            return None;
        }
        if change != OverlayChange::default() {
            return Some(Draft::Overlay(change));
        }
        let url = self.urls.first().map_or("url", |(key, _)| *key);
        let foreign = OTHER_KEYS.iter().find(|(key, _)| fields.has(key) && *key != url && *key != self.command);
        let fix = match foreign {
            Some((key, host)) if key.to_lowercase().contains("ur") => {
                format!("write `{url}` for `{key}`, which is {host}'s word")
            }
            Some((key, host)) => format!("write `{}` for `{key}`, which is {host}'s word", self.command),
            None => format!("add `{}` or `{url}`", self.command),
        };
        fields.error_with_fix(
            format!("expected `{}` (a program to run) or `{url}` (a remote server)", self.command),
            fix,
        );
        None
    }
}

/// An empty path is none.
fn is_given(template: &Template) -> bool {
    !template.raw().is_empty()
}

/// Keys that hold a command or a URL in some host, for the hint when an entry has neither.
const OTHER_KEYS: [(&str, &str); 7] = [
    ("serverUrl", "Windsurf"),
    ("httpUrl", "Gemini CLI"),
    ("uri", "Goose"),
    ("cmd", "Goose"),
    ("url", "most hosts"),
    ("command", "most hosts"),
    ("baseUrl", "mcporter"),
];

fn every_spelling(name: &str) -> Option<Transport> {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match letters.as_str() {
        "stdio" | "local" | "command" => Some(STDIO),
        "http" | "streamablehttp" | "httpstreamable" | "httpstream" | "remote" => Some(HTTP),
        "sse" => Some(SSE),
        _ => None,
    }
}

/// `"command": "npx -y server"` starts nothing: no host splits it.
fn warn_about_one_string_command(fields: &mut Fields<'_>, stdio: &StdioTemplate) {
    let command = stdio.command.raw().trim();
    let looks_like_a_line = command.split_once(' ').is_some_and(|(program, rest)| {
        !program.contains(['/', '\\']) && (rest.starts_with('-') || rest.starts_with('@') || stdio.args.is_empty())
    });
    if looks_like_a_line {
        let position = fields.position();
        fields.warn(
            ProblemKind::Shape,
            "the command holds a space: a program and its arguments are written apart".to_owned(),
            position,
            Some("command"),
        );
    }
}

fn check_url(fields: &mut Fields<'_>, url: &Template, key: &str) -> Option<()> {
    let text = url.raw().trim();
    let begins_with_variable = text.starts_with("${") || text.starts_with('{') || text.starts_with('$');
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if begins_with_variable || matches!(scheme.as_deref(), Some("http" | "https")) {
        return Some(());
    }
    let position = fields.position();
    let found = scheme.map_or_else(|| "no scheme".to_owned(), |scheme| format!("the scheme {scheme:?}"));
    fields.error(
        ProblemKind::Shape,
        format!("expected a URL that begins with https:// or http://, found {found}"),
        position,
        Some(key),
    );
    None
}

/// A token of RFC 9110 section 5.6.2.
pub(crate) fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Builds the draft of a server, or of an overlay when there is nothing to launch.
pub(super) struct Common {
    pub(super) enabled: Option<bool>,
    pub(super) timeouts: Timeouts,
    pub(super) tools: ToolFilter,
}

impl Common {
    pub(super) fn into_change(self) -> OverlayChange {
        OverlayChange { enabled: self.enabled, timeouts: self.timeouts, tools: self.tools }
    }
}

/// Reads `enabled` and `disabled`, whichever a file uses: both spellings are common enough in shared files, and a server
/// that somebody switched off must not come alive because the other word was used.
pub(super) fn enabled(fields: &mut Fields<'_>) -> Option<bool> {
    let enabled = fields.flag("enabled");
    let disabled = fields.flag("disabled").map(|disabled| !disabled);
    match (enabled, disabled) {
        (Some(left), Some(right)) => Some(left && right),
        (left, right) => left.or(right),
    }
}

/// Reads one `timeout` for calls.
pub(super) fn call_timeout(fields: &mut Fields<'_>, unit: Unit) -> Timeouts {
    Timeouts { startup: None, call: fields.duration("timeout", unit) }
}

/// Puts the parts of a server together.
pub(super) fn server(fields: &mut Fields<'_>, launch: LaunchTemplate, common: Common) -> ServerConfig {
    let mut config = ServerConfig::new(launch);
    config.enabled = common.enabled.unwrap_or(true);
    config.timeouts = common.timeouts;
    config.tools = common.tools;
    config.skipped = fields.skipped();
    config.unknown = Unknown(fields.unknown());
    config
}

/// Reads a program that a dialect writes as one array, with `args` appended to it.
pub(super) fn argv(fields: &mut Fields<'_>, shape: &Shape) -> Option<StdioTemplate> {
    if let Some(Transport::Remote(_)) = shape.named_transport(fields) {
        fields.error_with_fix(
            format!("expected `url` beside this `type`, found `{}`", shape.command),
            "correct the `type`, or replace the command by a URL".to_owned(),
        );
        return None;
    }
    let (command, mut args) = fields.command_line(shape.command, shape.syntax)?;
    args.extend(fields.templates("args", shape.syntax).unwrap_or_default());
    let ignored = shape.urls.iter().filter(|(key, _)| fields.says(key)).count();
    shape.urls.iter().for_each(|(key, _)| fields.ignore(&[key]));
    shape.warn_ignored(fields, ignored > 0, "the command");
    drop(fields.template_map(shape.headers, shape.syntax));
    Some(StdioTemplate {
        command,
        args,
        env: fields.template_map(shape.env, shape.syntax),
        forward: Vec::new(),
        env_file: shape.env_file.and_then(|key| fields.template(key, shape.syntax)).filter(is_given),
        cwd: shape.cwd.and_then(|key| fields.template(key, shape.syntax)).filter(is_given),
    })
}

/// Reads the lists of tools that are called without asking.
pub(super) fn auto_approve(fields: &mut Fields<'_>, keys: &[&'static str]) -> AutoApprove {
    let mut tools: Vec<String> = keys.iter().filter_map(|key| fields.strings(key)).flatten().collect();
    tools.dedup();
    if tools.is_empty() {
        AutoApprove::Nothing
    } else if tools.iter().any(|tool| tool == "*") {
        AutoApprove::Everything
    } else {
        AutoApprove::Tools(tools)
    }
}
