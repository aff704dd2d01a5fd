//! Servers from the MCP registry's `server.json`.
//!
//! The document is somebody else's text. None of it becomes a variable of the person's, an option of the program that fetches
//! the package, or a program of the document's choice.

mod package;
mod values;

use serde::Deserialize;
use serde_json::Value as Json;

use self::package::package_server;
use self::values::Needs;
use crate::dialect::is_header_name;
use crate::error::Error;
use crate::mask;
use crate::new_server::{NewLaunch, NewServer};
use crate::secret::Secret;
use crate::server::RemoteTransport;

/// What a `server.json` asks to be written, and what a person has to provide for it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RegistryServer {
    /// A short name: the last part of the registry name.
    pub name: String,
    /// What the server is for.
    pub description: Option<String>,
    /// The server to write.
    pub server: NewServer,
    /// The variables it refers to, in order of appearance.
    pub needs: Vec<Need>,
}

/// A value the server needs at every start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// The reference that was written, such as `${API_KEY}` or `${keyring:io.github.ada/weather.API_KEY}`.
    pub reference: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it is a secret.
    pub is_secret: bool,
}

/// The parts of <https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json> that decide what runs.
#[derive(Debug, Deserialize)]
struct Document {
    name: String,
    description: Option<String>,
    #[serde(default)]
    packages: Vec<Package>,
    #[serde(default)]
    remotes: Vec<Remote>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    registry_type: String,
    identifier: String,
    version: Option<String>,
    runtime_hint: Option<String>,
    #[serde(default)]
    runtime_arguments: Vec<Argument>,
    #[serde(default, rename = "packageArguments")]
    arguments: Vec<Argument>,
    #[serde(default)]
    environment_variables: Vec<Input>,
    transport: Option<Transport>,
}

#[derive(Debug, Deserialize)]
struct Transport {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct Remote {
    #[serde(rename = "type")]
    kind: String,
    url: String,
    #[serde(default)]
    headers: Vec<Input>,
    #[serde(default)]
    variables: serde_json::Map<String, Json>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Argument {
    #[serde(rename = "type")]
    kind: String,
    value_hint: Option<String>,
    #[serde(flatten)]
    input: Input,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Input {
    name: Option<String>,
    description: Option<String>,
    value: Option<String>,
    default: Option<Json>,
    is_required: bool,
    is_secret: bool,
    variables: serde_json::Map<String, Json>,
}

impl RegistryServer {
    /// Reads a `server.json`: the first package that can be run here, or else the first remote.
    ///
    /// A package is pinned to its exact version, and run by a program that is known to run such packages. A secret becomes
    /// `${keyring:<name>.<variable>}`, another required value `${<VARIABLE>}`, with its default where there is one; what is
    /// optional and has no value is left out. The name is the whole one in the registry, so that no document can name the
    /// secret of another server. In an argument, a URL or a header the variable's name is `MCP_` and that name before its own,
    /// so that the document cannot name one of the person's own. All other text stands for itself.
    ///
    /// # Errors
    /// The text is not a `server.json`, the server's name has no namespace, or it names nothing that can be run: no package of a known kind at an exact version,
    /// and no remote over HTTP.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let document: Document = serde_json::from_str(text).map_err(|error| Error::Registry {
            server: "server.json".to_owned(),
            reason: format!("line {} column {} is not what the schema expects", error.line(), error.column()),
        })?;
        let name = match document.name.split_once('/') {
            Some((namespace, name)) if is_name(namespace) && is_name(name) => name.to_owned(),
            _ => {
                let reason =
                    "expected a name such as `io.example/server`, of letters, digits, `.`, `_` and `-`".to_owned();
                return Err(Error::Registry { server: "server.json".to_owned(), reason });
            }
        };
        let mut needs = Needs::of(&document.name);
        let mut reasons = Vec::new();
        for package in &document.packages {
            match package_server(package, &mut needs) {
                Ok(server) => return Ok(Self::of(document, name, server, needs)),
                Err(reason) => reasons.push(format!("{} {}: {reason}", package.registry_type, package.identifier)),
            }
        }
        for remote in &document.remotes {
            match remote_server(remote, &mut needs) {
                Ok(server) => return Ok(Self::of(document, name, server, needs)),
                Err(reason) => reasons.push(reason),
            }
        }
        if reasons.is_empty() {
            reasons.push("it names neither a package nor a remote".to_owned());
        }
        Err(Error::Registry { server: document.name, reason: reasons.join("; ") })
    }

    fn of(document: Document, name: String, server: NewServer, needs: Needs) -> Self {
        Self { name, description: document.description, server, needs: needs.into_list() }
    }

    /// Returns what it runs, or where it connects: one line, secrets hidden.
    pub fn summary(&self) -> String {
        match &self.server.launch {
            NewLaunch::Stdio { command, args, .. } => {
                let words = mask::arguments(args.iter().map(Secret::expose));
                std::iter::once(command.clone()).chain(words).collect::<Vec<_>>().join(" ")
            }
            NewLaunch::Remote { url, .. } => mask::url(url.expose()),
        }
    }
}

/// What the registry allows before and after the slash of a name, and what may stand inside `${keyring:…}`.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(allowed)
}

fn remote_server(remote: &Remote, needs: &mut Needs) -> Result<NewServer, String> {
    needs.clear();
    let transport = match remote.kind.as_str() {
        "streamable-http" => RemoteTransport::Http,
        "sse" => RemoteTransport::Sse,
        other => return Err(format!("the transport {other:?} is not supported")),
    };
    let url = needs.fill(&remote.url, &remote.variables);
    let mut server = NewServer::from_url(&url, transport).map_err(|error| error.to_string())?;
    for header in &remote.headers {
        let Some(name) = &header.name else { continue };
        if !is_header_name(name) {
            return Err(format!("{name:?} cannot be the name of a header"));
        }
        if let Some(value) = needs.value(header, name) {
            server = server.with_header(name, value);
        }
    }
    Ok(server)
}
