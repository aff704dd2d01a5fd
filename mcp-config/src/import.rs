//! Takes servers over from other hosts.

mod translate;

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::edit::Edit;
use crate::error::Error;
use crate::layer::{Entry, Layer};
use crate::new_server::{NewLaunch, NewServer};
use crate::preview::Preview;
use crate::secret::Secret;
use crate::source::{Host, Origin, Scope};
use translate::translate;

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
    /// Whether the other host would run it in a sandbox, or a policy keeps it from running: taken over, it runs without.
    pub is_limited: bool,
    /// What the other host's entry says and cannot be taken over: everything that is not in what [`Edit::import`] writes.
    pub left_out: Vec<String>,
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
    let is_limited = entry.config.refusal.is_some();
    Import { name, origin, state, is_limited, preview: Preview::of(&entry.config), left_out, server }
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
