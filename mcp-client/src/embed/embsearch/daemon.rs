//! A process of `embsearch`, and one conversation with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::embed::failure::{Failure, quoted};

/// The longest answer that is read: a result takes about 100 bytes, and there are no more than tools.
const MOST_BYTES: usize = 16 << 20;
/// How much of what it says about its version is read.
const VERSION_BYTES: u64 = 4 << 10;

/// A running process, ended together with its children when dropped. Should the host be killed, its standard input ends,
/// which is its sign to end.
#[derive(Debug)]
pub(super) struct Daemon {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Daemon {
    pub(super) fn start(program: &Path, store: &Path, variables: &BTreeMap<String, String>) -> Result<Self, Failure> {
        let mut command = command(program, variables);
        command.arg("serve").arg("--path").arg(store).stdin(Stdio::piped());
        let mut child = spawn(command, program)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Ended { backend: program.display().to_string() });
        };
        Ok(Self { name: program.display().to_string(), child, input, output: BufReader::new(output) })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Asks and waits for the answer. After an error the process is of no more use: what it says next may be the answer to
    /// an earlier question.
    pub(super) async fn ask(&mut self, question: &Value, limit: Duration) -> Result<Value, Failure> {
        let name = self.name.clone();
        let answer = tokio::time::timeout(limit, self.exchange(question));
        let answer = answer.await.map_err(|_elapsed| Failure::Silent { backend: name, after: limit })??;
        if answer["ok"] == Value::Bool(true) {
            return Ok(answer);
        }
        match answer["error"].as_str() {
            Some(message) => Err(Failure::Refused { backend: self.name.clone(), message: quoted(message) }),
            None => Err(self.nonsense("`ok` or an error")),
        }
    }

    async fn exchange(&mut self, question: &Value) -> Result<Value, Failure> {
        let broken = |source: std::io::Error| Failure::Broken { backend: self.name.clone(), source: source.into() };
        self.input.write_all(format!("{question}\n").as_bytes()).await.map_err(broken)?;
        let mut line = Vec::new();
        let limit = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
        (&mut self.output).take(limit).read_until(b'\n', &mut line).await.map_err(broken)?;
        match line.last() {
            Some(b'\n') => serde_json::from_slice(&line).map_err(|source| Failure::Answer {
                backend: self.name.clone(),
                expected: "a line of JSON",
                source: Some(source),
            }),
            Some(_) if line.len() >= MOST_BYTES => {
                Err(Failure::TooLong { backend: self.name.clone(), limit: MOST_BYTES })
            }
            Some(_) | None => Err(Failure::Ended { backend: self.name.clone() }),
        }
    }

    pub(super) fn nonsense(&self, expected: &'static str) -> Failure {
        Failure::Answer { backend: self.name.clone(), expected, source: None }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        end_group(&self.child);
    }
}

/// Ends what the child started too. The child itself is ended by its handle.
#[cfg(unix)]
fn end_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(group) = group {
        // Nobody is left, which is what was wanted.
        kill_process_group(group, Signal::KILL).ok();
    }
}

#[cfg(not(unix))]
fn end_group(_child: &Child) {}

/// Refuses a program of another protocol, by what it says about its version.
pub(super) async fn check_version(
    program: &Path,
    variables: &BTreeMap<String, String>,
    limit: Duration,
) -> Result<(), Failure> {
    let backend = || program.display().to_string();
    let mut command = command(program, variables);
    command.arg("--version").stdin(Stdio::null());
    let mut child = spawn(command, program)?;
    let mut said = Vec::new();
    if let Some(output) = child.stdout.take() {
        tokio::time::timeout(limit, output.take(VERSION_BYTES).read_to_end(&mut said))
            .await
            .map_err(|_elapsed| Failure::Silent { backend: backend(), after: limit })?
            .map_err(|source| Failure::Broken { backend: backend(), source: source.into() })?;
    }
    let said = String::from_utf8_lossy(&said);
    match said.split_whitespace().last().and_then(version) {
        Some((0, 1..)) => Ok(()),
        _ => Err(Failure::Version { backend: backend(), found: quoted(&said) }),
    }
}

/// The first two numbers of a version.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn command(program: &Path, variables: &BTreeMap<String, String>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(variables).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command
}

fn spawn(mut command: Command, program: &Path) -> Result<Child, Failure> {
    command.spawn().map_err(|source| Failure::Start { program: program.to_path_buf(), source })
}
