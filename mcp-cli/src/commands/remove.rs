//! `mcpctl remove`: one entry less, from a file that is ours to write, and nothing left of what was kept about it.

use mcp_client::forget_pins;

use crate::arguments::Remove;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::files;

pub(crate) fn run(context: &Context<'_>, arguments: &Remove) -> Result<Exit, Failure> {
    let mut edit = files::open_with(context, arguments.scope, &arguments.name)?;
    let configuration = context.silent_configuration();
    edit.remove(&arguments.name)?;
    edit.save()?;
    let is_removed = |server: &&_| files::is_entry(server, edit.path(), &arguments.name);
    if let Some(server) = configuration.definitions().find(is_removed) {
        forget_pins(&configuration, server)?;
    }
    context.terminal.talk(format!("removed `{}` from {}", arguments.name, edit.path().display()));
    Ok(Exit::Ok)
}
