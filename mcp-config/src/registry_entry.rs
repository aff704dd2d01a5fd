//! Servers from the MCP registry's `server.json`.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::error::Error;
use crate::new_server::NewServer;
use crate::server::RemoteTransport;
use crate::template::literal;

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
    /// The reference that was written, such as `${API_KEY}` or `${keyring:weather.API_KEY}`.
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
    /// A package is pinned to its exact version. A secret becomes `${keyring:<name>.<variable>}`, another required value
    /// `${<VARIABLE>}`, with its default where there is one; what is optional and has no value is left out.
    ///
    /// # Errors
    /// The text is not a `server.json`, or names nothing that can be run: no package of a known kind at an exact version,
    /// and no remote over HTTP.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let document: Document = serde_json::from_str(text).map_err(|error| Error::Registry {
            server: "server.json".to_owned(),
            reason: format!("line {} column {} is not what the schema expects", error.line(), error.column()),
        })?;
        let name = document.name.rsplit('/').next().unwrap_or_default().to_owned();
        let mut needs = Needs { prefix: name.clone(), list: Vec::new() };
        let mut reasons = Vec::new();
        for package in &document.packages {
            match package_server(package, &mut needs) {
                Ok(server) => return Ok(Self::of(document, name, server, needs)),
                Err(reason) => reasons.push(format!("{} {}: {reason}", package.registry_type, package.identifier)),
            }
        }
        for remote in &document.remotes {
            needs.list.clear();
            if let Some(server) = remote_server(remote, &mut needs) {
                return Ok(Self::of(document, name, server, needs));
            }
            reasons.push(format!("the transport `{}` is not supported", remote.kind));
        }
        if reasons.is_empty() {
            reasons.push("it names neither a package nor a remote".to_owned());
        }
        Err(Error::Registry { server: document.name, reason: reasons.join("; ") })
    }

    fn of(document: Document, name: String, server: NewServer, needs: Needs) -> Self {
        Self { name, description: document.description, server, needs: needs.list }
    }
}

fn package_server(package: &Package, needs: &mut Needs) -> Result<NewServer, String> {
    needs.list.clear();
    if package.transport.as_ref().is_some_and(|transport| transport.kind != "stdio") {
        return Err("it serves over HTTP and would have to be started first".to_owned());
    }
    let version = package.version.as_deref().filter(|version| is_exact(version));
    let pinned = |separator: &str| {
        let version = version.ok_or("it names no exact version")?;
        Ok::<_, String>(format!("{}{separator}{version}", package.identifier))
    };
    let (runtime, before, target) = match package.registry_type.as_str() {
        "npm" => ("npx", vec!["-y".to_owned()], pinned("@")?),
        "pypi" => ("uvx", Vec::new(), pinned("==")?),
        "nuget" => ("dnx", vec!["--yes".to_owned()], pinned("@")?),
        // An image's tag or digest is part of its identifier in newer documents.
        "oci" if package.identifier.contains('@') || has_tag(&package.identifier) => {
            ("docker", docker_arguments(package), package.identifier.clone())
        }
        "oci" => ("docker", docker_arguments(package), pinned(":")?),
        other => return Err(format!("packages of type `{other}` cannot be run here")),
    };
    let mut words = before;
    for argument in &package.runtime_arguments {
        words.extend(argument_words(argument, needs));
    }
    words.push(target);
    for argument in &package.arguments {
        words.extend(argument_words(argument, needs));
    }
    let mut server = NewServer::stdio(package.runtime_hint.as_deref().unwrap_or(runtime), words);
    for variable in &package.environment_variables {
        if let (Some(name), Some(value)) = (&variable.name, needs.value(variable, variable.name.as_deref())) {
            server = server.with_env(name, value);
        }
    }
    Ok(server)
}

fn has_tag(image: &str) -> bool {
    image.rsplit('/').next().is_some_and(|name| name.contains(':'))
}

/// A container sees only the variables it is given by name.
fn docker_arguments(package: &Package) -> Vec<String> {
    let names = package.environment_variables.iter().filter_map(|variable| variable.name.clone());
    let flags = names.flat_map(|name| ["-e".to_owned(), name]);
    ["run", "-i", "--rm"].into_iter().map(str::to_owned).chain(flags).collect()
}

/// The schema refuses `latest` and ranges; a file may hold them all the same.
fn is_exact(version: &str) -> bool {
    !version.is_empty()
        && version != "latest"
        && !version.contains(['^', '~', '*', '<', '>', '|', ' ', ','])
        && version.contains(|character: char| character.is_ascii_digit())
}

fn argument_words(argument: &Argument, needs: &mut Needs) -> Vec<String> {
    let input = &argument.input;
    match (argument.kind.as_str(), &input.name) {
        ("named", Some(flag)) => match needs.value(input, Some(flag.trim_start_matches('-'))) {
            Some(value) => vec![flag.clone(), value],
            None => Vec::new(),
        },
        _ => needs.value(input, argument.value_hint.as_deref()).into_iter().collect(),
    }
}

fn remote_server(remote: &Remote, needs: &mut Needs) -> Option<NewServer> {
    let transport = match remote.kind.as_str() {
        "streamable-http" => RemoteTransport::Http,
        "sse" => RemoteTransport::Sse,
        _ => return None,
    };
    let url = needs.fill(&remote.url, &remote.variables);
    let mut server = NewServer::from_url(&url, transport).ok()?;
    for header in &remote.headers {
        if let (Some(name), Some(value)) = (&header.name, needs.value(header, header.name.as_deref())) {
            server = server.with_header(name, value);
        }
    }
    Some(server)
}

/// Collects the values a person has to provide.
struct Needs {
    prefix: String,
    list: Vec<Need>,
}

impl Needs {
    /// Returns what to write for an input: its fixed value, or a reference to what a person provides.
    fn value(&mut self, input: &Input, hint: Option<&str>) -> Option<String> {
        if let Some(value) = &input.value {
            return Some(self.fill(value, &input.variables));
        }
        let default = input.default.as_ref().map(text);
        if !input.is_required && !input.is_secret {
            return default.map(|default| literal(&default));
        }
        let name = hint.or(input.name.as_deref())?;
        Some(self.reference(name, input, default))
    }

    /// Puts references in the place of `{name}`; a name the document does not explain stays as it is.
    fn fill(&mut self, template: &str, variables: &serde_json::Map<String, Json>) -> String {
        let mut filled = literal(template);
        for (name, description) in variables {
            let marker = format!("{{{name}}}");
            if filled.contains(&marker) {
                let input: Input = serde_json::from_value(description.clone()).unwrap_or_default();
                let value = match &input.value {
                    Some(value) => value.clone(),
                    None => self.reference(name, &input, input.default.as_ref().map(text)),
                };
                filled = filled.replace(&marker, &value);
            }
        }
        filled
    }

    fn reference(&mut self, name: &str, input: &Input, default: Option<String>) -> String {
        let variable = variable_name(name);
        let reference = match default {
            _ if input.is_secret => format!("${{keyring:{}.{variable}}}", self.prefix),
            Some(default) if !default.contains('}') => format!("${{{variable}:-{default}}}"),
            Some(_) | None => format!("${{{variable}}}"),
        };
        self.list.push(Need {
            reference: reference.clone(),
            description: input.description.clone(),
            is_secret: input.is_secret,
        });
        reference
    }
}

fn text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// Turns a hint such as `api-key` into the name of a variable.
fn variable_name(hint: &str) -> String {
    let name: String = hint
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_uppercase() } else { '_' })
        .collect();
    if name.starts_with(|character: char| character.is_ascii_digit()) { format!("_{name}") } else { name }
}
