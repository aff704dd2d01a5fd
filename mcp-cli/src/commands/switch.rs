//! `mcpctl enable` and `mcpctl disable`.

use crate::arguments::Switch;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::files;

pub(crate) fn run(context: &Context<'_>, arguments: &Switch, on: bool) -> Result<Exit, Failure> {
    let name = &arguments.name;
    let mut edit = files::open_with(context, arguments.scope, name)?;
    let was_approved = files::is_approved(context, edit.path(), name);
    edit.set_enabled(name, on)?;
    edit.save()?;
    if was_approved {
        // The switch is part of the definition, and who flips it here has approved the rest before.
        files::approve(context, edit.path(), name)?;
    }
    let state = if on { "on" } else { "off" };
    context.terminal.talk(format!("switched `{name}` {state} in {}", edit.path().display()));
    Ok(Exit::Ok)
}
