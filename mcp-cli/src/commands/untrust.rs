//! `mcpctl untrust`: an approval taken back.

use crate::arguments::Untrust;
use crate::context::Context;
use crate::exit::{Exit, Failure};

pub(crate) fn run(context: &Context<'_>, arguments: &Untrust) -> Result<Exit, Failure> {
    let mut configuration = context.configuration()?;
    let name = &arguments.name;
    let server = configuration
        .merged
        .server(name)
        .ok_or_else(|| Failure::usage(format!("no server `{name}` is configured")).with_hint("mcpctl list"))?;
    if !configuration.trust.revoke(server) {
        return Err(Failure::usage(format!("`{name}` was not approved")).with_hint("mcpctl list"));
    }
    configuration.trust.save()?;
    context.terminal.talk(format!("`{name}` needs approval again"));
    Ok(Exit::Ok)
}
