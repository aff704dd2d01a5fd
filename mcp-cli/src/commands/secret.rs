//! `mcpctl secret`: what definitions name and a person gives. Values go in and to their servers, and nowhere else.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Read as _};

use mcp_client::config::Input;
use mcp_client::oauth::{Secret, SecretName, SecretStore, StoreKind};
use mcp_client::{Client, Wanted, chain};
use serde::Serialize;

use crate::arguments::{SecretCommand, SecretList, SecretRemove, SecretSet};
use crate::asking;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::{Hint, mcpctl};
use crate::terminal::{Line, Terminal, Tone, aligned};

/// A secret or an answer, as a program reads it.
#[derive(Debug, Default, Serialize)]
struct Row<'a> {
    name: &'a str,
    /// The file whose prompt it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// Where it is kept, if it is.
    store: Option<StoreKind>,
    /// The servers that refer to it, in order.
    servers: Vec<&'a str>,
}

pub(crate) async fn run(context: &Context<'_>, command: SecretCommand) -> Result<Exit, Failure> {
    let client = context.client()?;
    match command {
        SecretCommand::Set(arguments) => set(context, &client, &arguments).await,
        SecretCommand::List(arguments) => list(context, &client, &arguments),
        SecretCommand::Remove(arguments) => remove(context, &client, &arguments),
    }
}

async fn set(context: &Context<'_>, client: &Client, arguments: &SecretSet) -> Result<Exit, Failure> {
    let (name, prompt) = match &arguments.server {
        Some(server) => {
            let wanted = prompt_of(client, server, &arguments.name)?;
            (wanted.name, wanted.prompt)
        }
        None => (SecretName::shared(&arguments.name), None),
    };
    let value = if std::io::stdin().is_terminal() {
        typed(context.terminal, arguments, prompt.as_ref()).await?
    } else {
        piped(prompt.as_ref())?
    };
    asking::keep(context, client, &name, &value)?;
    if !everything_wanted(client).iter().any(|wanted| wanted.name == name) {
        context.terminal.talk(format!("no server refers to `{}` yet", name.name));
    }
    Ok(Exit::Ok)
}

async fn typed(terminal: &Terminal, arguments: &SecretSet, prompt: Option<&Input>) -> Result<Secret, Failure> {
    let later = Hint::advice("pipe the value to this command");
    if !Terminal::is_attended() {
        return Err(Failure::usage("the question would not be seen").with_hint(later));
    }
    let what = if prompt.is_some() { "the answer to " } else { "the secret " };
    let question = Line::from(what).with(Tone::Strong, &arguments.name);
    asking::value(terminal, question, prompt, later).await
}

/// All of stdin, but for the line's end that `echo` adds.
fn piped(prompt: Option<&Input>) -> Result<Secret, Failure> {
    let mut bytes = Vec::new();
    // One byte more than is kept, and a line's end, tell what is too long from what is not.
    let longest = SecretStore::LONGEST_SECRET as u64 + 3;
    let read = std::io::stdin().lock().take(longest).read_to_end(&mut bytes);
    read.map_err(|error| Failure::usage(format!("cannot read stdin: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_source| Failure::usage("the value on stdin is not UTF-8"))?;
    let value = text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    let options = prompt.map(|prompt| prompt.options.as_slice()).unwrap_or_default();
    if !options.is_empty() && !options.iter().any(|option| option == value) {
        let hint = Hint::advice(format!("expected one of: {}", options.join(", ")));
        return Err(Failure::usage("the prompt does not offer that answer").with_hint(hint));
    }
    Ok(Secret::new(value))
}

fn list(context: &Context<'_>, client: &Client, arguments: &SecretList) -> Result<Exit, Failure> {
    let (stored, problems) = client.secrets().list()?;
    for problem in &problems {
        context.terminal.talk(Line::new().with(Tone::Warning, chain(problem)));
    }
    let kind = client.secrets().kind()?;
    let wanted = everything_wanted(client);
    let mut rows: BTreeMap<&SecretName, Row<'_>> = BTreeMap::new();
    for name in &stored {
        row(&mut rows, name).store = kind;
    }
    for wanted in &wanted {
        row(&mut rows, &wanted.name).servers.push(&wanted.server);
    }
    if arguments.json {
        context.terminal.json(&rows.values().collect::<Vec<_>>());
        return Ok(Exit::Ok);
    }
    if rows.is_empty() {
        context.terminal.talk("No secret is stored, and no server names one.");
    }
    context.terminal.data_lines(aligned(&rows.values().map(cells).collect::<Vec<_>>()));
    Ok(Exit::Ok)
}

fn row<'rows, 'a>(rows: &'rows mut BTreeMap<&'a SecretName, Row<'a>>, name: &'a SecretName) -> &'rows mut Row<'a> {
    let file = Wanted::file_of(name);
    rows.entry(name).or_insert_with(|| Row { name: &name.name, file, ..Row::default() })
}

fn cells(row: &Row<'_>) -> Vec<Line> {
    let state = match row.store {
        Some(kind) => Line::new().with(Tone::Good, format!("in {kind}")),
        None => Line::new().with(Tone::Warning, "not stored"),
    };
    let servers = if row.servers.is_empty() { "-".to_owned() } else { row.servers.join(", ") };
    vec![
        Line::new().with(Tone::Strong, row.name),
        state,
        Line::from(servers),
        Line::new().with(Tone::Dim, row.file.unwrap_or_default()),
    ]
}

fn remove(context: &Context<'_>, client: &Client, arguments: &SecretRemove) -> Result<Exit, Failure> {
    let names = match (&arguments.server, &arguments.file) {
        (Some(server), _) => vec![prompt_of(client, server, &arguments.name)?.name],
        (None, Some(file)) => {
            let file = context.environment.absolute(file);
            let (stored, _) = client.secrets().list()?;
            let meant = |name: &SecretName| name.name == arguments.name && Wanted::is_answer_in(name, &file);
            stored.into_iter().filter(meant).collect()
        }
        (None, None) => vec![SecretName::shared(&arguments.name)],
    };
    let mut was_there = false;
    for name in &names {
        was_there |= client.secrets().remove(name)?;
    }
    if !was_there {
        let message = format!("nothing is stored as `{}`", arguments.name);
        return Err(Failure::usage(message).with_hint(mcpctl(["secret", "list"])));
    }
    context.terminal.talk(format!("forgot `{}`", arguments.name));
    Ok(Exit::Ok)
}

/// What any configured server refers to.
fn everything_wanted(client: &Client) -> Vec<Wanted> {
    client.servers().flat_map(Wanted::by).collect()
}

fn prompt_of(client: &Client, server: &str, id: &str) -> Result<Wanted, Failure> {
    let unknown = || Failure::usage(format!("no server `{server}` is configured")).with_hint(mcpctl(["list"]));
    let found = client.servers().find(|known| known.name() == server).ok_or_else(unknown)?;
    let prompts: Vec<Wanted> = Wanted::by(found).into_iter().filter(|wanted| wanted.prompt.is_some()).collect();
    prompts.iter().find(|wanted| wanted.name.name == id).cloned().ok_or_else(|| {
        let ids: Vec<&str> = prompts.iter().map(|wanted| wanted.name.name.as_str()).collect();
        let known = if ids.is_empty() { "it has none".to_owned() } else { format!("it has: {}", ids.join(", ")) };
        Failure::usage(format!("`{server}` has no prompt `{id}`")).with_hint(Hint::advice(known))
    })
}
