//! `mcpctl remove`: one entry less, from a file that is ours to write.

use crate::arguments::Remove;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::files;

pub(crate) fn run(context: &Context<'_>, arguments: &Remove) -> Result<Exit, Failure> {
    let mut edit = files::open_with(context, arguments.scope, &arguments.name)?;
    edit.remove(&arguments.name)?;
    edit.save()?;
    context.terminal.talk(format!("removed `{}` from {}", arguments.name, edit.path().display()));
    Ok(Exit::Ok)
}
