//! `mcpctl call`: one call, and the content of its answer.

use std::io::{IsTerminal as _, Read as _};
use std::time::{Duration, Instant};

use mcp_client::registry::Resolution;
use mcp_client::{Answer, Call, Client, Error};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::arguments::Call as Arguments;
use crate::asking;
use crate::call_arguments::{self, Word};
use crate::commands::login;
use crate::confirm::confirmed;
use crate::connecting;
use crate::context::{Context, exit_for_absence};
use crate::exit::{Exit, Failure};
use crate::hint::Hint;
use crate::signature::signature;
use crate::unapproved;

/// How often one call may lead to another login. A server that keeps inventing scopes is not followed any further.
const MOST_WIDENINGS: u32 = 2;

pub(crate) async fn run(context: &Context<'_>, arguments: Arguments) -> Result<Exit, Failure> {
    let client = context.client()?;
    let begun = Instant::now();
    let understanding = understood(context, &client, &arguments.words, arguments.args.as_deref());
    let mut call = match arguments.timeout {
        None => understanding.await?,
        Some(limit) => timeout(limit, understanding).await.unwrap_or_else(|_| {
            Err(Failure::new(Exit::Timeout, format!("cannot connect within {} s", limit.as_secs_f64())))
        })?,
    };
    // What connecting has taken is gone; a person who is asked in between has their own time.
    let spent = begun.elapsed();
    call.timeout = arguments.timeout.map(|limit| to_milliseconds(limit.saturating_sub(spent)));
    let call = if arguments.yes { call.with_confirmation() } else { confirm(context, &client, call)? };
    let called = call_widening(context, &client, call).await?;
    context.report_audit(&client);
    let exit = match called {
        Ok(answer) => {
            print(context, &arguments, &answer);
            unapproved::report(context.terminal, &client);
            if answer.is_error() { Exit::ToolError } else { Exit::Ok }
        }
        Err(error) => return Err(explain(context, &client, &error)),
    };
    client.stop().await;
    Ok(exit)
}

/// A limit as a person reads it; never nothing at all, which no call could keep.
fn to_milliseconds(limit: Duration) -> Duration {
    Duration::from_millis(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1))
}

/// Calls. Where the login turns out not to reach far enough, a person at the terminal widens it and the call is made again:
/// the server has refused it and done nothing.
async fn call_widening(context: &Context<'_>, client: &Client, call: Call) -> Result<Result<Answer, Error>, Failure> {
    for _ in 0..MOST_WIDENINGS {
        let called = client.call_with(call.clone()).await;
        match called.as_ref().err().and_then(Error::needs_wider_login) {
            Some(server) if std::io::stdin().is_terminal() => {
                context.terminal.talk(format!("`{server}` wants a login that reaches further"));
                login::widen(context, client, server).await?;
            }
            _ => return Ok(called),
        }
    }
    Ok(client.call_with(call).await)
}

/// Asks the person at the terminal where a rule says so.
fn confirm(context: &Context<'_>, client: &Client, call: Call) -> Result<Call, Failure> {
    // A call that means no tool is refused when it is made, with all that is known about why.
    let Ok(explanation) = client.explain(&call) else { return Ok(call) };
    if !explanation.decision.asks_by_rule() {
        return Ok(call);
    }
    context.terminal.talk(format!("{} with {}", explanation.tool, call.arguments));
    let question = format!("{}: call it?", explanation.decision.because);
    if confirmed(context.terminal, &question, Hint::advice("add --yes to say yes"))? {
        Ok(call.with_confirmation())
    } else {
        Err(Failure::new(Exit::Denied, format!("`{}` was not called", explanation.tool)))
    }
}

/// The call that the words mean: its tool's server is connected, and its arguments have the types the tool wants.
pub(crate) async fn understood(
    context: &Context<'_>,
    client: &Client,
    words: &[String],
    args: Option<&str>,
) -> Result<Call, Failure> {
    let (reference, words) = call_arguments::split(words);
    let words: Vec<Word> =
        words.iter().map(|word| call_arguments::parse(word)).collect::<Result<_, _>>().map_err(Failure::usage)?;
    let given = gather(&words, args)?;
    let mut call = target(context, client, reference).await?;
    call.arguments = Value::Object(typed(client, &call, &words, given));
    Ok(call)
}

