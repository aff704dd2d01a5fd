//! A script as a process on standard input and output.

use std::{
    collections::BTreeMap,
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
    let mut peer = Peer { unanswered: Vec::new(), counts: BTreeMap::new(), closed: false };
    if let Some(status) = peer.play(script.start(), &Incoming::default()) {
        return status;
    }
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        if let Some(status) = peer.receive(script, &message) {
            return status;
        }
    }
    peer.play(script.end(), &Incoming::default()).unwrap_or(0)
}

/// What the steps may refer to.
#[derive(Default)]
struct Incoming {
    id: Value,
    token: Value,
    /// How many requests of the same method came before.
    earlier: usize,
}

impl Incoming {
    fn fill_in(&self, text: &str) -> String {
        text.replace("$ID", &self.id.to_string()).replace("$TOKEN", &self.token.to_string())
    }
}

struct Peer {
    /// Id and tool name of what was not answered yet.
    unanswered: Vec<(Value, Value)>,
    /// Requests so far, by method.
    counts: BTreeMap<String, usize>,
    closed: bool,
}

impl Peer {
    fn receive(&mut self, script: &Script, message: &Value) -> Option<i32> {
        let Some(method) = message["method"].as_str() else {
            say(&format!("got answer {message}"));
            return None;
        };
        say(&format!("got {method}"));
        let count = self.counts.entry(method.to_owned()).or_default();
        let incoming = Incoming {
            id: message["id"].clone(),
            token: message["params"]["_meta"]["progressToken"].clone(),
            earlier: *count,
        };
        *count += 1;
        if !incoming.id.is_null() {
            self.unanswered.push((incoming.id.clone(), message["params"]["name"].clone()));
        }
        self.play(&script.steps(method), &incoming)
    }

    fn play(&mut self, steps: &[Step], incoming: &Incoming) -> Option<i32> {
        for step in steps {
            if let Step::Exit(status) = step {
                return Some(*status);
            }
            self.step(step, incoming);
        }
        None
    }

    fn step(&mut self, step: &Step, incoming: &Incoming) {
        match step {
            Step::Result(result) => self.answer(&incoming.id, result),
            Step::Results(results) => {
                let result = results.get(incoming.earlier).or(results.last());
                self.answer(&incoming.id, result.unwrap_or(&Value::Null));
            }
            Step::EndlessPages => {
                let tool = json!({"name": format!("tool{}", incoming.earlier), "inputSchema": {"type": "object"}});
                let cursor = incoming.earlier.to_string();
                self.answer(&incoming.id, &json!({"tools": [tool], "nextCursor": cursor}));
            }
            Step::Error(code, message) => {
                let error = json!({"code": code, "message": message});
                self.unanswered.retain(|(waiting, _)| *waiting != incoming.id);
                self.line(&json!({"jsonrpc": "2.0", "id": incoming.id, "error": error}).to_string());
            }
            Step::Line(text) => self.line(&incoming.fill_in(text)),
            Step::Bytes(bytes) => {
                self.write(&replace(bytes, b"$ID", incoming.id.to_string().as_bytes()));
            }
            Step::Big(size) => {
                let text = "x".repeat(*size);
                self.line(
                    &incoming
                        .fill_in(r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"text":"TEXT"}]}}"#)
                        .replace("TEXT", &text),
                );
            }
            Step::Ask(id, method, params) => {
                let ask = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                self.line(&incoming.fill_in(&ask.to_string()));
            }
            Step::Stderr(size) => say(&"e".repeat(*size)),
            Step::StderrLine(line) => say(line),
            Step::Grandchild => grandchild(),
            Step::Flood(text) => while self.write(text.as_bytes()) {},
            Step::Forever(steps, pause) => self.repeat(steps, *pause, incoming),
            Step::Wait(milliseconds) => std::thread::sleep(Duration::from_millis(*milliseconds)),
            Step::Close => self.close(),
            Step::AnswerPairsReversed => self.answer_pairs_reversed(),
            Step::Exit(_) => {}
        }
    }

    fn answer(&mut self, id: &Value, result: &Value) {
        self.unanswered.retain(|(waiting, _)| waiting != id);
        self.line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    fn answer_pairs_reversed(&mut self) {
        if self.unanswered.len() < 2 {
            return;
        }
        for (id, name) in std::mem::take(&mut self.unanswered).into_iter().rev() {
            self.answer(&id, &json!({"content": [{"type": "text", "text": name}]}));
        }
    }

    fn repeat(&mut self, steps: &[Step], pause: u64, incoming: &Incoming) {
        // An empty write finds out whether anybody still reads.
        while self.write(b"\n") {
            for step in steps {
                self.step(step, incoming);
            }
            std::thread::sleep(Duration::from_millis(pause));
        }
    }

    fn line(&mut self, text: &str) {
        self.write(format!("{text}\n").as_bytes());
    }

    /// False once nobody reads any more.
    fn write(&mut self, bytes: &[u8]) -> bool {
        let mut out = io::stdout().lock();
        !self.closed && out.write_all(bytes).and_then(|()| out.flush()).is_ok()
    }

    /// Gives stdout to nobody: the process lives on and its reader sees the end.
    fn close(&mut self) {
        self.closed = true;
        close_stdout();
    }
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let found = bytes.windows(from.len()).position(|window| window == from);
    let Some((head, tail)) = found.and_then(|at| bytes.split_at_checked(at)) else { return bytes.to_vec() };
    [head, to, tail.get(from.len()..).unwrap_or_default()].concat()
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
