//! `mcpctl demo`: the whole pipeline on built-in servers, each step with the command that does it.
//!
//! Nothing here is special: the demo writes a configuration into a temporary project and goes through the same facade
//! as every other command. Its servers are children of this very binary.

mod scene;
mod server;
mod steps;

use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use crate::arguments::Demo;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::Hint;
use crate::terminal::{Line, Terminal, Tone};

pub(crate) use server::DemoServer;

/// Serves one of the demo's servers on stdin and stdout.
pub(crate) fn serve(server: DemoServer) -> ExitCode {
    server::run(server)
}

/// Runs every step and shows it, as text to read or as one JSON record a step.
pub(crate) async fn run(context: &Context<'_>, arguments: &Demo) -> Result<Exit, Failure> {
    let scene = scene::Scene::set()?;
    let stage = Stage { terminal: context.terminal, json: arguments.json };
    steps::configuration(&stage, &scene);
    steps::trust(&stage, &scene).await;
    let client = scene.client();
    client.start().await;
    steps::connect(&stage, &client).await;
    steps::tools(&stage, &client);
    steps::schema(&stage, &client)?;
    steps::search(&stage, &client);
    steps::call(&stage, &client, &arguments.nonce).await?;
    steps::permission(&stage, &client).await?;
    client.stop().await;
    steps::end(&stage);
    Ok(Exit::Ok)
}

/// Where a step appears.
struct Stage<'a> {
    terminal: &'a Terminal,
    json: bool,
}

/// What a step leaves behind for a program.
#[derive(Serialize)]
struct Record<'a> {
    step: &'a str,
    command: &'a str,
    #[serde(flatten)]
    facts: Value,
}

impl Stage<'_> {
    /// Shows a step: its command, and either the record or the lines.
    fn show(&self, step: &str, command: impl Into<Hint>, facts: Value, lines: impl IntoIterator<Item = Line>) {
        let command = self.terminal.shown(command).to_string();
        if self.json {
            return self.terminal.json_line(&Record { step, command: &command, facts });
        }
        self.terminal.data(Line::new().with(Tone::Strong, format!("$ {command}")));
        self.terminal.data_lines(lines);
    }

    /// A sentence between the steps, for who reads along.
    fn say(&self, sentence: &str) {
        if !self.json {
            self.terminal.data(Line::new().with(Tone::Dim, format!("# {sentence}")));
        }
    }
}
