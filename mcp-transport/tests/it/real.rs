//! A server that nobody here wrote, over all three transports.
//!
//! The folder with the installed servers is named by `MCP_TOOLKIT_TEST_SERVERS`; without it these tests say what they
//! skip, and with `CI` set that is a failure.

mod breaking;

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use mcp_transport::{Connection, Endpoint, HttpOptions, StdioOptions, connect};
use serde_json::json;

use crate::support::{options, raw};

fn variable(name: &str) -> Option<OsString> {
    std::env::vars_os().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// The script of server-everything, if it is installed.
fn everything() -> Option<PathBuf> {
    let script = variable("MCP_TOOLKIT_TEST_SERVERS").map(|folder| {
        PathBuf::from(folder).join("node/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
    });
    let script = script.filter(|script| script.exists());
    if script.is_none() {
        assert!(variable("CI").is_none(), "server-everything is not installed");
        let mut out = std::io::stderr().lock();
        writeln!(out, "SKIPPED: server-everything is not installed (MCP_TOOLKIT_TEST_SERVERS)").expect("stderr");
    }
    script
}

/// The shortened form of `cargo xtask soak`: no change missed, no connection made anew, memory flat.
#[test]
fn servers_on_the_sdks_of_others_are_lived_with() {
    if everything().is_none() {
        return;
    }
    let folder = variable("MCP_TOOLKIT_TEST_SERVERS").unwrap_or_default();
    let mut soak = Command::new(mcp_testkit::example_binary("soak"));
    let ended = soak.arg(folder).args(["8", "30"]).output().expect("the program starts");
    assert!(
        ended.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
}

/// Lists, calls and measures.
async fn exercise(connection: Connection, transport: &str) {
    assert_eq!(connection.transport(), transport);
    let tools = connection.list_tools().await.expect("a list");
    assert!(tools.items.iter().any(|tool| tool.name == "echo") && tools.rejected.is_empty(), "{tools:?}");
    let result = connection.call_tool("echo", Some(&raw(&json!({"message": "über"})))).await.expect("a result");
    assert!(result.get().contains("über"), "{result}");
    assert!(!connection.list_resources().await.expect("resources").items.is_empty());
    assert!(!connection.list_prompts().await.expect("prompts").items.is_empty());
    connection.health().await.expect("a living server");
    connection.shutdown().await;
    assert!(connection.is_closed());
}

#[tokio::test]
async fn server_everything_over_stdio() {
    let Some(script) = everything() else { return };
    let server = StdioOptions::new("node").with_args([script.into_os_string(), "stdio".into()]);
    let server = server.with_host_env(std::env::vars_os());
    exercise(connect(Endpoint::Stdio(server), options()).await.expect("a connection"), "stdio").await;
}

/// A server on a free port, killed when dropped.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start(script: PathBuf, transport: &str, path: &str) -> Self {
        let port =
            TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).expect("a port").port();
        let mut command = Command::new("node");
        command.arg(script).arg(transport).env("PORT", port.to_string());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("node starts");
        // It says on stderr when it listens.
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains(&port.to_string())), "the server does not listen");
        // Node ends when it cannot write its log; the thread ends with the server.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: format!("http://localhost:{port}{path}") }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().and_then(|()| self.child.wait().map(drop)).unwrap_or_default();
    }
}

#[tokio::test]
async fn server_everything_over_streamable_http() {
    let Some(script) = everything() else { return };
    let served = Served::start(script, "streamableHttp", "/mcp");
    let endpoint = Endpoint::HttpAuto(HttpOptions::new(served.url.as_str()));
    exercise(connect(endpoint, options()).await.expect("a connection"), "http").await;
}

#[tokio::test]
async fn server_everything_over_sse() {
    let Some(script) = everything() else { return };
    let served = Served::start(script, "sse", "/sse");
    for endpoint in [
        Endpoint::Sse(HttpOptions::new(served.url.as_str())),
        Endpoint::HttpAuto(HttpOptions::new(served.url.as_str())),
    ] {
        exercise(connect(endpoint, options()).await.expect("a connection"), "sse").await;
    }
}
