//! Lives with servers that others wrote, for minutes, and says what became of it: `cargo xtask soak`.
//!
//! `soak FOLDER SECONDS IDLE`: a process for each server of [`TARGETS`], as memory is measured, all at once; FOLDER holds
//! the installed servers, IDLE is the silence in seconds that an event stream may keep. Exits with 1 if a change was missed,
//! a connection was made anew, a call failed or memory grew.

#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mcp_testkit::TcpProxy;
use mcp_transport::{
    BoxFuture, Change, Changes, ConnectOptions, Connection, Elicitation, ElicitationAnswer, Endpoint, Era, Features,
    Handler, HttpOptions, StdioOptions, Timeouts, connect,
};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::process::{Child, Command};
use tokio::time::Instant;

/// The server and the transport.
const TARGETS: [(&str, &str); 6] = [
    ("typescript", "stdio"),
    ("typescript", "http"),
    ("python", "stdio"),
    ("python", "http"),
    ("rmcp", "stdio"),
    ("rmcp", "http"),
];

/// Calls between two changes.
const BURST: usize = 20;

/// A change that is not heard of within this is missed.
const NEWS: Duration = Duration::from_secs(10);

/// How long a person thinks.
const SLOW: Duration = Duration::from_millis(1_500);

/// What the allocator may keep that was not there after the first round.
const GROWTH: u64 = 6 << 10;

/// A new connection to the server, of a client that lost the old one: a request that holds one of these.
const OPENERS: [&str; 3] = ["\"initialize\"", "\"subscriptions/listen\"", "GET /mcp"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let [folder, seconds, idle, rest @ ..] = &arguments[..] else { return ExitCode::FAILURE };
    let lasting = Duration::from_secs(seconds.parse().expect("a number of seconds"));
    let idle = Duration::from_secs(idle.parse().expect("a number of seconds"));
    match rest {
        [server, transport] => runtime.block_on(one(Path::new(folder), server, transport, (lasting, idle))),
        _ => runtime.block_on(all(&arguments)),
    }
}

/// Every target in a process of its own.
async fn all(arguments: &[String]) -> ExitCode {
    let own = std::env::current_exe().expect("a path of our own");
    let started = TARGETS.map(|(server, transport)| {
        let mut command = Command::new(&own);
        command.args(arguments).args([server, transport]).stdout(Stdio::piped()).kill_on_drop(true);
        command.spawn().expect("this program starts")
    });
    println!("server      transport  version        calls  changes   seen  answers  opened  memory KiB");
    let mut code = ExitCode::SUCCESS;
    for child in started {
        let ended = child.wait_with_output().await.expect("it ends");
        print!("{}", String::from_utf8_lossy(&ended.stdout));
        if !ended.status.success() {
            code = ExitCode::FAILURE;
        }
    }
    code
}

/// What was counted.
#[derive(Debug, Default)]
struct Figures {
    calls: usize,
    announced: usize,
    seen: usize,
    answers: usize,
    failures: Vec<String>,
    memory: (u64, u64),
}

