//! What comparing servers with what was approved costs of a whole start.
//!
//! Ten servers of two hundred tools each, as processes on standard input and output: connected, listed, registered and
//! compared. The comparison alone is timed in the same run, over the same files. It is to be at most a tenth of the start.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark whose servers cannot be started has nothing to measure, and prints what it has measured"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcp_client::config::Environment;
use mcp_client::registry::{Baseline, PinPolicy, Surface, Tool};
use mcp_client::{Client, Configuration, Sources};
use mcp_testkit::{Script, Step, ordinary_tools, run_stdio};
use serde_json::json;

const SERVERS: usize = 10;
const TOOLS: usize = 200;
const ROUNDS: usize = 20;
/// What makes this program one of the servers.
const SERVE: &str = "serve";

fn main() {
    if std::env::args().any(|argument| argument == SERVE) {
        let listing = json!({ "tools": ordinary_tools(TOOLS) });
        run_stdio(&Script::legacy().on("tools/list", [Step::Result(listing)]));
        return;
    }
    let stage = tempfile::tempdir().unwrap();
    let file = write_servers(stage.path());
    let environment = Environment::new(stage.path()).with_home(stage.path());
    // The first start approves what there is, and is not measured.
    start(&environment, &file);
    let tools: Vec<Tool> = ordinary_tools(TOOLS).as_array().unwrap().iter().map(tool).collect();
    let (mut starts, mut checks) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        starts.push(start(&environment, &file));
        checks.push(check(&environment, &file, &tools));
    }
    let (start, check) = (median(starts), median(checks));
    println!("start: {SERVERS} servers of {TOOLS} tools, median of {ROUNDS}: {start:.1?}");
    println!("comparing them with what was approved: {check:.1?}");
    println!("ratio: {:.1} % (to be at most 10 %)", 100.0 * check.as_secs_f64() / start.as_secs_f64());
}

fn write_servers(folder: &Path) -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let server = |number| (format!("s{number}"), json!({"command": program, "args": [SERVE]}));
    let servers: serde_json::Map<_, _> = (0..SERVERS).map(server).collect();
    let file = folder.join("servers.json");
    std::fs::write(&file, json!({ "mcpServers": servers }).to_string()).unwrap();
    file
}

fn tool(definition: &serde_json::Value) -> Tool {
    Tool::parse(serde_json::value::to_raw_value(definition).unwrap()).unwrap().0
}

/// How long it takes until every server's tools are there to be used.
fn start(environment: &Environment, file: &Path) -> Duration {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let begun = Instant::now();
    let client = Client::builder(environment.clone()).config(file).build();
    runtime.block_on(client.start_until(|_| false));
    let took = begun.elapsed();
    assert_eq!(client.tools().len(), SERVERS * TOOLS, "every server is there");
    runtime.block_on(client.stop());
    took
}

/// How long it takes to read what was approved of every server, and to compare.
fn check(environment: &Environment, file: &Path, tools: &[Tool]) -> Duration {
    let mut sources = Sources::default();
    sources.files = vec![file.to_path_buf()];
    let configuration = Configuration::load(environment.clone(), sources);
    let folder = environment.state_home().unwrap().join("mcp-toolkit/pins");
    let surface = Surface { tools, prompts: &[], instructions: Some("be kind") };
    let begun = Instant::now();
    for server in configuration.definitions() {
        let bytes = std::fs::read(folder.join(server.state_key()).with_extension("json")).unwrap();
        let baseline: Baseline = serde_json::from_slice(&bytes).unwrap();
        let drift = baseline.compare(server.definition_hash(), surface, PinPolicy::default());
        assert!(drift.is_empty(), "nothing has changed");
    }
    begun.elapsed()
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or_else(|| panic!("nothing was measured"))
}
