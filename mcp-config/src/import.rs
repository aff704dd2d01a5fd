//! Takes servers over from other hosts.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::edit::Edit;
use crate::error::Error;
use crate::layer::{Entry, Layer, PluginDirectories};
use crate::new_server::{NewLaunch, NewServer};
use crate::preview::Preview;
use crate::secret::Secret;
use crate::server::{LaunchTemplate, RemoteTemplate, ServerConfig, StdioTemplate};
use crate::source::{Host, Origin, Scope};
use crate::template::{Piece, Template, Variable};

/// A server of another host's user files, and how it compares with what the user has.
///
/// Its definition is written by [`Edit::import`] and shown by [`preview`](Self::preview), secrets hidden. A project's
/// entries are not imported: they are approved where they stand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Import {
    /// The name.
    pub name: String,
    /// Where the other host defines it.
    pub origin: Origin,
    /// How it compares.
    pub state: ImportState,
    /// What is shown of it.
    pub preview: Preview,
    /// What the other host's entry says and cannot be taken over.
    pub left_out: Vec<&'static str>,
    #[serde(skip)]
    server: NewServer,
}

/// How an import compares with the user's own entry of the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportState {
    /// The user has none.
    New,
    /// The user's says the same.
    Same,
    /// The user's says something else.
    Differs {
        /// The parts that differ: `command`, `args`, `env.TOKEN` …
        fields: Vec<String>,
    },
}

/// Lists what can be imported, of one host or of all, in the order of precedence, highest first; of one name the highest.
pub fn imports(layers: &[Layer], host: Option<Host>) -> Vec<Import> {
    let own = |name: &str| {
        let own = layers.iter().rev().filter(|layer| layer.source.scope == Scope::User);
        own.flat_map(|layer| &layer.entries).find(|entry| entry.name == name)
    };
    let mut found: Vec<Import> = Vec::new();
    let foreign = layers.iter().rev().filter(|layer| {
        layer.is_foreign
            && matches!(layer.source.scope, Scope::Imported | Scope::Plugin)
            && host.is_none_or(|host| layer.source.host == host)
    });
    for entry in foreign.flat_map(|layer| &layer.entries) {
        if !found.iter().any(|import| import.name == entry.name) {
            found.push(import(entry, own(&entry.name)));
        }
    }
    found
}

impl Edit {
    /// Adds an imported server, or replaces the one of that name; tells whether it replaced one.
    ///
    /// # Errors
    /// Like [`add`](Self::add).
    pub fn import(&mut self, import: &Import) -> Result<bool, Error> {
        self.add(&import.name, &import.server)
    }
}

fn import(entry: &Entry, own: Option<&Entry>) -> Import {
    let (server, left_out) = translate(&entry.config, entry.plugin.as_ref());
    let state = match own {
        None => ImportState::New,
        Some(own) => {
            let (mine, _) = translate(&own.config, own.plugin.as_ref());
            let fields = differences(&mine, &server);
            if fields.is_empty() { ImportState::Same } else { ImportState::Differs { fields } }
        }
    };
    let (name, origin) = (entry.name.clone(), entry.origin.clone());
    Import { name, origin, state, preview: Preview::of(&entry.config), left_out, server }
}

/// Writes a definition in the words and the syntax of this toolkit's own files.
fn translate(config: &ServerConfig, plugin: Option<&PluginDirectories>) -> (NewServer, Vec<&'static str>) {
    let mut left_out = Vec::new();
    let mut more = Map::new();
    let launch = match &config.launch {
        LaunchTemplate::Stdio(stdio) => program(stdio, plugin, &mut more),
        LaunchTemplate::Remote(remote) => endpoint(remote, plugin),
    };
    add_limits(config, &mut more);
    add_oauth(config, &mut more);
    if !config.auto_approve.is_nothing() {
        left_out.push("which tools are called without asking");
    }
    if !config.unknown.0.is_empty() {
        left_out.push("keys that have no meaning here");
    }
    if config.refusal.is_some() {
        left_out.push("the sandbox or the policy that limits it");
    }
    let timeout = config.timeouts.call;
    (NewServer { launch, enabled: config.enabled, timeout, more }, left_out)
}

fn program(stdio: &StdioTemplate, plugin: Option<&PluginDirectories>, more: &mut Map<String, Json>) -> NewLaunch {
    let write = |template: &Template| rewrite(template, plugin);
    let mut env: indexmap::IndexMap<String, Secret> =
        stdio.env.iter().map(|(name, value)| (name.clone(), Secret::new(write(value)))).collect();
    for name in &stdio.forward {
        // Passing a variable on when it is set, and an empty one otherwise, is as near as a map of values comes.
        env.entry(name.clone()).or_insert_with(|| Secret::new(format!("${{{name}:-}}")));
    }
    if let Some(file) = &stdio.env_file {
        more.insert("envFile".to_owned(), json!(write(file)));
    }
    NewLaunch::Stdio {
        command: write(&stdio.command),
        args: stdio.args.iter().map(|argument| Secret::new(write(argument))).collect(),
        env,
        cwd: stdio.cwd.as_ref().map(write),
    }
}

fn endpoint(remote: &RemoteTemplate, plugin: Option<&PluginDirectories>) -> NewLaunch {
    let headers = remote.headers.iter();
    NewLaunch::Remote {
        url: Secret::new(rewrite(&remote.url, plugin)),
        transport: remote.transport,
        headers: headers.map(|(name, value)| (name.clone(), Secret::new(rewrite(value, plugin)))).collect(),
    }
}

