//! `mcpctl import`: servers of another host become one's own.

use mcp_client::config::{Edit, Import as Candidate, ImportState, Preset, imports};

use crate::arguments::{Import, Scope};
use crate::confirm::confirmed;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::hint::{Hint, Own, mcpctl};
use crate::terminal::{Line, Tone, aligned};

pub(crate) fn run(context: &Context<'_>, arguments: &Import) -> Result<Exit, Failure> {
    if context.preset != Preset::Toolkit {
        let message = format!("import writes the toolkit's own files, which are not read under {}", context.whose());
        return Err(Failure::usage(message).with_hint(Hint::advice(format!("leave {} out", context.whose()))));
    }
    let configuration = context.configuration()?;
    let mut candidates: Vec<Candidate> = imports(&configuration.found.layers, arguments.host);
    if let Some(missing) =
        arguments.server.iter().find(|name| !candidates.iter().any(|candidate| candidate.name == **name))
    {
        return Err(Failure::usage(format!("no other host has a server `{missing}`")).with_hint(mcpctl(["import"])));
    }
    if !arguments.server.is_empty() {
        candidates.retain(|candidate| arguments.server.contains(&candidate.name));
    }
    if arguments.json {
        context.terminal.json(&candidates);
        return Ok(Exit::Ok);
    }
    context.terminal.data_lines(aligned(&candidates.iter().map(row).collect::<Vec<_>>()));
    let (candidates, others): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| is_wanted(candidate, arguments));
    report(context, &others);
    if candidates.is_empty() {
        context.terminal.talk("There is nothing to import.");
        return Ok(Exit::Ok);
    }
    let question = format!("Import {} into your own configuration?", candidates.len());
    if !arguments.yes && !confirmed(context.terminal, &question, again(arguments))? {
        return Ok(Exit::Ok);
    }
    import(context, &candidates)
}

/// The same import, without the question.
fn again(arguments: &Import) -> Own {
    let import = if arguments.replace { mcpctl(["import", "--replace", "--yes"]) } else { mcpctl(["import", "--yes"]) };
    let named = arguments.server.iter().fold(import, |own, name| own.option("--server", name));
    arguments.host.iter().fold(named, |own, host| own.operand(host.to_string()))
}

/// What the user has is theirs, and a sandbox is not left behind by the way: both take a name, the first `--replace` as well.
fn is_wanted(candidate: &Candidate, arguments: &Import) -> bool {
    let is_named = arguments.server.contains(&candidate.name);
    match candidate.state {
        ImportState::Same => false,
        _ if is_named => true,
        ImportState::New => !candidate.is_limited,
        ImportState::Differs { .. } => arguments.replace && !candidate.is_limited,
    }
}

/// Says what is not imported, and why.
fn report(context: &Context<'_>, others: &[Candidate]) {
    for candidate in others.iter().filter(|candidate| candidate.state != ImportState::Same) {
        let name = &candidate.name;
        context.terminal.talk(match &candidate.state {
            ImportState::Differs { .. } => format!("{name}: yours is kept"),
            _ => format!("{name}: left where it is, as a sandbox or a policy limits it there and would not here"),
        });
        context.terminal.hint(mcpctl(["import"]).option("--server", name));
    }
}

fn import(context: &Context<'_>, candidates: &[Candidate]) -> Result<Exit, Failure> {
    let mut edit: Edit = files::open(context, Scope::User, "import")?;
    for candidate in candidates {
        // An entry that cannot be read is no server, but it is the user's.
        if candidate.state == ImportState::New && edit.contains(&candidate.name) {
            let message = format!("`{}` stands in {} and cannot be read", candidate.name, edit.path().display());
            return Err(Failure::usage(message).with_hint(Hint::advice("mend or remove it first")));
        }
        edit.import(candidate)?;
        for left_out in &candidate.left_out {
            context.terminal.talk(format!("{}: not taken over: {left_out}", candidate.name));
        }
    }
    if candidates.iter().any(|candidate| candidate.state != ImportState::New) {
        if let Some(kept) = edit.save_with_backup()? {
            context.terminal.talk(format!("the file as it was: {}", kept.display()));
        }
    } else {
        edit.save()?;
    }
    context.terminal.talk(format!("imported {} into {}", candidates.len(), edit.path().display()));
    Ok(Exit::Ok)
}

fn row(candidate: &Candidate) -> Vec<Line> {
    let (tone, state) = match &candidate.state {
        ImportState::New => (Tone::Good, "new".to_owned()),
        ImportState::Same => (Tone::Dim, "same as yours".to_owned()),
        ImportState::Differs { fields } => (Tone::Warning, format!("differs in {}", fields.join(", "))),
    };
    vec![
        Line::new().with(Tone::Strong, &candidate.name),
        Line::new().with(tone, state),
        Line::from(candidate.preview.to_string()),
        Line::new().with(Tone::Dim, candidate.origin.to_string()),
    ]
}
