//! A script as a process on standard input and output.

use std::{
    io::{self, BufRead as _, Write as _},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{Script, Step};

/// Plays `script` on this process's standard streams until the input ends or a step exits; returns the exit status.
///
/// Every message that arrives is written to stderr as `got METHOD` (`got answer JSON` for an answer).
pub fn run_stdio(script: &Script) -> i32 {
    let mut peer = Peer { unanswered: Vec::new(), closed: false };
    if let Some(status) = peer.play(script.start(), &Value::Null) {
        return status;
    }
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        if let Some(status) = peer.receive(script, &message) {
            return status;
        }
    }
    peer.play(script.end(), &Value::Null).unwrap_or(0)
}

struct Peer {
    /// Id and tool name of what was not answered yet.
    unanswered: Vec<(Value, Value)>,
    closed: bool,
}

impl Peer {
    fn receive(&mut self, script: &Script, message: &Value) -> Option<i32> {
        let Some(method) = message["method"].as_str() else {
            say(&format!("got answer {message}"));
            return None;
        };
        say(&format!("got {method}"));
        if message["id"].is_null() {
            return self.play(&script.steps(method), &Value::Null);
        }
        self.unanswered.push((message["id"].clone(), message["params"]["name"].clone()));
        self.play(&script.steps(method), &message["id"])
    }

    fn play(&mut self, steps: &[Step], id: &Value) -> Option<i32> {
        for step in steps {
            if let Step::Exit(status) = step {
                return Some(*status);
            }
            self.step(step, id);
        }
        None
    }

    fn step(&mut self, step: &Step, id: &Value) {
        match step {
            Step::Result(result) => self.line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()),
            Step::Error(code, message) => {
                let error = json!({"code": code, "message": message});
                self.line(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
            }
            Step::Line(text) => self.line(&text.replace("$ID", &id.to_string())),
            Step::Bytes(bytes) => self.write(bytes),
            Step::Big(size) => self.line(&big(id, *size)),
            Step::Ask(id, method, params) => {
                self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
            }
            Step::Stderr(size) => say(&"e".repeat(*size)),
            Step::StderrLine(line) => say(line),
            Step::Grandchild => grandchild(),
            Step::Flood(text) => while self.try_write(text.as_bytes()) {},
            Step::Wait(milliseconds) => std::thread::sleep(Duration::from_millis(*milliseconds)),
            Step::Close => self.close(),
            Step::AnswerAllReversed => {
                for (id, name) in std::mem::take(&mut self.unanswered).into_iter().rev() {
                    let result = json!({"content": [{"type": "text", "text": name}]});
                    self.line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
                }
            }
            Step::Exit(_) => {}
        }
    }

    fn line(&mut self, text: &str) {
        self.write(format!("{text}\n").as_bytes());
    }

    fn write(&mut self, bytes: &[u8]) {
        self.try_write(bytes);
    }

    fn try_write(&mut self, bytes: &[u8]) -> bool {
        let mut out = io::stdout().lock();
        !self.closed && out.write_all(bytes).and_then(|()| out.flush()).is_ok()
    }

    /// Gives stdout to nobody: the process lives on and its reader sees the end.
    fn close(&mut self) {
        self.closed = true;
        close_stdout();
    }
}

/// An answer whose text has `size` bytes.
pub(crate) fn big(id: &Value, size: usize) -> String {
    let result = json!({"content": [{"type": "text", "text": "x".repeat(size)}]});
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn say(line: &str) {
    // A closed stderr must not end a peer whose stdout is being tested.
    drop(writeln!(io::stderr().lock(), "{line}"));
}

/// A process of the same group that outlives its parent unless somebody ends the group.
fn grandchild() {
    let child =
        Command::new("sleep").arg("3600").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match child {
        Ok(child) => say(&format!("grandchild {}", child.id())),
        Err(error) => say(&format!("no grandchild: {error}")),
    }
}

#[cfg(unix)]
fn close_stdout() {
    use std::os::fd::AsFd as _;
    // The one safe way to close a standard stream: put another file in its place.
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null");
    let closed = null.and_then(|null| Ok(rustix::stdio::dup2_stdout(null.as_fd())?));
    if let Err(error) = closed {
        say(&format!("stdout stays open: {error}"));
    }
}

#[cfg(not(unix))]
fn close_stdout() {}
