//! `mcpctl add`: one entry more in a file that is ours to write.

use std::path::Path;

use mcp_client::Remedy;
use mcp_client::config::{NewServer, RegistryServer, RemoteTransport};

use crate::arguments::{Add, Transport};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::hint::{Hint, mcpctl};

pub(crate) fn run(context: &Context<'_>, arguments: &Add) -> Result<Exit, Failure> {
    let (name, server) = match (&arguments.from_registry, &arguments.name) {
        (Some(file), name) => from_registry(context, file, name.as_deref())?,
        (None, Some(name)) => (name.clone(), described(arguments)?),
        (None, None) => return Err(Failure::usage("name the server")),
    };
    let mut edit = files::open(context, arguments.scope, &name)?;
    if edit.contains(&name) {
        let message = format!("`{name}` is already defined in {}", edit.path().display());
        return Err(Failure::usage(message).with_hint(mcpctl(["remove"]).operand(&name)));
    }
    edit.add(&name, &server)?;
    edit.save()?;
    context.terminal.talk(format!("added `{name}` to {}", edit.path().display()));
    files::approve_typed(context, edit.path(), &name)?;
    context.terminal.hint(mcpctl(["status"]).operand(&name));
    Ok(Exit::Ok)
}

/// The server that a `server.json` describes; says what a person still has to provide.
fn from_registry(context: &Context<'_>, file: &Path, name: Option<&str>) -> Result<(String, NewServer), Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", file.display())))?;
    let found = RegistryServer::parse(&text)?;
    context.terminal.talk(format!("it starts: {}", found.summary()));
    for need in &found.needs {
        let what = need.description.as_deref().unwrap_or("no description");
        let kind = if need.is_secret { "secret " } else { "" };
        context.terminal.talk(format!("needs {kind}{}: {what}", need.reference));
        if let Some(name) = need.reference.strip_prefix("${keyring:").and_then(|rest| rest.strip_suffix('}')) {
            context.terminal.hint(&Remedy::StoreSecret { name: name.into() });
        }
    }
    Ok((name.map_or(found.name, str::to_owned), found.server))
}

fn described(arguments: &Add) -> Result<NewServer, Failure> {
    match (arguments.target.as_slice(), arguments.command.as_slice()) {
        ([], []) => Err(Failure::usage("name a URL, or `--` and a command")),
        ([], command) => with_env(NewServer::from_argv(command)?, arguments),
        ([kind, words @ ..], _) if kind == "local" && !words.is_empty() => {
            with_env(NewServer::from_words(kind, words)?, arguments)
        }
        ([kind, words @ ..], _) if kind == "remote" && !words.is_empty() => {
            remote(NewServer::from_words(kind, words)?, arguments)
        }
        ([url], _) if url.contains("://") || url.starts_with("${") => {
            remote(NewServer::from_url(url, transport(arguments.transport))?, arguments)
        }
        ([word, ..], _) => Err(Failure::usage(format!("`{word}` is no URL"))
            .with_hint(Hint::from(&Remedy::Add).with_advice("put `--` before a command"))),
    }
}

fn transport(chosen: Option<Transport>) -> RemoteTransport {
    match chosen {
        None | Some(Transport::Http) => RemoteTransport::Http,
        Some(Transport::Sse) => RemoteTransport::Sse,
        Some(Transport::Auto) => RemoteTransport::HttpAuto,
    }
}

fn with_env(server: NewServer, arguments: &Add) -> Result<NewServer, Failure> {
    if !arguments.header.is_empty() || arguments.transport.is_some() || !arguments.oauth.is_empty() {
        return Err(Failure::usage("--header, --transport and --oauth are for a URL; a command takes --env"));
    }
    arguments.env.iter().try_fold(server, |server, pair| match pair.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok(server.with_env(name, value)),
        _ => Err(Failure::usage("--env expects NAME=VALUE")),
    })
}

/// What a remote server is given besides its URL.
fn remote(server: NewServer, arguments: &Add) -> Result<NewServer, Failure> {
    if !arguments.env.is_empty() {
        return Err(Failure::usage("--env is for a command; a URL takes --header"));
    }
    let server = arguments.header.iter().try_fold(server, |server, pair| match pair.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => Ok(server.with_header(name.trim(), value.trim())),
        _ => Err(Failure::usage("--header expects 'NAME: VALUE'")),
    })?;
    let members: Option<Vec<_>> = arguments.oauth.iter().map(|pair| pair.split_once('=')).collect();
    let members = members.ok_or_else(|| Failure::usage("--oauth expects KEY=VALUE"))?;
    Ok(server.with_oauth(members)?)
}
