//! How a scripted server answers.

use serde_json::{Value, json};

/// One thing a server does when a message arrives.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Answers with this `result`.
    Result(Value),
    /// Answers with an error of this code and message.
    Error(i64, String),
    /// Writes this text as one line; `$ID` becomes the request's id, `$TOKEN` its progress token.
    Line(String),
    /// Writes these bytes as they are, without a line break; `$ID` as in [`Line`](Self::Line).
    Bytes(Vec<u8>),
    /// Answers the n-th request of its method with the n-th result; the last one stays.
    Results(Vec<Value>),
    /// Answers every request of a list with one tool and another cursor.
    EndlessPages,
    /// Answers with a text of this many bytes.
    Big(usize),
    /// Repeats steps, with the pause in milliseconds between two rounds, until stdout is closed.
    Forever(Vec<Self>, u64),
    /// Sends a request of its own with this id, method and parameters.
    Ask(Value, String, Value),
    /// Writes this many bytes to stderr.
    Stderr(usize),
    /// Writes this line to stderr.
    StderrLine(String),
    /// Starts a process that lives for an hour and writes `grandchild PID` to stderr.
    Grandchild,
    /// Writes to stdout for ever, without a line break.
    Flood(String),
    /// Waits this many milliseconds.
    Wait(u64),
    /// Closes the stream the answer would come on, and goes on living.
    Close,
    /// Exits with this status.
    Exit(i32),
    /// Once two requests wait, answers them in reverse order, each with its own `name`.
    AnswerPairsReversed,
}

/// How a scripted server answers each method.
///
/// Methods without steps of their own are answered as a well-behaved server with one tool, `echo`, would.
#[derive(Debug, Clone, Default)]
pub struct Script {
    version: Option<&'static str>,
    modern: bool,
    start: Vec<Step>,
    end: Vec<Step>,
    on: Vec<(String, Vec<Step>)>,
}

impl Script {
    /// A server that knows `initialize` and answers `server/discover` with "method not found".
    pub fn legacy() -> Self {
        Self { version: Some("2025-11-25"), ..Self::default() }
    }

    /// A server that knows 2026-07-28 only.
    pub fn modern() -> Self {
        Self { modern: true, ..Self::default() }
    }

    /// Answers `initialize` with this version.
    #[must_use]
    pub fn version(mut self, version: &'static str) -> Self {
        self.version = Some(version);
        self
    }

    /// Does this before the first message.
    #[must_use]
    pub fn at_start(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.start = steps.into_iter().collect();
        self
    }

    /// Does this when the input ends, before it exits.
    #[must_use]
    pub fn at_end(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.end = steps.into_iter().collect();
        self
    }

    /// Answers `method` with these steps; none at all is silence.
    #[must_use]
    pub fn on(mut self, method: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.on.push((method.to_owned(), steps.into_iter().collect()));
        self
    }

    /// What happens before the first message.
    pub fn start(&self) -> &[Step] {
        &self.start
    }

    /// What happens at the end of the input.
    pub fn end(&self) -> &[Step] {
        &self.end
    }

    /// What happens when `method` arrives.
    pub fn steps(&self, method: &str) -> Vec<Step> {
        match self.on.iter().find(|(name, _)| name == method) {
            Some((_, steps)) => steps.clone(),
            None => self.well_behaved(method),
        }
    }

    fn well_behaved(&self, method: &str) -> Vec<Step> {
        let not_found = || vec![Step::Error(-32601, format!("method not found: {method}"))];
        match method {
            "initialize" => match self.version {
                Some(version) => vec![Step::Result(json!({
                    "protocolVersion": version,
                    "capabilities": {"tools": {"listChanged": true}},
                    "serverInfo": {"name": "scripted", "version": "1.0"},
                    "instructions": "be kind",
                }))],
                None => vec![Step::Error(-32022, "unsupported protocol version".to_owned())],
            },
            "server/discover" if self.modern => vec![Step::Result(json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "instructions": "be kind",
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1.0"}},
            }))],
            "ping" if !self.modern => vec![Step::Result(json!({}))],
            "tools/list" => vec![Step::Result(json!({"tools": [echo_tool()]}))],
            "tools/call" => vec![Step::Result(json!({"content": [{"type": "text", "text": "hello"}]}))],
            _ if method.starts_with("notifications/") => Vec::new(),
            _ => not_found(),
        }
    }
}

fn echo_tool() -> Value {
    json!({
        "name": "echo",
        "description": "Says what it is told",
        "inputSchema": {"type": "object", "properties": {"zeta": {"type": "string"}, "alpha": {"type": "string"}}},
        "annotations": {"readOnlyHint": true},
    })
}