fn add_limits(config: &ServerConfig, more: &mut Map<String, Json>) {
    if let Some(startup) = config.timeouts.startup {
        let milliseconds = u64::try_from(startup.as_millis()).unwrap_or(u64::MAX);
        more.insert("startupTimeout".to_owned(), json!(milliseconds));
    }
    if let Some(allow) = &config.tools.allow {
        more.insert("includeTools".to_owned(), json!(allow));
    }
    if !config.tools.deny.is_empty() {
        more.insert("excludeTools".to_owned(), json!(config.tools.deny));
    }
    if let Some(description) = &config.hints.description {
        more.insert("description".to_owned(), json!(description));
    }
}

fn add_oauth(config: &ServerConfig, more: &mut Map<String, Json>) {
    let hints = &config.oauth;
    if hints.disabled {
        more.insert("oauth".to_owned(), json!(false));
        return;
    }
    let mut oauth = Map::new();
    let texts = [
        ("clientId", &hints.client_id),
        ("redirectUri", &hints.redirect_uri),
        ("authServerMetadataUrl", &hints.metadata_url),
        ("resource", &hints.resource),
    ];
    oauth.extend(texts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), json!(value.as_ref()?)))));
    oauth.extend(hints.client_secret.as_ref().map(|secret| ("clientSecret".to_owned(), json!(rewrite(secret, None)))));
    oauth.extend(hints.callback_port.map(|port| ("callbackPort".to_owned(), json!(port))));
    if !hints.scopes.is_empty() {
        oauth.insert("scopes".to_owned(), json!(hints.scopes.join(" ")));
    }
    if !oauth.is_empty() {
        more.insert("oauth".to_owned(), Json::Object(oauth));
    }
}

/// Writes a template in this toolkit's syntax.
///
/// What only looks like a variable in the other host's file becomes one: the other host sent it as it was, which is what
/// nobody means.
fn rewrite(template: &Template, plugin: Option<&PluginDirectories>) -> String {
    template.pieces().iter().map(|piece| rewrite_piece(piece, plugin)).collect()
}

fn rewrite_piece(piece: &Piece, plugin: Option<&PluginDirectories>) -> String {
    let reference = match piece {
        Piece::Literal(text) => return text.replace("${", "$${"),
        Piece::Foreign { text, certain: false, .. } | Piece::Foreign { text, name: None, .. } => return text.clone(),
        Piece::Foreign { name: Some(name), .. } => return format!("${{{name}}}"),
        Piece::Variable(reference) => reference,
    };
    let default = reference.default.as_ref().map_or_else(String::new, |default| {
        let text: String = default.iter().map(|piece| rewrite_piece(piece, plugin)).collect();
        format!(":-{text}")
    });
    let path = |path: Option<&Path>| path.map_or_else(|| reference.text.clone(), |path| path.display().to_string());
    match &reference.variable {
        Variable::Environment(name) => format!("${{{name}{default}}}"),
        Variable::Input(id) => format!("${{input:{id}}}"),
        Variable::Keyring(name) => format!("${{keyring:{name}}}"),
        Variable::File(path) => format!("${{file:{path}}}"),
        Variable::WorkspaceFolder => "${workspaceFolder}".to_owned(),
        Variable::WorkspaceName => "${workspaceFolderBasename}".to_owned(),
        Variable::UserHome => "${userHome}".to_owned(),
        Variable::PathSeparator => "${pathSeparator}".to_owned(),
        Variable::PluginRoot => path(plugin.map(|plugin| plugin.root.as_path())),
        Variable::PluginData => path(plugin.map(|plugin| plugin.data.as_path())),
    }
}

/// Names the parts in which two servers differ.
fn differences(mine: &NewServer, theirs: &NewServer) -> Vec<String> {
    let (left, right) = (facts(mine), facts(theirs));
    let mut names: Vec<&String> = left.iter().chain(&right).map(|(name, _)| name).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    let value = |facts: &[(String, Json)], name: &str| {
        facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    names.into_iter().filter(|name| value(&left, name) != value(&right, name)).cloned().collect()
}

fn facts(server: &NewServer) -> Vec<(String, Json)> {
    let mut facts = Vec::new();
    let secrets = |prefix: &str, values: &indexmap::IndexMap<String, Secret>| {
        values.iter().map(|(name, value)| (format!("{prefix}.{name}"), json!(value.expose()))).collect::<Vec<_>>()
    };
    match &server.launch {
        NewLaunch::Stdio { command, args, env, cwd } => {
            facts.push(("command".to_owned(), json!(command)));
            facts.push(("args".to_owned(), json!(args.iter().map(Secret::expose).collect::<Vec<_>>())));
            facts.extend(secrets("env", env));
            facts.extend(cwd.iter().map(|cwd| ("cwd".to_owned(), json!(cwd))));
        }
        NewLaunch::Remote { url, transport, headers } => {
            facts.push(("url".to_owned(), json!(url.expose())));
            facts.push(("transport".to_owned(), json!(transport)));
            facts.extend(secrets("headers", headers));
        }
    }
    facts.push(("enabled".to_owned(), json!(server.enabled)));
    facts.push(("timeout".to_owned(), json!(server.timeout.map(|timeout| timeout.as_millis().to_string()))));
    facts.extend(server.more.iter().map(|(key, value)| (key.clone(), value.clone())));
    facts
}
