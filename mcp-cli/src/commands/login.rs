//! `mcpctl login`, `logout` and `auth status`.

use std::io::IsTerminal as _;
use std::sync::Arc;

use mcp_client::oauth::{
    BoxFuture, Error, Interaction, LoginMethod, LoginRequest, LoginState, Prompt, Revocation, Session, Status,
};
use mcp_client::{Browser, Client, Remedy};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::arguments::{AuthStatus, Login, Logout};
use crate::asking;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::{Hint, mcpctl};
use crate::terminal::{Line, Terminal, Tone, aligned};

pub(crate) async fn login(context: &Context<'_>, arguments: &Login) -> Result<Exit, Failure> {
    let client = context.client()?;
    asking::complete(context, &client, &arguments.name).await?;
    let session = client.login_session(&arguments.name).await?;
    if let Some(redirect) = &arguments.finish {
        session.finish_login(redirect).await.map_err(|error| failed(&arguments.name, error))?;
        return report(context, &client, &session, &arguments.name).await;
    }
    ask_server(&client, &arguments.name).await;
    let request = LoginRequest {
        method: arguments.device.then_some(LoginMethod::Device),
        scopes: arguments.scope.iter().map(String::as_str).collect(),
        new_client: arguments.new_client,
        ..LoginRequest::default()
    };
    let person_here = std::io::stdin().is_terminal();
    if arguments.no_browser && !arguments.device && !person_here {
        return suspend(context, &session, &request, &arguments.name).await;
    }
    let person = Person::new(context, if arguments.no_browser { Opening::Unwanted } else { Opening::of(context) });
    session.login(&request, &person).await.map_err(|error| failed(&arguments.name, error))?;
    report(context, &client, &session, &arguments.name).await
}

/// Connects once, so that the server says what it wants a login for: the session hears its challenge. What else comes of
/// that is not this command's business.
async fn ask_server(client: &Client, name: &str) {
    if client.start_server(name).await.is_ok() {
        client.stop().await;
    }
}

/// Logs in for what a request of this process turned out to lack; a person is at the terminal.
pub(crate) async fn widen(context: &Context<'_>, client: &Client, name: &str) -> Result<(), Failure> {
    let session = client.login_session(name).await?;
    let person = Person::new(context, Opening::of(context));
    session.login(&LoginRequest::default(), &person).await.map_err(|error| failed(name, error))
}

/// Nobody can paste anything here: the login waits on disk for a second command.
async fn suspend(
    context: &Context<'_>,
    session: &Session,
    request: &LoginRequest,
    name: &str,
) -> Result<Exit, Failure> {
    let begun = async { session.begin_login(request).await?.suspend().await };
    if let Prompt::Open { url, .. } = begun.await.map_err(|error| failed(name, error))? {
        context.terminal.data(url.as_str());
        let finish = Hint::from(mcpctl(["login"]).option("--finish", "ADDRESS").operand(name));
        context.terminal.hint(finish.with_advice("when the browser has ended at an address"));
    }
    Ok(Exit::Ok)
}

async fn report(context: &Context<'_>, client: &Client, session: &Session, name: &str) -> Result<Exit, Failure> {
    let status = session.status().await.map_err(|error| failed(name, error))?;
    context.terminal.talk(format!("logged in to `{name}`, kept in: {}", status.store));
    if let Some(notice) = client.login_store_notice() {
        context.terminal.talk(Line::new().with(Tone::Warning, notice));
    }
    session.settle().await;
    Ok(Exit::Ok)
}

pub(crate) async fn logout(context: &Context<'_>, arguments: &Logout) -> Result<Exit, Failure> {
    let name = &arguments.name;
    let session = context.client()?.login_session(name).await?;
    let report = session.logout(arguments.revoke).await.map_err(|error| failed(name, error))?;
    for problem in &report.problems {
        context.terminal.talk(Line::new().with(Tone::Warning, mcp_client::chain(problem)));
    }
    if report.removed.is_empty() {
        return Err(Failure::usage(format!("nobody was logged in to `{name}`")));
    }
    context.terminal.talk(format!("logged out of `{name}`"));
    for revocation in &report.revocations {
        let told = match revocation {
            Revocation::Done => "the authorization server has ended the tokens".to_owned(),
            Revocation::Failed(error) => format!("the tokens may live on: {}", mcp_client::chain(error)),
            _ => "the authorization server offers no way to end the tokens".to_owned(),
        };
        context.terminal.talk(told);
    }
    Ok(Exit::Ok)
}

