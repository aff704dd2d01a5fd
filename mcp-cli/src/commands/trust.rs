//! `mcpctl trust`: see exactly what a found server would run, and approve it.

use std::io::{BufRead as _, IsTerminal as _};

use mcp_client::Client;
use mcp_client::config::{LaunchPreview, RemotePreview, Resolved, Trust};

use crate::arguments::Trust as Arguments;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::terminal::{Line, Tone};

pub(crate) fn run(context: &Context<'_>, arguments: &Arguments) -> Result<Exit, Failure> {
    let client = context.client()?;
    if arguments.names.is_empty() {
        return Ok(show_waiting(context, &client));
    }
    for name in &arguments.names {
        let server = client
            .servers()
            .find(|server| server.name() == name)
            .ok_or_else(|| Failure::usage(format!("no server `{name}` is configured")).with_hint("mcpctl list"))?;
        approve(context, &client, server, arguments.yes)?;
    }
    Ok(Exit::Ok)
}

fn show_waiting(context: &Context<'_>, client: &Client) -> Exit {
    let waiting: Vec<_> =
        client.servers().filter(|server| matches!(server.trust(), Trust::NeedsApproval { .. })).collect();
    if waiting.is_empty() {
        context.terminal.talk("Nothing waits for approval.");
    }
    for server in &waiting {
        context.terminal.data_lines(description(server));
        context.terminal.hint(format!("mcpctl trust {}", server.name()));
    }
    Exit::Ok
}

fn approve(context: &Context<'_>, client: &Client, server: &Resolved, yes: bool) -> Result<(), Failure> {
    match server.trust() {
        Trust::NeedsApproval { .. } => {}
        Trust::Trusted { .. } => {
            context.terminal.talk(format!("`{}` is trusted already", server.name()));
            return Ok(());
        }
        _ => {
            return Err(server.trusted().err().map_or_else(
                || Failure::usage("not ours to approve"),
                |refusal| Failure::new(Exit::Denied, refusal.to_string()),
            ));
        }
    }
    for line in description(server) {
        context.terminal.talk(line);
    }
    if !yes && !confirmed(context, server)? {
        return Err(Failure::new(Exit::Denied, format!("`{}` is not approved", server.name())));
    }
    client.approve(server)?;
    context.terminal.talk(format!("approved `{}`; any change to its definition asks again", server.name()));
    Ok(())
}

fn confirmed(context: &Context<'_>, server: &Resolved) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        let message = format!("`{}` needs an answer, and nobody is at the terminal", server.name());
        return Err(Failure::new(Exit::Denied, message).with_hint(format!("mcpctl trust {} --yes", server.name())));
    }
    context.terminal.talk(Line::new().with(Tone::Strong, "Let it run? [y/N]"));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// What would run or be reached, in full, with every variable beside where its value would go.
fn description(server: &Resolved) -> Vec<Line> {
    let title = Line::new().with(Tone::Strong, server.name()).with(Tone::Dim, format!("  {}", server.origin()));
    let fields = fields(server.preview().launch).into_iter();
    let fields = fields.map(|(name, value)| Line::from("  ").with(Tone::Dim, format!("{name:<9}")).plain(value));
    std::iter::once(title).chain(fields).collect()
}

fn fields(launch: LaunchPreview) -> Vec<(&'static str, String)> {
    match launch {
        LaunchPreview::Stdio { command, args, env, env_file, cwd } => {
            let mut fields = vec![("runs", command)];
            fields.extend(args.into_iter().map(|argument| ("with", argument)));
            fields.extend(env.into_iter().map(|(name, value)| ("env", format!("{name}={value}"))));
            fields.extend(env_file.map(|file| ("env file", file)));
            fields.extend(cwd.map(|folder| ("in", folder)));
            fields
        }
        LaunchPreview::Http(remote) | LaunchPreview::HttpAuto(remote) | LaunchPreview::Sse(remote) => {
            let RemotePreview { url, headers, .. } = remote;
            let headers = headers.into_iter().map(|(name, value)| ("header", format!("{name}: {value}")));
            std::iter::once(("connects", url)).chain(headers).collect()
        }
    }
}
