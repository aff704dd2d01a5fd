//! `mcpctl approve`: servers as they are now, against what was approved.

use mcp_client::registry::{Difference, Pin};
use mcp_client::{Client, Review, ServerState};

use crate::arguments::Approve;
use crate::confirm::confirmed;
use crate::connecting;
use crate::context::{Context, exit_for_absence};
use crate::exit::{Exit, Failure};
use crate::hint::{Hint, Own, mcpctl};
use crate::terminal::{Line, Tone};

pub(crate) async fn run(context: &Context<'_>, arguments: &Approve) -> Result<Exit, Failure> {
    let client = context.client()?;
    let reviews = reviews(context, &client, arguments).await?;
    // What is shown is what is approved: the servers are not asked a second time.
    let waiting: Vec<&Review> = reviews.iter().filter(|review| waits(&client, review, arguments)).collect();
    let exit = exit_for_absence(&client);
    if waiting.is_empty() {
        say_that_nothing_waits(context, arguments);
        client.stop().await;
        return Ok(exit);
    }
    for review in &waiting {
        show(context, review, &arguments.tools);
    }
    let approved = arguments.yes || confirmed(context.terminal, "Approve this?", instead(arguments))?;
    if approved {
        for review in &waiting {
            approve(context, &client, review, &arguments.tools)?;
        }
    }
    client.stop().await;
    if approved { Ok(exit) } else { Err(Failure::new(Exit::Denied, "nothing was approved")) }
}

/// What the servers in question offer now.
async fn reviews(context: &Context<'_>, client: &Client, arguments: &Approve) -> Result<Vec<Review>, Failure> {
    if let Some(name) = &arguments.name {
        connecting::start_server(context, client, name).await?;
        let review = client.review(name).await?;
        if let Some(unknown) = arguments.tools.iter().find(|tool| !review.has_tool(tool)) {
            let message = format!("server `{name}` has no tool `{unknown}`, and had none when it was approved");
            return Err(Failure::usage(message).with_hint(mcpctl(["approve"]).operand(name)));
        }
        return Ok(vec![review]);
    }
    connecting::start(client).await;
    context.report_absent(client);
    let mut reviews = Vec::new();
    for status in client.glance().into_iter().filter(|status| status.state == ServerState::Connected) {
        reviews.push(client.review(&status.server).await?);
    }
    Ok(reviews)
}

/// Whether there is anything to approve: also where nothing differs because nobody knows what was approved.
fn waits(client: &Client, review: &Review, arguments: &Approve) -> bool {
    let drifted = client.drift(review.server()).ok().flatten().is_some_and(|drift| !drift.is_empty());
    chosen(review, &arguments.tools).next().is_some() || (arguments.tools.is_empty() && drifted)
}

/// The differences that the person asks about: all, or those of some tools.
fn chosen<'a>(review: &'a Review, tools: &'a [String]) -> impl Iterator<Item = &'a Difference> {
    let is_chosen = |difference: &&Difference| match &difference.pin {
        Pin::Tool(name) => tools.is_empty() || tools.contains(name),
        _ => tools.is_empty(),
    };
    review.differences().iter().filter(is_chosen)
}

fn show(context: &Context<'_>, review: &Review, tools: &[String]) {
    for difference in chosen(review, tools) {
        let Difference { pin, kind, lines, .. } = difference;
        let heading = Line::new().with(Tone::Strong, format!("{}: ", review.server())).plain(format!("{pin} {kind}"));
        context.terminal.data(heading);
        if !lines.is_empty() {
            context.terminal.content(lines);
        }
    }
}

fn approve(context: &Context<'_>, client: &Client, review: &Review, tools: &[String]) -> Result<(), Failure> {
    if tools.is_empty() {
        client.approve(review)?;
        context.terminal.talk(format!("approved `{}` as it is now", review.server()));
    } else {
        client.approve_some(review, tools.iter().map(String::as_str))?;
        context.terminal.talk(format!("approved {} of `{}` as they are now", tools.join(", "), review.server()));
    }
    Ok(())
}

fn say_that_nothing_waits(context: &Context<'_>, arguments: &Approve) {
    context.terminal.talk(match &arguments.name {
        Some(name) => format!("`{name}` is as it was approved"),
        None => "every connected server is as it was approved".to_owned(),
    });
}

/// The command that needs no answer.
fn instead(arguments: &Approve) -> Hint {
    let own = match &arguments.name {
        Some(name) => mcpctl(["approve", "--yes"]).operand(name),
        None => mcpctl(["approve", "--all", "--yes"]),
    };
    arguments.tools.iter().fold(own, Own::operand).into()
}