/// Connects what the reference needs, and no more: the one server it names, or all until it is clear what it means.
async fn target(context: &Context<'_>, client: &Client, reference: &[String]) -> Result<Call, Failure> {
    let configured = |name: &str| client.servers().any(|server| server.name() == name);
    let call = |tool: &str| Call::new(tool, Value::Null).with_consent();
    match reference {
        [server, tool] => {
            connecting::start_server(context, client, server).await?;
            Ok(call(tool).on_server(server))
        }
        [word] => {
            // `server.tool`: either side may hold dots, so every split that names a server is one.
            let named = word.match_indices('.').find(|(dot, _)| word.get(..*dot).is_some_and(configured));
            if let Some((server, tool)) = named.and_then(|(dot, _)| word.split_at_checked(dot)) {
                connecting::start_server(context, client, server).await?;
                return Ok(call(tool.trim_start_matches('.')).on_server(server));
            }
            // An id means one tool whoever else connects; a bare name may yet turn out to be ambiguous.
            if let Some(server) = client.server_of_id(word) {
                asking::complete(context, client, server).await?;
            }
            connecting::start_until(client, |tools| tools.tool(word).is_some()).await;
            if matches!(client.tools().resolve(word), Resolution::Unknown { .. }) {
                context.report_absent(client);
                let exit = exit_for_absence(client);
                if exit != Exit::Ok {
                    return Err(Failure::new(exit, format!("no server is connected that could have `{word}`")));
                }
            }
            Ok(call(word))
        }
        _ => Err(Failure::usage("name a tool")),
    }
}

/// Everything that does not depend on the tool's schema: `--args`, stdin, JSON and files.
fn gather(words: &[Word], args: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let mut given = match args {
        Some(text) => call_arguments::object(text, "--args").map_err(Failure::usage)?,
        None => Map::new(),
    };
    for word in words {
        match word {
            Word::Stdin => {
                let mut text = String::new();
                std::io::stdin()
                    .read_to_string(&mut text)
                    .map_err(|error| Failure::usage(format!("cannot read stdin: {error}")))?;
                given.extend(call_arguments::object(&text, "stdin").map_err(Failure::usage)?);
            }
            Word::Json { key, value } => {
                given.insert(key.clone(), value.clone());
            }
            Word::File { key, path } => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Failure::usage(format!("cannot read `{path}` for `{key}`: {error}")))?;
                given.insert(key.clone(), Value::String(text));
            }
            Word::Text { .. } => {}
        }
    }
    Ok(given)
}

/// Adds the plain words, each as the type that the tool's schema takes.
fn typed(client: &Client, call: &Call, words: &[Word], mut given: Map<String, Value>) -> Map<String, Value> {
    let id = id(client, call);
    for word in words {
        if let Word::Text { key, value } = word {
            let accepts = |value: &Value| {
                id.as_deref().and_then(|id| client.accepts(id, key, value)).unwrap_or_else(|| value.is_string())
            };
            given.insert(key.clone(), call_arguments::typed(value.clone(), accepts));
        }
    }
    given
}

fn id(client: &Client, call: &Call) -> Option<String> {
    let tools = client.tools();
    let resolution = match &call.server {
        Some(server) => tools.resolve_in(server, &call.tool),
        None => tools.resolve(&call.tool),
    };
    resolution.exact().map(|tool| tool.id.as_str().to_owned())
}

fn print(context: &Context<'_>, arguments: &Arguments, answer: &Answer) {
    if arguments.json {
        let raw: Value = serde_json::from_str(answer.raw.get()).unwrap_or(Value::Null);
        context.terminal.json(&raw);
    } else if arguments.raw {
        context.terminal.raw(&answer.text());
    } else {
        context.terminal.content(&answer.text());
    }
}

/// The failure, with the tool's signature where the arguments did not fit it.
fn explain(context: &Context<'_>, client: &Client, error: &Error) -> Failure {
    if matches!(error, Error::UnknownTool { .. }) {
        context.report_absent(client);
    }
    if !matches!(error, Error::Held { .. }) {
        unapproved::report(context.terminal, client);
    }
    let failure = Failure::from(error);
    let Error::Arguments { tool, .. } = error else { return failure };
    match client.tools().tool(tool) {
        Some(registered) => failure.with_hint(signature(registered, &client.parameters(tool)).command),
        None => failure,
    }
}