pub(crate) async fn status(context: &Context<'_>, arguments: &AuthStatus) -> Result<Exit, Failure> {
    let client = context.client()?;
    let mut statuses = Vec::new();
    let names: Vec<String> = client.servers().map(|server| server.name().to_owned()).collect();
    for name in names {
        // A child process, or a server nobody approved, has no login to tell of.
        let Ok(session) = client.login_session(&name).await else { continue };
        statuses.push((session.status().await.map_err(|error| failed(&name, error))?, name));
    }
    if arguments.json {
        let row = |(status, name): &(Status, String)| {
            let mut row = json!({"name": name, "login": status, "needs_login": status.needs_login()});
            if let Some(hint) = next(status, name) {
                row["next"] = context.terminal.shown(hint).json();
            }
            row
        };
        context.terminal.json(&statuses.iter().map(row).collect::<Vec<Value>>());
        return Ok(Exit::Ok);
    }
    context.terminal.data_lines(aligned(&statuses.iter().map(|(status, name)| row(status, name)).collect::<Vec<_>>()));
    for hint in
        statuses.iter().filter(|(status, _)| status.needs_login()).filter_map(|(status, name)| next(status, name))
    {
        context.terminal.hint(hint);
    }
    Ok(Exit::Ok)
}

/// The command that would change how the login stands.
fn next(status: &Status, name: &str) -> Option<Hint> {
    let helps = status.needs_login() || status.state == LoginState::LoggedOut;
    helps.then(|| Hint::from(&Remedy::Login { server: name.into() }))
}

fn row(status: &Status, name: &str) -> Vec<Line> {
    let (tone, state) = match status.state {
        LoginState::Valid => (Tone::Good, "logged in"),
        LoginState::Renewable => (Tone::Good, "renewable"),
        LoginState::NeedsLogin => (Tone::Warning, "needs login"),
        _ => (Tone::Dim, "no login"),
    };
    let (tone, state) = if status.missing.is_empty() { (tone, state) } else { (Tone::Warning, "needs wider login") };
    let lacks = if status.missing.is_empty() { Line::new() } else { Line::from(format!("lacks {}", status.missing)) };
    vec![
        Line::new().with(Tone::Strong, name),
        Line::new().with(tone, state),
        Line::from(&status.account),
        Line::from(status.scopes.to_string()),
        lacks,
        Line::new().with(Tone::Dim, status.issuer.as_deref().unwrap_or("-")),
        Line::new().with(Tone::Dim, status.store.to_string()),
    ]
}

fn failed(name: &str, error: Error) -> Failure {
    Failure::from(mcp_client::Error::Login { server: name.to_owned(), source: Arc::new(error) })
}

/// The person at the terminal.
struct Person<'a> {
    terminal: &'a Terminal,
    opening: Opening,
    /// Whether they can paste the address at which a browser elsewhere ended.
    pastes: bool,
}

impl<'a> Person<'a> {
    fn new(context: &Context<'a>, opening: Opening) -> Self {
        Self { terminal: context.terminal, opening, pastes: std::io::stdin().is_terminal() }
    }
}

/// What opens a browser for them.
#[derive(Debug)]
enum Opening {
    Unwanted,
    Missing,
    By(Browser),
}

impl Opening {
    fn of(context: &Context<'_>) -> Self {
        Browser::find(&context.environment).map_or(Self::Missing, Self::By)
    }
}

impl std::fmt::Debug for Person<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Person")
            .field("opening", &self.opening)
            .field("pastes", &self.pastes)
            .finish_non_exhaustive()
    }
}

impl Interaction for Person<'_> {
    fn present(&self, prompt: Prompt) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            match prompt {
                Prompt::Open { url, .. } => {
                    self.terminal.talk(Line::from("log in at ").with(Tone::Strong, url.as_str()));
                    if self.pastes {
                        self.terminal.talk("or paste here the address at which the browser ends");
                    }
                    // The person has the address, and can open it wherever there is a browser.
                    let failed = match &self.opening {
                        Opening::Unwanted => None,
                        Opening::Missing => {
                            Some(format!("no browser opens: `{}` is not on the PATH", Browser::PROGRAM))
                        }
                        Opening::By(browser) => {
                            browser.open(&url).await.err().map(|error| format!("no browser opens: {error}"))
                        }
                    };
                    if let Some(reason) = failed {
                        self.terminal.talk(Line::new().with(Tone::Dim, reason));
                    }
                }
                Prompt::Enter { url, code, .. } => {
                    let line = Line::from("open ").with(Tone::Strong, url.as_str());
                    self.terminal.talk(line.plain(" on any device and enter ").with(Tone::Strong, code));
                }
                Prompt::NotAccepted { reason } => {
                    self.terminal.talk(Line::new().with(Tone::Warning, "that was not the answer: ").plain(reason));
                }
                _ => {}
            }
            Ok(())
        })
    }

    fn pasted(&self) -> BoxFuture<'_, String> {
        if !self.pastes {
            return Box::pin(std::future::pending());
        }
        Box::pin(async {
            let mut line = String::new();
            match BufReader::new(tokio::io::stdin()).read_line(&mut line).await {
                Ok(read) if read > 0 => line.trim().to_owned(),
                // Nothing more will be pasted; the browser may still come back.
                _ => std::future::pending().await,
            }
        })
    }
}
