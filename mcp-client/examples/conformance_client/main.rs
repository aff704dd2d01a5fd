//! The client that the MCP conformance suite drives: `cargo xtask conformance client`.
//!
//! It takes the way of every host, and no shortcut below it: a configuration file names the server, the facade connects,
//! lists and calls. The suite says what is on in the environment, and appends the server's URL as the last argument.
//!
//! What a person does elsewhere is done by [`agreeable`], which fills in forms, and [`browser`], which consents.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the suite keeps what its client says")]

mod agreeable;
mod browser;
mod credentials;

use std::process::ExitCode;
use std::sync::Arc;

use mcp_client::config::Environment;
use mcp_client::oauth::{HttpsClient, Reach};
use mcp_client::{Call, Client, LoginOptions, chain};
use serde_json::{Value, json};

use self::agreeable::Agreeable;
use self::browser::Browser;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The name that the server has in the configuration.
const SERVER: &str = "suite";

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

/// What the suite wants done.
struct Task {
    url: String,
    scenario: String,
    /// What the scenario needs to be told, such as credentials.
    context: Value,
}

impl Task {
    #[expect(clippy::disallowed_methods, reason = "a binary reads its own process's environment")]
    fn read() -> Result<Self> {
        let variable = |name: &str| std::env::var(name).ok();
        let context = variable("MCP_CONFORMANCE_CONTEXT").map(|text| serde_json::from_str(&text)).transpose()?;
        Ok(Self {
            url: std::env::args().skip(1).last().ok_or("the last argument must be the server's URL")?,
            scenario: variable("MCP_CONFORMANCE_SCENARIO").ok_or("MCP_CONFORMANCE_SCENARIO must name a scenario")?,
            context: context.unwrap_or_default(),
        })
    }
}

async fn run() -> Result {
    let task = Task::read()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("servers.json");
    let entry = json!({"type": "http", "url": task.url, "oauth": credentials::hints(&task)});
    std::fs::write(&file, json!({"mcpServers": {SERVER: entry}}).to_string())?;
    // Nothing of the machine it runs on: no home, no variables, no other host's servers.
    let environment = Environment::new(folder.path());
    let web = Arc::new(HttpsClient::new(Reach::Loopback)?);
    let mut logins = LoginOptions::default();
    logins.interaction = Some(Arc::new(Browser::new(web)));
    logins.settings = credentials::settings(&task)?;
    let client = Client::builder(environment).config(file).handler(Arc::new(Agreeable)).logins(logins).build();
    let outcome = drive(&client, &task).await;
    client.stop().await;
    outcome
}

async fn drive(client: &Client, task: &Task) -> Result {
    client.start_server(SERVER).await?;
    for (tool, arguments) in calls(client, task) {
        // A tool that says it failed has answered; what the scenario makes of it is in its checks.
        let answer = client.call_with(Call::new(&tool, arguments).on_server(SERVER).with_consent()).await?;
        println!("{tool}: {}", answer.text());
    }
    Ok(())
}

/// The calls that a scenario asks for, or one of every tool.
fn calls(client: &Client, task: &Task) -> Vec<(String, Value)> {
    let wanted = task.context["toolCalls"].as_array();
    if let Some(wanted) = wanted {
        let named =
            wanted.iter().filter_map(|call| Some((call["name"].as_str()?.to_owned(), call["arguments"].clone())));
        return named.collect();
    }
    let tools = client.tools();
    // Its server has tools to be read, and does not know `tools/call`.
    if task.scenario == "json-schema-ref-no-deref" {
        return Vec::new();
    }
    if task.scenario == "json-schema-2020-12-preservation" {
        let rich = tools.tools().find(|registered| registered.tool.name == "json_schema_2020_12_tool");
        let schema = rich.and_then(|found| serde_json::from_str::<Value>(found.tool.input_schema.get()).ok());
        return vec![("json_schema_echo".to_owned(), json!({ "schema": schema }))];
    }
    tools.tools().map(|registered| (registered.tool.name.clone(), arguments(client, registered.id.as_str()))).collect()
}

/// Arguments that a tool accepts: its required parameters, each with the first of some values that fits.
fn arguments(client: &Client, id: &str) -> Value {
    let parameters = client.parameters(id).into_iter().filter(|parameter| parameter.required);
    let chosen = parameters.filter_map(|parameter| {
        let values = [json!("text"), json!(5), json!(true), json!([]), json!({})];
        let fits = values.into_iter().find(|value| client.accepts(id, &parameter.name, value) == Some(true))?;
        Some((parameter.name, fits))
    });
    Value::Object(chosen.collect())
}
