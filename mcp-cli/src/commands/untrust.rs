//! `mcpctl untrust`: an approval taken back.

use mcp_client::Configuration;
use mcp_client::config::Workspace;

use crate::arguments::Untrust;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::mcpctl;

pub(crate) fn run(context: &Context<'_>, arguments: &Untrust) -> Result<Exit, Failure> {
    let mut configuration = context.configuration()?;
    if let Some(name) = &arguments.name {
        revoke_server(&mut configuration, name)?;
        context.terminal.talk(format!("`{name}` needs approval again"));
    }
    if arguments.settings {
        let count = configuration.trust.revoke_loosenings(&Workspace::of(&context.environment));
        if count == 0 {
            return Err(Failure::usage("nothing of the project's settings was approved").with_hint(mcpctl(["trust"])));
        }
        context.terminal.talk("what the project's settings loosen needs approval again");
    }
    configuration.trust.save()?;
    Ok(Exit::Ok)
}

/// Takes back the approval of a server, also of one that has changed since and is not in force.
fn revoke_server(configuration: &mut Configuration, name: &str) -> Result<(), Failure> {
    let mut named = configuration.definitions().filter(|server| server.name() == name).cloned().peekable();
    if named.peek().is_none() {
        return Err(Failure::usage(format!("no server `{name}` is configured")).with_hint(mcpctl(["list"])));
    }
    let named: Vec<_> = named.collect();
    let revoked = named.iter().filter(|server| configuration.trust.revoke(server)).count();
    if revoked == 0 {
        return Err(Failure::usage(format!("`{name}` was not approved")).with_hint(mcpctl(["list"])));
    }
    Ok(())
}
