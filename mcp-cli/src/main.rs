//! `mcpctl`: the terminal program of the MCP toolkit.

mod arguments;
mod asking;
mod call_arguments;
mod commands;
mod confirm;
mod connecting;
mod context;
mod demo;
mod exit;
mod files;
mod hint;
mod signature;
mod terminal;
mod unapproved;

use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;

use crate::arguments::{Arguments, Command};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::{Hint, Whose};
use crate::terminal::{Line, Terminal, Tone};

/// How long work in other threads may go on after the command has ended.
const LAST_WORK: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(stopped) => return stop(&stopped),
    };
    // A demo server is a child of ours: it wants no runtime and says nothing but the protocol.
    if let Some(Command::DemoServer { server }) = arguments.command {
        return demo::serve(server);
    }
    let terminal = Terminal::new(Whose::of(&arguments.config, arguments.preset));
    let exit = run(&terminal, arguments).unwrap_or_else(|failure| {
        terminal.talk(Line::new().with(Tone::Bad, "error: ").plain(&failure.message));
        for hint in failure.hints {
            terminal.hint(hint);
        }
        failure.exit
    });
    match terminal.finish() {
        Ok(()) => exit.into(),
        Err(_) => Exit::Usage.into(),
    }
}

/// Help and version are answers, everything else that stops the parser is a mistake.
fn stop(stopped: &clap::Error) -> ExitCode {
    let exit = if stopped.use_stderr() { Exit::Usage } else { Exit::Ok };
    // Whoever closed the stream does not want to hear of it.
    stopped.print().ok();
    exit.into()
}

/// How many files the runtime opens for itself, and some for the command.
#[cfg(unix)]
const FEWEST_FILES: usize = 16;

/// Checks that enough files can be opened: the runtime ends the program where it cannot open its own.
#[cfg(unix)]
fn check_files() -> Result<(), Failure> {
    let opened: Result<Vec<_>, _> = (0..FEWEST_FILES).map(|_| std::fs::File::open("/")).collect();
    match opened {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(Exit::Unreachable, format!("cannot open the files that this needs: {error}"))
            .with_hint(Hint::advice("let programs open more files: ulimit -n 256"))),
    }
}

#[cfg(not(unix))]
fn check_files() -> Result<(), Failure> {
    Ok(())
}

fn run(terminal: &Terminal, mut arguments: Arguments) -> Result<Exit, Failure> {
    check_files()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Unreachable, format!("cannot start the runtime: {error}")))?;
    let context = Context::of_this_process(terminal, &mut arguments)?;
    let exit = runtime.block_on(async {
        tokio::select! {
            exit = commands::run(&context, arguments.command) => exit,
            () = interrupted() => Err(Failure::new(Exit::Timeout, "interrupted")),
        }
    });
    runtime.block_on(settle(&context));
    // A read from the terminal cannot be called off, and must not keep the program from ending.
    runtime.shutdown_timeout(LAST_WORK);
    exit.map_err(|failure| context.for_account(failure))
}

/// Waits for a login that is being renewed, unless somebody cannot wait.
async fn settle(context: &Context<'_>) {
    let settled = async {
        let mut settling = pin!(context.settle());
        if tokio::time::timeout(LAST_WORK, &mut settling).await.is_err() {
            context
                .terminal
                .talk("waiting for a login that is being renewed, and would be lost; interrupt to end at once");
            settling.await;
        }
    };
    tokio::select! { () = settled => {}, () = interrupted() => {} }
}

/// Waits until somebody wants the program to end.
async fn interrupted() {
    let control_c = async {
        // Where signals cannot be heard, none comes.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! { () = control_c => {}, _ = terminate.recv() => {} }
            return;
        }
    }
    control_c.await;
}
