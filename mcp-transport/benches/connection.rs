//! What this crate costs, beside plain rmcp in the same run: `cargo bench -p mcp-transport`.
//!
//! 1. CPU of listing 1,000 tools (1.3 MB) over stdio, client only.
//! 2. One call after another over stdio: wall time and client CPU.
//! 3. 1,000 connect/call/close cycles over stdio and over HTTP: threads, open files and memory before and after.
//!
//! The server is this binary itself, started as `… peer`. Medians of several rounds, the two clients taking turns.
//! CPU, threads, files and memory are Linux figures; elsewhere they read zero.

#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]

use std::fs;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use mcp_testkit::{HttpPeer, Script, Step, legacy_http, run_stdio};
use mcp_transport::{ConnectOptions, Connection, Endpoint, HttpOptions, StdioOptions, connect};
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};

const ROUNDS: usize = 15;
const CALLS: usize = 1_000;
const CYCLES: usize = 1_000;

fn main() -> ExitCode {
    if let Some(peer) = std::env::args().find(|argument| argument.starts_with("peer")) {
        let tools = || (0..1_000).map(tool).collect::<Vec<_>>();
        let script = match peer.as_str() {
            "peer-with-tools" => Script::legacy().on("tools/list", [Step::Result(json!({ "tools": tools() }))]),
            _ => Script::legacy(),
        };
        return ExitCode::from(u8::try_from(run_stdio(&script)).unwrap_or(1));
    }
    // `cargo test --benches` only wants to know that this starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(lists());
    runtime.block_on(calls());
    let grown = runtime.block_on(cycles());
    if grown { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A tool of the size that real ones have.
fn tool(number: usize) -> Value {
    let property =
        |name: &str| json!({"type": "string", "description": format!("The {name} of the record to work on")});
    json!({
        "name": format!("records_{number}_update"),
        "description": "Updates one record in place and returns the new version. Fields that are left out stay. ".repeat(2),
        "inputSchema": {
            "type": "object",
            "$defs": {"Reference": {"type": "object", "properties": {"id": property("id"), "kind": property("kind")}}},
            "properties": {
                "id": property("id"), "name": property("name"), "owner": {"$ref": "#/$defs/Reference"},
                "state": {"type": "string", "enum": ["open", "closed", "archived"]},
                "tags": {"type": "array", "items": {"type": "string"}}, "note": property("note"),
                "limit": {"type": "integer", "minimum": 1, "maximum": 100}, "dry": {"type": "boolean"},
            },
            "required": ["id"],
        },
        "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true},
    })
}

fn endpoint(peer: &str) -> Endpoint {
    let binary = std::env::current_exe().expect("a path of our own");
    Endpoint::Stdio(StdioOptions::new(binary).with_args([peer]))
}

async fn ours(peer: &str) -> Connection {
    connect(endpoint(peer), ConnectOptions::default()).await.expect("a connection")
}

async fn theirs(peer: &str) -> (RunningService<RoleClient, ()>, tokio::process::Child) {
    let binary = std::env::current_exe().expect("a path of our own");
    let mut command = tokio::process::Command::new(binary);
    command.arg(peer).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().expect("the peer starts");
    let streams = (child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
    (().serve(streams).await.expect("a connection"), child)
}

async fn lists() {
    let (connection, (client, _child)) = (ours("peer-with-tools").await, theirs("peer-with-tools").await);
    let (mut own, mut rmcp) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let before = cpu();
        assert_eq!(connection.list_tools().await.expect("a list").items.len(), 1_000);
        own.push(cpu().saturating_sub(before));
        let before = cpu();
        assert_eq!(client.list_all_tools().await.expect("a list").len(), 1_000);
        rmcp.push(cpu().saturating_sub(before));
    }
    println!("list of 1000 tools, CPU ms: ours {:.2}, rmcp {:.2}", milliseconds(own), milliseconds(rmcp));
    connection.shutdown().await;
}

async fn calls() {
    let (connection, (client, _child)) = (ours("peer").await, theirs("peer").await);
    let arguments = serde_json::value::to_raw_value(&json!({"zeta": "hello"})).expect("JSON");
    let [mut own, mut own_cpu, mut rmcp, mut rmcp_cpu] = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let (started, before) = (Instant::now(), cpu());
        for _ in 0..CALLS {
            connection.call_tool("echo", Some(&arguments)).await.expect("a result");
        }
        own.push(started.elapsed());
        own_cpu.push(cpu().saturating_sub(before));
        let (started, before) = (Instant::now(), cpu());
        for _ in 0..CALLS {
            let arguments = json!({"zeta": "hello"}).as_object().cloned().unwrap_or_default();
            let call = CallToolRequestParams::new("echo").with_arguments(arguments);
            client.call_tool(call).await.expect("a result");
        }
        rmcp.push(started.elapsed());
        rmcp_cpu.push(cpu().saturating_sub(before));
    }
    // Milliseconds of a thousand calls are microseconds of one.
    println!("call over stdio, wall us: ours {:.1}, rmcp {:.1}", milliseconds(own), milliseconds(rmcp));
    println!("call over stdio, CPU us:  ours {:.1}, rmcp {:.1}", milliseconds(own_cpu), milliseconds(rmcp_cpu));
    connection.shutdown().await;
}

async fn cycles() -> bool {
    let server = HttpPeer::start(legacy_http).await.expect("a free port");
    let http = Endpoint::Http(HttpOptions::new(server.url("/mcp")));
    let mut grown = false;
    for (name, endpoint) in [("stdio", endpoint("peer")), ("http", http)] {
        // The first cycles fill caches and pools that stay.
        for _ in 0..CYCLES / 10 {
            cycle(&endpoint).await;
        }
        let (before, started) = (Resources::now(), Instant::now());
        for _ in 0..CYCLES {
            cycle(&endpoint).await;
        }
        let each = started.elapsed() / u32::try_from(CYCLES).unwrap_or(1);
        let after = Resources::now();
        println!("{CYCLES} cycles over {name}: {each:?} each; before {before:?}, after {after:?}");
        grown |= after.threads > before.threads || after.files > before.files;
    }
    grown
}

async fn cycle(endpoint: &Endpoint) {
    let connection = connect(endpoint.clone(), ConnectOptions::default()).await.expect("a connection");
    connection.call_tool("echo", None).await.expect("a result");
    connection.shutdown().await;
}

#[derive(Debug)]
struct Resources {
    threads: usize,
    files: usize,
    #[expect(dead_code, reason = "printed by Debug")]
    memory_kib: usize,
}

impl Resources {
    fn now() -> Self {
        let count = |folder: &str| fs::read_dir(folder).map_or(0, Iterator::count);
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory = memory.and_then(|line| line.split_whitespace().next()?.parse().ok());
        Self { threads: count("/proc/self/task"), files: count("/proc/self/fd"), memory_kib: memory.unwrap_or(0) }
    }
}

/// Time all our threads spent running.
fn cpu() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// The median, in milliseconds.
fn milliseconds(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e3
}
