//! The same breaks with servers on the SDKs of others: a network that is cut, a server that is started again or forgets its
//! sessions, a person who thinks for longer than a call may be silent. What one of them survives, all do.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use mcp_testkit::{TcpProxy, example_binary};
use mcp_transport::{
    BoxFuture, CallScope, Change, ConnectOptions, Connection, Elicitation, ElicitationAnswer, Endpoint, Features,
    Handler, HttpOptions, Negotiation, Timeouts, connect,
};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{everything, variable};
use crate::support::raw;

/// The servers, each in every era that its SDK speaks over HTTP.
const SERVERS: [(&str, Negotiation); 5] = [
    ("typescript", Negotiation::LegacyOnly),
    ("python", Negotiation::LegacyOnly),
    ("python", Negotiation::ModernOnly),
    ("rmcp", Negotiation::LegacyOnly),
    ("rmcp", Negotiation::ModernOnly),
];

/// What does not come within this does not come.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a call may be silent while a person thinks, and for how long that is.
const SILENCE: Duration = Duration::from_secs(2);
const THINKING: Duration = Duration::from_secs(3);

type Outcome = Result<(), String>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_breaks_with_one_server_breaks_with_none() {
    if everything().is_none() {
        return;
    }
    let met: Vec<_> = SERVERS.map(|(server, era)| tokio::spawn(meet(server, era))).into_iter().collect();
    let mut table = String::new();
    for row in met {
        table.push_str(&row.await.expect("no server makes us panic"));
    }
    expect![[r"
        typescript LegacyOnly: cut: ok, restarted: ok, forgotten: ok, slow person: ok
        python LegacyOnly: cut: ok, restarted: ok, forgotten: has no `forget`, slow person: ok
        python ModernOnly: cut: ok, restarted: ok, forgotten: has no `forget`, slow person: does not ask
        rmcp LegacyOnly: cut: ok, restarted: ok, forgotten: has no `forget`, slow person: has no `ask`
        rmcp ModernOnly: cut: ok, restarted: ok, forgotten: has no `forget`, slow person: does not ask
    "]]
    .assert_eq(&table);
}

async fn meet(server: &'static str, era: Negotiation) -> String {
    let mut served = Served::start(server).await;
    let is_modern = matches!(era, Negotiation::ModernOnly);
    let cut = cut(&served, era).await;
    let restarted = restarted(&mut served, era).await;
    let forgotten = forgotten(&served, era).await;
    let slow = if is_modern { Err("does not ask".to_owned()) } else { slow(&served, era).await };
    let word = |outcome: Outcome| outcome.err().unwrap_or_else(|| "ok".to_owned());
    let (cut, restarted, forgotten, slow) = (word(cut), word(restarted), word(forgotten), word(slow));
    format!("{server} {era:?}: cut: {cut}, restarted: {restarted}, forgotten: {forgotten}, slow person: {slow}\n")
}

/// The network breaks; calls go on, and no change is missed.
async fn cut(served: &Served, era: Negotiation) -> Outcome {
    let connection = served.connect(era).await?;
    echo(&connection).await?;
    served.proxy.cut();
    echo(&connection).await?;
    change(&connection).await?;
    connection.shutdown().await;
    Ok(())
}

/// The server ends and comes back at the same address, and knows nobody.
async fn restarted(served: &mut Served, era: Negotiation) -> Outcome {
    let connection = served.connect(era).await?;
    echo(&connection).await?;
    served.restart().await;
    echo(&connection).await?;
    change(&connection).await?;
    connection.shutdown().await;
    Ok(())
}

/// The server forgets its sessions, and says so in one way or another.
async fn forgotten(served: &Served, era: Negotiation) -> Outcome {
    let connection = served.connect(era).await?;
    require(&connection, "forget").await?;
    for status in [404, 400, 503, 500] {
        let forget = connection.call_tool("forget", Some(&raw(&json!({ "status": status })))).await;
        forget.map_err(|error| format!("forget: {error}"))?;
        echo(&connection).await.map_err(|error| format!("{status}: {error}"))?;
        change(&connection).await.map_err(|error| format!("{status}: {error}"))?;
    }
    connection.shutdown().await;
    Ok(())
}

/// A question suspends the silence limit of the call that it belongs to.
async fn slow(served: &Served, era: Negotiation) -> Outcome {
    let connection = served.connect_with(era, SILENCE).await?;
    require(&connection, "ask").await?;
    let answer = connection.call_tool("ask", None).await.map_err(|error| format!("ask: {error}"))?;
    connection.shutdown().await;
    if answer.get().contains("accept Ada") { Ok(()) } else { Err(format!("ask: {answer}")) }
}

async fn require(connection: &Connection, tool: &str) -> Outcome {
    let tools = connection.list_tools().await.map_err(|error| format!("tools: {error}"))?;
    if tools.items.iter().any(|listed| listed.name == tool) { Ok(()) } else { Err(format!("has no `{tool}`")) }
}

async fn echo(connection: &Connection) -> Outcome {
    let arguments = raw(&json!({"message": "still there"}));
    let answer = connection.call_tool_in(CallScope::default().repeatable(), "echo", Some(&arguments)).await;
    let answer = answer.map_err(|error| format!("echo: {error}"))?;
    if answer.get().contains("still there") { Ok(()) } else { Err(format!("echo: {answer}")) }
}

/// Changes the server's list, and hears of it.
async fn change(connection: &Connection) -> Outcome {
    let mut changes = connection.changes();
    let answer = connection.call_tool("change", None).await.map_err(|error| format!("change: {error}"))?;
    let heard = timeout(PATIENCE, changes.next()).await;
    if !matches!(heard, Ok(Some(Change::Tools))) {
        return Err(format!("change: heard {heard:?}"));
    }
    let is_there = require(connection, "extra").await.is_ok();
    if is_there == answer.get().contains("added") { Ok(()) } else { Err("change: another list".to_owned()) }
}

/// Thinks before it answers.
struct SlowPerson;

impl Handler for SlowPerson {
    fn features(&self) -> Features {
        Features { elicitation_form: true, ..Features::default() }
    }

    fn elicit<'a>(&'a self, _server: &'a str, _question: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async {
            // Time is what this is about: the person says nothing for longer than the call may be silent.
            timeout(THINKING, std::future::pending::<()>()).await.unwrap_or_default();
            ElicitationAnswer::Accept(Some(raw(&json!({"name": "Ada"}))))
        })
    }
}