async fn one(folder: &Path, server: &str, transport: &str, (lasting, idle): (Duration, Duration)) -> ExitCode {
    let served = Served::start(folder, server, transport).await;
    let timeouts = Timeouts::default().with_idle(idle).with_call(Duration::from_secs(20));
    let options = ConnectOptions::default().with_timeouts(timeouts).with_handler(Arc::new(SlowPerson));
    let connection = connect(served.endpoint.clone(), options).await.expect("a connection");
    let figures = live_with(&connection, lasting, idle).await;
    let opened: usize = served.proxy.as_ref().map_or(1, |proxy| OPENERS.iter().map(|opener| proxy.seen(opener)).sum());
    // An `initialize` and the stream that a server of either era speaks on, or the one process.
    let expected = served.proxy.as_ref().map_or(1, |_| 1 + usize::from(connection.era() == Era::Legacy));
    println!(
        "{server:<11} {transport:<10} {:<11} {:>8} {:>8} {:>6} {:>8} {opened:>7}  {} → {}",
        connection.protocol_version(),
        figures.calls,
        figures.announced,
        figures.seen,
        figures.answers,
        figures.memory.0,
        figures.memory.1
    );
    for failure in &figures.failures {
        println!("  {failure}");
    }
    let grown = figures.memory.1.saturating_sub(figures.memory.0) > GROWTH;
    let closed = connection.is_closed();
    connection.shutdown().await;
    let missed = figures.seen != figures.announced;
    let wrong =
        [(closed, "it closed"), (opened != expected, "cycled"), (missed, "changes missed"), (grown, "memory grew")];
    wrong.iter().filter(|(is_so, _)| *is_so).for_each(|(_, what)| println!("  WRONG: {what}"));
    let fine = wrong.iter().all(|(is_so, _)| !is_so) && figures.failures.is_empty();
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Rounds of calls, a change, a question now and then, and a silence that is longer than `idle`.
async fn live_with(connection: &Connection, lasting: Duration, idle: Duration) -> Figures {
    let mut figures = Figures::default();
    let mut changes = connection.changes();
    let until = Instant::now() + lasting;
    let asks = connection.era() == Era::Legacy && has(connection, "ask").await;
    for round in 0_u32.. {
        if Instant::now() >= until {
            break;
        }
        calls(connection, &mut figures).await;
        change(connection, &mut changes, &mut figures).await;
        if asks && round % 10 == 0 {
            match connection.call_tool("ask", None).await {
                Ok(answer) if answer.get().contains("accept Ada") => figures.answers += 1,
                other => figures.failures.push(format!("ask: {other:?}")),
            }
        }
        figures.memory.1 = memory();
        if round <= 3 {
            figures.memory.0 = figures.memory.1;
        }
        let silence = if round % 20 == 3 { idle * 2 } else { Duration::from_millis(500) };
        tokio::time::sleep(silence.min(until.saturating_duration_since(Instant::now()))).await;
    }
    figures
}

async fn calls(connection: &Connection, figures: &mut Figures) {
    for number in 0..BURST {
        let message = format!("message {number}");
        figures.calls += 1;
        match connection.call_tool("echo", Some(&raw(&json!({"message": message})))).await {
            Ok(answer) if answer.get().contains(&message) => {}
            other => figures.failures.push(format!("echo: {other:?}")),
        }
    }
}

async fn change(connection: &Connection, changes: &mut Changes, figures: &mut Figures) {
    figures.calls += 1;
    let added = match connection.call_tool("change", None).await {
        Ok(answer) => answer.get().contains("added"),
        Err(error) => return figures.failures.push(format!("change: {error}")),
    };
    figures.announced += 1;
    if matches!(tokio::time::timeout(NEWS, changes.next()).await, Ok(Some(Change::Tools))) {
        figures.seen += 1;
    }
    if has(connection, "extra").await != added {
        figures.failures.push("the list is not what the server said it is".to_owned());
    }
}

async fn has(connection: &Connection, tool: &str) -> bool {
    let tools = connection.list_tools().await.map(|listing| listing.items).unwrap_or_default();
    tools.iter().any(|listed| listed.name == tool)
}

fn raw(value: &serde_json::Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("JSON")
}

/// Resident memory of this process in KiB; 0 where there is no `/proc`.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Thinks before it answers.
struct SlowPerson;

impl Handler for SlowPerson {
    fn features(&self) -> Features {
        Features { elicitation_form: true, ..Features::default() }
    }

    fn elicit<'a>(&'a self, _server: &'a str, _question: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async {
            tokio::time::sleep(SLOW).await;
            ElicitationAnswer::Accept(Some(raw(&json!({"name": "Ada"}))))
        })
    }
}

/// A server, and over HTTP what counts its connections.
struct Served {
    endpoint: Endpoint,
    proxy: Option<TcpProxy>,
    _process: Option<Child>,
}

impl Served {
    async fn start(folder: &Path, server: &str, transport: &str) -> Self {
        let (program, script) = program(folder, server);
        let libraries = folder.join("python");
        let host_env = std::env::vars_os();
        if transport == "stdio" {
            let options = StdioOptions::new(program).with_args(script).with_args(["stdio"]).with_host_env(host_env);
            let options = options.with_env("PYTHONPATH", libraries.to_string_lossy());
            return Self { endpoint: Endpoint::Stdio(options), proxy: None, _process: None };
        }
        let address = free_address();
        let mut command = Command::new(program);
        command.args(script).arg("http").arg(address.port().to_string()).env("PYTHONPATH", libraries);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn().expect("it starts");
        let up = async {
            while tokio::net::TcpStream::connect(address).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), up).await.expect("the server listens");
        let proxy = TcpProxy::start(address, &OPENERS).await.expect("a free port");
        let endpoint = Endpoint::Http(HttpOptions::new(format!("http://{}/mcp", proxy.address())));
        Self { endpoint, proxy: Some(proxy), _process: Some(child) }
    }
}

/// The program, and its script if it is an interpreter.
fn program(folder: &Path, server: &str) -> (PathBuf, Option<PathBuf>) {
    match server {
        "typescript" => ("node".into(), Some(folder.join("node").join("soak.mjs"))),
        "python" => ("python3".into(), Some(folder.join("python").join("soak.py"))),
        _ => {
            let own = std::env::current_exe().expect("a path of our own");
            (own.with_file_name(format!("rmcp_server{}", std::env::consts::EXE_SUFFIX)), None)
        }
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).expect("a free port")
}
