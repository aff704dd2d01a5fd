//! `mcpctl approve`: a server's tools as they are now, against what was approved.

use crate::arguments::Approve;
use crate::confirm::confirmed;
use crate::connecting;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::mcpctl;

pub(crate) async fn run(context: &Context<'_>, arguments: &Approve) -> Result<Exit, Failure> {
    let client = context.client()?;
    let name = &arguments.name;
    connecting::start_server(context, &client, name).await?;
    let drift = client.drift(name)?.unwrap_or_default();
    if drift.is_empty() {
        context.terminal.talk(format!("`{name}` is as it was approved"));
        client.stop().await;
        return Ok(Exit::Ok);
    }
    context.terminal.content(drift.to_string().trim_end());
    let approved =
        arguments.yes || confirmed(context.terminal, "Approve this?", mcpctl(["approve", "--yes"]).operand(name))?;
    if approved {
        client.approve_tools(name).await?;
        context.terminal.talk(format!("approved `{name}` as it is now"));
    }
    client.stop().await;
    if approved {
        Ok(Exit::Ok)
    } else {
        Err(Failure::new(Exit::Denied, format!("`{name}` is not approved as it is now")))
    }
}
