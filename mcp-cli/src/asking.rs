//! Asks the person at the terminal for what a definition leaves open, and keeps the answers.

use mcp_client::config::Input;
use mcp_client::oauth::{Secret, SecretName};
use mcp_client::{Client, Remedy, Wanted};

use crate::context::Context;
use crate::exit::Failure;
use crate::hint::Hint;
use crate::terminal::{Line, Terminal, Tone};

/// How often an answer that does not fit is asked for again.
const TRIES: usize = 3;

/// Sees to it that a server's definition has what it names, before anything is started and its time begins to run.
///
/// Nobody is asked where nobody is at the terminal; the start then says what is missing, and which command stores it.
///
/// # Errors
///
/// The person did not answer, or the answer cannot be kept.
pub(crate) async fn complete(context: &Context<'_>, client: &Client, server: &str) -> Result<(), Failure> {
    if !Terminal::is_attended() {
        return Ok(());
    }
    // Whatever else is wrong with the server is said by whoever starts it.
    while let Ok(wanted) = client.unanswered(server).await
        && !wanted.is_empty()
    {
        for wanted in &wanted {
            let value = ask(context.terminal, wanted).await?;
            keep(context, client, &wanted.name, &value)?;
        }
    }
    Ok(())
}

/// Keeps a secret or an answer, and says where.
pub(crate) fn keep(context: &Context<'_>, client: &Client, name: &SecretName, value: &Secret) -> Result<(), Failure> {
    let kind = client.secrets().set(name, value)?;
    context.terminal.talk(format!("stored `{}`, kept in: {kind}", name.name));
    if let Some(notice) = client.secrets().notice() {
        context.warn_once(&notice);
    }
    Ok(())
}

async fn ask(terminal: &Terminal, wanted: &Wanted) -> Result<Secret, Failure> {
    let Wanted { server, name, prompt, .. } = wanted;
    let asker = Line::new().with(Tone::Strong, server);
    let (question, remedy) = match prompt {
        None => {
            let remedy = Remedy::StoreSecret { name: name.name.as_str().into() };
            (asker.plain(" needs the secret ").with(Tone::Strong, &name.name), remedy)
        }
        Some(prompt) => {
            let remedy = Remedy::Answer { server: server.as_str().into(), prompt: prompt.id.as_str().into() };
            (asker.plain(" asks for ").with(Tone::Strong, &prompt.id), remedy)
        }
    };
    value(terminal, question, prompt.as_ref(), Hint::from(&remedy)).await
}

/// Asks for a secret, or for the answer to a prompt, until it fits.
///
/// # Errors
///
/// It did not come; `later` is how to give it another time.
pub(crate) async fn value(
    terminal: &Terminal,
    question: Line,
    prompt: Option<&Input>,
    later: Hint,
) -> Result<Secret, Failure> {
    let hidden = prompt.is_none_or(|prompt| prompt.is_secret);
    let default = prompt.and_then(|prompt| prompt.default.as_deref());
    pose(terminal, question, prompt, hidden);
    for _ in 0..TRIES {
        let line = if hidden { Terminal::read_hidden_line().await } else { Terminal::read_line().await };
        let line = line.map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
        match (line.as_deref(), default) {
            (None, _) => break,
            (Some(""), Some(default)) => return Ok(Secret::new(default)),
            (Some(""), None) => terminal.talk("an answer is needed"),
            (Some(line), _) => match chosen(line, prompt) {
                Some(answer) => return Ok(Secret::new(answer)),
                None => terminal.talk("that is none of them"),
            },
        }
    }
    Err(Failure::usage("nothing was answered").with_hint(later))
}

fn pose(terminal: &Terminal, question: Line, prompt: Option<&Input>, hidden: bool) {
    let description = prompt.and_then(|prompt| prompt.description.as_deref());
    let question = match description {
        Some(description) => question.plain(": ").plain(description),
        None => question,
    };
    let default = prompt.and_then(|prompt| prompt.default.as_deref());
    let question = match default {
        Some(default) => question.with(Tone::Dim, format!(" [{default}]")),
        None => question,
    };
    terminal.talk(if hidden { question.with(Tone::Dim, " (not shown while you type)") } else { question });
    for (index, option) in prompt.iter().flat_map(|prompt| &prompt.options).enumerate() {
        terminal.talk(Line::new().with(Tone::Dim, format!("  {}  ", index + 1)).plain(option));
    }
}

/// The answer that a line means: itself, or where there is a choice an option or its number.
fn chosen<'a>(line: &'a str, prompt: Option<&'a Input>) -> Option<&'a str> {
    let Some(prompt) = prompt.filter(|prompt| !prompt.options.is_empty()) else { return Some(line) };
    let is_line = |option: &&String| option.as_str() == line.trim();
    let by_number = || prompt.options.get(line.trim().parse::<usize>().ok()?.checked_sub(1)?);
    prompt.options.iter().find(is_line).or_else(by_number).map(String::as_str)
}
