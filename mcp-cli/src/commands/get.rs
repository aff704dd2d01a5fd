//! `mcpctl get`: one server, in full but for its secrets.

use crate::arguments::Get;
use crate::commands::list;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::mcpctl;
use crate::terminal::{Line, Tone};

pub(crate) fn run(context: &Context<'_>, arguments: &Get) -> Result<Exit, Failure> {
    let configuration = context.configuration()?;
    let server = configuration.merged.server(&arguments.name).ok_or_else(|| {
        Failure::usage(format!("no server `{}` is configured", arguments.name)).with_hint(mcpctl(["list"]))
    })?;
    if arguments.json {
        context.terminal.json(&list::row(server));
        return Ok(Exit::Ok);
    }
    let field = |name: &str, value: &str| Line::new().with(Tone::Dim, format!("{name:<11}")).plain(value);
    let (tone, state) = list::state(server);
    context.terminal.data(Line::new().with(Tone::Strong, server.name()).plain("  ").with(tone, state));
    context.terminal.data(field("defined at", &server.origin().to_string()));
    for shadowed in server.shadows() {
        context.terminal.data(field("shadows", &shadowed.to_string()));
    }
    for overlay in server.overridden_by() {
        context.terminal.data(field("changed by", &overlay.to_string()));
    }
    context.terminal.data(field("definition", ""));
    context.terminal.json(&server.preview());
    Ok(Exit::Ok)
}
