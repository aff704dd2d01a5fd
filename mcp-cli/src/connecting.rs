//! Connecting, with something to look at while it lasts.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mcp_client::registry::{Event, Snapshot};
use mcp_client::{Client, printable_line};
use tokio::sync::broadcast::error::RecvError;

use crate::asking;
use crate::context::Context;
use crate::exit::Failure;
use crate::terminal::Terminal;

/// How often the spinner turns.
const TICK: Duration = Duration::from_millis(100);

/// Connects one server; a person at the terminal is asked first for what its definition leaves open.
pub(crate) async fn start_server(context: &Context<'_>, client: &Client, server: &str) -> Result<(), Failure> {
    asking::complete(context, client, server).await?;
    Ok(client.start_server(server).await?)
}

/// Connects every server that may be started; shows on stderr, when a person watches it, which are still missing.
pub(crate) async fn start(client: &Client) {
    start_until(client, |_| false).await;
}

/// Connects until the tools known are enough.
pub(crate) async fn start_until(client: &Client, enough: impl Fn(&Snapshot) -> bool) {
    if !Terminal::is_watched() {
        return client.start_until(enough).await;
    }
    let mut waiting: Vec<String> = startable(client);
    let bar = ProgressBar::new_spinner().with_style(
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.enable_steady_tick(TICK);
    let mut events = client.events();
    let starting = client.start_until(enough);
    tokio::pin!(starting);
    loop {
        bar.set_message(format!("connecting: {}", printable_line(&waiting.join(", "))));
        tokio::select! {
            () = &mut starting => break,
            event = events.recv() => match event {
                Ok(Event::ServerStarted { server, .. } | Event::ServerError { server, .. }) => {
                    waiting.retain(|name| *name != *server);
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => {
                    starting.as_mut().await;
                    break;
                }
            },
        }
    }
    bar.finish_and_clear();
}

fn startable(client: &Client) -> Vec<String> {
    client
        .servers()
        .filter(|server| server.enabled() && server.trust().is_trusted())
        .map(|server| server.name().to_owned())
        .collect()
}
