//! `mcpctl enable` and `mcpctl disable`.

use mcp_client::config::Edit;

use crate::arguments::Switch;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::files;

pub(crate) fn run(context: &Context<'_>, arguments: &Switch, on: bool) -> Result<Exit, Failure> {
    let name = &arguments.name;
    let mut edit = file(context, arguments)?;
    let before = files::Approved::find(context, edit.path(), name);
    edit.set_enabled(name, on)?;
    edit.save()?;
    if let Some(before) = before {
        before.renew(context, edit.path(), name)?;
    }
    let state = if on { "on" } else { "off" };
    context.terminal.talk(format!("switched `{name}` {state} in {}", edit.path().display()));
    Ok(Exit::Ok)
}

/// The file that defines the server; for one that another host's file defines, which is not ours to write, the user's settings,
/// whose overlay has the last word.
fn file(context: &Context<'_>, arguments: &Switch) -> Result<Edit, Failure> {
    let name = &arguments.name;
    let defined = files::open_with(context, arguments.scope, name);
    let is_elsewhere = || context.silent_configuration().merged.server(name).is_some();
    match defined {
        Err(_) if arguments.scope.is_none() && is_elsewhere() => files::open_settings(context, name),
        defined => defined,
    }
}
