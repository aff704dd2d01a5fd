//! `mcpctl add`: one entry more in the user's or the project's file.

use std::path::PathBuf;

use mcp_client::config::{Edit, FileFormat, NewServer, RemoteTransport};

use crate::arguments::{Add, Scope, Transport};
use crate::context::Context;
use crate::exit::{Exit, Failure};

pub(crate) fn run(context: &Context<'_>, arguments: &Add) -> Result<Exit, Failure> {
    let server = described(arguments)?;
    let path = file(context, arguments.scope)?;
    let mut edit = Edit::open(&path, FileFormat::McpServers)?;
    if edit.contains(&arguments.name) {
        let message = format!("`{}` is already defined in {}", arguments.name, path.display());
        return Err(Failure::usage(message).with_hint(format!("mcpctl remove {}", arguments.name)));
    }
    edit.add(&arguments.name, &server)?;
    edit.save()?;
    approve(context, &arguments.name)?;
    context.terminal.talk(format!("added `{}` to {}", arguments.name, path.display()));
    context.terminal.hint(format!("mcpctl status {}", arguments.name));
    Ok(Exit::Ok)
}

/// The file that a scope is written to.
pub(crate) fn file(context: &Context<'_>, scope: Scope) -> Result<PathBuf, Failure> {
    match scope {
        Scope::Project => Ok(context.environment.project_file()),
        Scope::User => context
            .environment
            .user_file()
            .ok_or_else(|| Failure::usage("there is no home directory").with_hint("use --scope project")),
    }
}

/// Whoever adds an entry to the project's file has approved it: nobody asks what one has just typed.
fn approve(context: &Context<'_>, name: &str) -> Result<(), Failure> {
    let client = context.silent_client();
    match client.servers().find(|server| server.name() == name) {
        Some(server) if !server.trust().is_trusted() => Ok(client.approve(server)?),
        _ => Ok(()),
    }
}

fn described(arguments: &Add) -> Result<NewServer, Failure> {
    let (first, rest) = arguments.target.split_first().ok_or_else(|| Failure::usage("name a URL or a command"))?;
    let is_url = ["http://", "https://"].iter().any(|scheme| first.starts_with(scheme));
    match (arguments.transport, is_url) {
        (None | Some(Transport::Stdio), false) => stdio(arguments, first, rest),
        (None | Some(Transport::Http), true) => remote(arguments, first, rest, RemoteTransport::Http),
        (Some(Transport::Sse), true) => remote(arguments, first, rest, RemoteTransport::Sse),
        (Some(Transport::Stdio), true) => Err(Failure::usage("a URL is not a command to run: drop --transport stdio")),
        (Some(Transport::Http | Transport::Sse), false) => {
            Err(Failure::usage(format!("`{first}` is no URL: expected http:// or https://")))
        }
    }
}

fn stdio(arguments: &Add, command: &str, rest: &[String]) -> Result<NewServer, Failure> {
    if !arguments.header.is_empty() {
        return Err(Failure::usage("--header is for a URL; a command takes --env"));
    }
    arguments.env.iter().try_fold(NewServer::stdio(command, rest), |server, pair| match pair.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok(server.with_env(name, value)),
        _ => Err(Failure::usage("--env expects NAME=VALUE")),
    })
}

fn remote(arguments: &Add, url: &str, rest: &[String], transport: RemoteTransport) -> Result<NewServer, Failure> {
    if let Some(extra) = rest.first() {
        return Err(Failure::usage(format!("`{extra}` after a URL means nothing")));
    }
    if !arguments.env.is_empty() {
        return Err(Failure::usage("--env is for a command; a URL takes --header"));
    }
    arguments.header.iter().try_fold(NewServer::remote(url, transport), |server, pair| match pair.split_once(':') {
        Some((name, value)) if !name.is_empty() => Ok(server.with_header(name.trim(), value.trim())),
        _ => Err(Failure::usage("--header expects 'NAME: VALUE'")),
    })
}
