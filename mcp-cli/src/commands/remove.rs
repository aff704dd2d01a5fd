//! `mcpctl remove`: one entry less, from a file that is ours to write.

use mcp_client::config::{Edit, FileFormat};

use crate::arguments::{Remove, Scope};
use crate::commands::add::file;
use crate::context::Context;
use crate::exit::{Exit, Failure};

pub(crate) fn run(context: &Context<'_>, arguments: &Remove) -> Result<Exit, Failure> {
    let scopes = match arguments.scope {
        Some(scope) => vec![scope],
        None => vec![Scope::Project, Scope::User],
    };
    let mut edits = Vec::new();
    for scope in scopes {
        let edit = Edit::open(file(context, scope)?, FileFormat::McpServers)?;
        if edit.contains(&arguments.name) {
            edits.push(edit);
        }
    }
    match edits.as_mut_slice() {
        [] => Err(absent(context, &arguments.name)),
        [edit] => {
            edit.remove(&arguments.name)?;
            edit.save()?;
            context.terminal.talk(format!("removed `{}` from {}", arguments.name, edit.path().display()));
            Ok(Exit::Ok)
        }
        _ => Err(Failure::usage(format!("`{}` is defined in the project and for you", arguments.name))
            .with_hint("say which with --scope project or --scope user")),
    }
}

fn absent(context: &Context<'_>, name: &str) -> Failure {
    let failure = Failure::usage(format!("no server `{name}` to remove"));
    match context.silent_client().servers().find(|server| server.name() == name) {
        Some(server) => {
            failure.with_hint(format!("`{name}` is defined at {}, which is not ours to write", server.origin()))
        }
        None => failure.with_hint("mcpctl list"),
    }
}
