//! A host that connects to one row of the fault table and then waits to be killed, for the tests of the watchdog.
//!
//! `host ROW MODE`: prints `server PID`, then, by mode, waits (`wait`), panics (`panic`) or drops its runtime and
//! waits (`drop`).

use std::io::{BufRead as _, Write as _};

use mcp_transport::{ConnectOptions, Endpoint, StdioOptions, connect};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, row, mode] = &arguments[..] else { return };
    let peer = std::env::current_exe().expect("a path of our own").with_file_name("hostile_peer");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let endpoint = Endpoint::Stdio(StdioOptions::new(peer).with_args([row]));
    let connection = runtime.block_on(connect(endpoint, ConnectOptions::default())).expect("a connection");
    runtime.block_on(connection.health()).expect("a living server");
    let mut out = std::io::stdout().lock();
    writeln!(out, "server {}", connection.process_id().unwrap_or_default()).expect("a reader");
    writeln!(out, "{}", connection.stderr_tail().lines().next().unwrap_or_default()).expect("a reader");
    out.flush().expect("a reader");
    match mode.as_str() {
        "panic" => runtime.block_on(async { assert!(connection.is_closed(), "the host panics") }),
        "drop" => {
            // The connection outlives its runtime, and nothing of the server outlives either.
            drop(runtime);
            std::mem::forget(connection);
        }
        _ => {}
    }
    // Until the test closes our input, or kills us.
    std::io::stdin().lock().lines().for_each(drop);
}
