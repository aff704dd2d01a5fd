//! The demo's MCP servers: small, complete, and run as children of this very binary.
//!
//! They speak the stdio transport of [2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio)
//! by hand, a line of JSON a message, because two of them must do what no server library would let them: list a broken
//! tool, and die before the first answer.

mod catalogue;
mod clumsy;
mod ledger;
mod library;

use std::io::{BufRead, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

/// The server that dies at once ends with this status, which the demo shows.
pub(crate) const CRASH_STATUS: u8 = 3;

const PROTOCOL_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const PAGE: usize = 50;

/// Which of the demo's servers to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DemoServer {
    /// Looks things up; every tool is read-only.
    Library,
    /// Keeps an account; writing to it changes something.
    Ledger,
    /// 120 tools whose schemas use `$ref`, `allOf` and `oneOf`.
    Catalogue,
    /// Says what is wrong on stderr and dies before the first answer.
    Crasher,
    /// Lists one good tool and one that breaks the protocol.
    Clumsy,
}

/// What a server offers: its tools as `tools/list` sends them, and what each does.
trait Tools {
    fn list(&self) -> Vec<Value>;
    /// The text of the result, or of the error that the model is to see.
    fn call(&mut self, name: &str, arguments: &Value) -> Result<String, String>;
}

/// Serves on stdin and stdout until stdin ends.
pub(crate) fn run(server: DemoServer) -> ExitCode {
    let tools: Box<dyn Tools> = match server {
        DemoServer::Library => Box::new(library::Library),
        DemoServer::Ledger => Box::new(ledger::Ledger::default()),
        DemoServer::Catalogue => Box::new(catalogue::Catalogue),
        DemoServer::Clumsy => Box::new(clumsy::Clumsy),
        DemoServer::Crasher => return crash(),
    };
    match serve(tools, std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // The host has gone: there is nobody left to tell.
        Err(_) => ExitCode::FAILURE,
    }
}

fn crash() -> ExitCode {
    let mut stderr = std::io::stderr().lock();
    let written = writeln!(stderr, "crasher: reading settings\ncrasher: fatal: no database at demo.db");
    // With or without its last words, it dies.
    written.map_or(ExitCode::FAILURE, |()| ExitCode::from(CRASH_STATUS))
}

fn serve(mut tools: Box<dyn Tools>, input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    for line in input.lines() {
        if let Some(answer) = serde_json::from_str(&line?).ok().and_then(|message| answer(tools.as_mut(), &message)) {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(())
}

/// The answer to a message; a notification has none.
fn answer(tools: &mut dyn Tools, message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let params = &message["params"];
    let result = match message["method"].as_str()? {
        "initialize" => Ok(initialize(params)),
        "ping" => Ok(json!({})),
        "tools/list" => list(&tools.list(), params),
        "tools/call" => Ok(call(tools, params)),
        method => Err((-32601, format!("method `{method}` not found"))),
    };
    Some(match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, message)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    })
}

fn initialize(params: &Value) -> Value {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let version = PROTOCOL_VERSIONS.into_iter().find(|version| *version == asked).unwrap_or(PROTOCOL_VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "mcpctl-demo", "version": env!("CARGO_PKG_VERSION")},
    })
}

fn list(tools: &[Value], params: &Value) -> Result<Value, (i32, String)> {
    let from: usize = match params["cursor"].as_str() {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|error| (-32602, format!("no page starts at `{cursor}`: {error}")))?,
    };
    let page: Vec<&Value> = tools.iter().skip(from).take(PAGE).collect();
    let next = from + page.len();
    let mut result = json!({"tools": page});
    if next < tools.len() {
        result["nextCursor"] = Value::String(next.to_string());
    }
    Ok(result)
}

fn call(tools: &mut dyn Tools, params: &Value) -> Value {
    let (text, is_error) = match tools.call(params["name"].as_str().unwrap_or_default(), &params["arguments"]) {
        Ok(text) => (text, false),
        Err(text) => (text, true),
    };
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

fn unknown(name: &str) -> Result<String, String> {
    Err(format!("no tool `{name}` here"))
}

#[cfg(test)]
mod tests;
