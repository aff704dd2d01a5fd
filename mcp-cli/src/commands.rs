//! One module a command.

mod add;
mod approve;
mod call;
mod cost;
mod doctor;
mod get;
mod import;
mod list;
mod login;
mod overview;
mod permissions;
mod remove;
mod schema;
mod search;
mod secret;
mod status;
mod switch;
mod tools;
mod trust;
mod untrust;

pub(crate) use search::{json_hit, why};
pub(crate) use status::{lines as status_lines, rows as status_rows};

use mcp_client::registry::Tier;

use crate::arguments::{AuthCommand, Command};
use crate::context::Context;
use crate::demo;
use crate::exit::{Exit, Failure};

/// Runs a command, or says where one stands when there is none.
pub(crate) async fn run(context: &Context<'_>, command: Option<Command>) -> Result<Exit, Failure> {
    match command {
        None => overview::run(context),
        Some(Command::Demo(arguments)) => demo::run(context, &arguments).await,
        Some(Command::List(arguments)) => list::run(context, &arguments),
        Some(Command::Add(arguments)) => add::run(context, &arguments),
        Some(Command::Remove(arguments)) => remove::run(context, &arguments),
        Some(Command::Get(arguments)) => get::run(context, &arguments),
        Some(Command::Enable(arguments)) => switch::run(context, &arguments, true),
        Some(Command::Disable(arguments)) => switch::run(context, &arguments, false),
        Some(Command::Import(arguments)) => import::run(context, &arguments),
        Some(Command::Trust(arguments)) => trust::run(context, &arguments),
        Some(Command::Untrust(arguments)) => untrust::run(context, &arguments),
        Some(Command::Doctor(arguments)) => Ok(doctor::run(context, &arguments)),
        Some(Command::Tools(arguments)) => tools::run(context, &arguments).await,
        Some(Command::Search(arguments)) => search::run(context, &arguments).await,
        Some(Command::Call(arguments)) => call::run(context, arguments).await,
        Some(Command::Status(arguments)) => status::run(context, &arguments).await,
        Some(Command::Login(arguments)) => login::login(context, &arguments).await,
        Some(Command::Logout(arguments)) => login::logout(context, &arguments).await,
        Some(Command::Auth { command: AuthCommand::Status(arguments) }) => login::status(context, &arguments).await,
        Some(Command::Secret { command }) => secret::run(context, command).await,
        Some(Command::Allow(arguments)) => permissions::write(context, Tier::Allow, &arguments),
        Some(Command::Ask(arguments)) => permissions::write(context, Tier::Ask, &arguments),
        Some(Command::Deny(arguments)) => permissions::write(context, Tier::Deny, &arguments),
        Some(Command::Permissions { command }) => permissions::run(context, command).await,
        Some(Command::Approve(arguments)) => approve::run(context, &arguments).await,
        Some(Command::Schema(command)) => schema::run(context, command),
        // Answered before the runtime was made.
        Some(Command::DemoServer { .. }) => Ok(Exit::Ok),
    }
}
