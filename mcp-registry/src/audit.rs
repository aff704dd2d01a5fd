//! A record of every call, which can be added to but not changed unnoticed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::{arguments_digest, hex_digest};
use crate::error::Problem;
use crate::rules::{Decision, Request, RuleUse};

/// How a call ended. It says nothing that a server wrote, as that could be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// It was not made: the rules or a person refused.
    Refused,
    /// The tool answered.
    Succeeded,
    /// The tool answered with an error.
    ToolError,
    /// No answer: the server or the connection failed.
    Failed,
    /// No answer in time.
    TimedOut,
    /// The caller gave up.
    Cancelled,
}

/// One call: who called what, what was decided, and how it ended.
///
/// Arguments are recorded as their SHA-256 (with sorted members), which shows whether two calls were the same without keeping
/// what they said. Arguments that are easy to guess can be confirmed by it, so a log is for its owner's eyes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditRecord {
    /// When, in milliseconds since 1970-01-01T00:00Z.
    pub at: u64,
    /// Who called: an agent, a sub-agent, a command, as the host names them.
    pub caller: String,
    /// The server; empty for the host's own tools.
    pub server: String,
    /// The hash of the server's configuration.
    pub definition: String,
    /// The server's name for the tool.
    pub tool: String,
    /// The SHA-256 of the arguments, in hexadecimal.
    pub arguments: String,
    /// `allow`, `ask` or `deny`.
    pub verdict: String,
    /// What decided, in words.
    pub because: String,
    /// The rule that decided, if one did.
    pub rule: Option<String>,
    /// Where that rule stands: `settings.json:/permissions/deny/0`.
    pub rule_place: Option<String>,
    /// How the call ended.
    pub outcome: Outcome,
}

impl AuditRecord {
    /// Returns the record of a call that was decided; it counts as refused until [`AuditRecord::with_outcome`].
    pub fn new(at: u64, caller: impl Into<String>, request: &Request<'_>, decision: &Decision) -> Self {
        Self {
            at,
            caller: caller.into(),
            server: request.server.to_owned(),
            definition: request.definition.to_owned(),
            tool: request.tool.to_owned(),
            arguments: arguments_digest(request.arguments),
            verdict: decision.verdict.as_str().to_owned(),
            because: decision.because.to_string(),
            rule: decision.because.rule().map(|rule| rule.rule.to_string()),
            rule_place: decision.because.rule().map(RuleUse::place),
            outcome: Outcome::Refused,
        }
    }

    /// Says how the call ended.
    #[must_use]
    pub fn with_outcome(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }
}

/// Writes records as lines of JSON, each of which holds the hash of the line before.
///
/// Whoever changes, removes or reorders a line breaks the chain behind it; [`AuditLog::verify`] finds the place. Cutting lines
/// off the end cannot be seen from the log alone: keep [`AuditLog::head`] elsewhere to notice that.
///
/// ```
/// use mcp_registry::{AuditLog, AuditRecord, Mode, NameStyle, Outcome, Rules, ServerTools};
/// # use mcp_registry::{Registry, Tool};
/// # let raw = serde_json::value::to_raw_value(&serde_json::json!({"name": "echo", "inputSchema": {}}))?;
/// # let mut registry = Registry::new(NameStyle::default());
/// # registry.replace_server(ServerTools::new("demo", "sha256:1", vec![Tool::parse(raw)?.0]));
/// # let snapshot = registry.snapshot();
/// # let tool = snapshot.tools().next().ok_or("no tool")?;
/// # let arguments = serde_json::json!({});
/// let request = tool.request(&arguments);
/// let decision = Rules::default().decide(&request, Mode::Build);
///
/// let mut log = AuditLog::new();
/// let record = AuditRecord::new(1_790_000_000_000, "agent", &request, &decision);
/// let mut file = log.append(&record);
/// file += &log.append(&record.with_outcome(Outcome::Succeeded));
/// assert_eq!(AuditLog::verify(&file), []);
/// assert_eq!(AuditLog::verify(&file.replacen("agent", "nobody", 1))[0].place, "line 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AuditLog {
    head: String,
}

/// A line of the log.
#[derive(Serialize)]
struct Line<'a> {
    previous: &'a str,
    #[serde(flatten)]
    record: &'a AuditRecord,
}

/// The longest text of a record, in bytes: a server chooses how long its tools' names are. With the six bytes that JSON may
/// take for one, a line stays below 64 KiB.
const LONGEST_TEXT: usize = 1024;

impl Line<'_> {
    fn print(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers serialise")
    }
}

/// Returns a record whose texts are short enough for a line. One that is cut says so, and keeps its hash.
fn bounded(record: &AuditRecord) -> AuditRecord {
    let AuditRecord { at, caller, server, definition, tool, arguments, verdict, because, rule, rule_place, outcome } =
        record;
    AuditRecord {
        at: *at,
        caller: cut(caller),
        server: cut(server),
        definition: cut(definition),
        tool: cut(tool),
        arguments: cut(arguments),
        verdict: cut(verdict),
        because: cut(because),
        rule: rule.as_deref().map(cut),
        rule_place: rule_place.as_deref().map(cut),
        outcome: *outcome,
    }
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let mark = format!("… [cut from {} bytes, sha256:{}]", text.len(), hex_digest([text.as_bytes()]));
    let kept = text.floor_char_boundary(LONGEST_TEXT.saturating_sub(mark.len()));
    format!("{}{mark}", text.get(..kept).unwrap_or_default())
}

impl Default for AuditLog {
    fn default() -> Self {
        Self::new()
    }
}

impl AuditLog {
    /// Returns an empty log.
    pub fn new() -> Self {
        Self { head: String::new() }
    }

    /// Goes on with a log that ends in this line; an empty line begins one.
    pub fn resume(last_line: &str) -> Self {
        Self { head: hash_of(last_line.trim_end()) }
    }

    /// Returns the hash of the last line, empty at the beginning.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Returns the line to append, with its line break: at most 64 KiB, long texts cut.
    pub fn append(&mut self, record: &AuditRecord) -> String {
        let line = Line { previous: &self.head, record: &bounded(record) }.print();
        self.head = hash_of(&line);
        line + "\n"
    }

    /// Returns the places where a log is not what was appended; none if it is whole.
    pub fn verify(log: &str) -> Vec<Problem> {
        Self::new().verify_next(log)
    }

    /// Returns the same for a log that goes on with this one: a part that begins after `AuditLog::resume(LAST_LINE)`.
    pub fn verify_next(self, log: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut head = self.head;
        for (position, line) in log.lines().enumerate() {
            let place = format!("line {}", position + 1);
            let previous = serde_json::from_str::<Value>(line).ok();
            match previous.as_ref().and_then(|line| line.get("previous")).and_then(Value::as_str) {
                None => problems.push(Problem::new(place, "no audit record: expected an object with `previous`")),
                Some(previous) if previous != head => {
                    let message = "a line before it was changed or is missing: expected the hash of the line before";
                    problems.push(Problem::new(place, message));
                }
                Some(_) => {}
            }
            head = hash_of(line);
        }
        problems
    }
}

fn hash_of(line: &str) -> String {
    if line.is_empty() { String::new() } else { hex_digest([line.as_bytes()]) }
}