/// A server behind a network that can be cut; killed when dropped.
struct Served {
    server: &'static str,
    address: SocketAddr,
    child: Child,
    proxy: TcpProxy,
}

impl Served {
    async fn start(server: &'static str) -> Self {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let address = free.expect("a free port");
        let child = spawn(server, address).await;
        Self { server, address, child, proxy: TcpProxy::start(address, &[]).await.expect("a free port") }
    }

    async fn restart(&mut self) {
        end(&mut self.child);
        self.child = spawn(self.server, self.address).await;
    }

    async fn connect(&self, era: Negotiation) -> Result<Connection, String> {
        self.connect_with(era, PATIENCE).await
    }

    async fn connect_with(&self, era: Negotiation, silence: Duration) -> Result<Connection, String> {
        let timeouts = Timeouts::default().with_call(silence).with_call_total(PATIENCE);
        let options = ConnectOptions::default().with_negotiation(era).with_timeouts(timeouts);
        let options = options.with_handler(Arc::new(SlowPerson));
        let endpoint = Endpoint::Http(HttpOptions::new(format!("http://{}/mcp", self.proxy.address())));
        connect(endpoint, options).await.map_err(|error| format!("connect: {error}"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    child.kill().and_then(|()| child.wait().map(drop)).unwrap_or_default();
}

async fn spawn(server: &str, address: SocketAddr) -> Child {
    let folder = PathBuf::from(variable("MCP_TOOLKIT_TEST_SERVERS").unwrap_or_default());
    let (program, script) = program(&folder, server);
    let mut command = Command::new(program);
    command.args(script).arg("http").arg(address.port().to_string()).env("PYTHONPATH", folder.join("python"));
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let up = async {
        while TcpStream::connect(address).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE * 2, up).await.expect("the server listens");
    child
}

fn program(folder: &Path, server: &str) -> (PathBuf, Option<PathBuf>) {
    match server {
        "typescript" => ("node".into(), Some(folder.join("node").join("soak.mjs"))),
        "python" => ("python3".into(), Some(folder.join("python").join("soak.py"))),
        _ => (example_binary("rmcp_server"), None),
    }
}
