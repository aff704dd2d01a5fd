//! Calls that a server turned into tasks: polled to their end, cancelled when nobody waits.
//!
//! See the [tasks extension](https://modelcontextprotocol.io/extensions/tasks) (`io.modelcontextprotocol/tasks`).

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::scope::Patience;
use crate::session::{Ask, Session};
use crate::{Backoff, Error, RpcError, questions, wire};

/// Between two looks, unless the server says otherwise.
const POLL: Duration = Duration::from_secs(1);

/// Whatever the server says, looks are this far apart at least and at most.
const POLL_BOUNDS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(30));

/// How often a look that failed is repeated; the next one that succeeds starts the count anew.
const LOOKS: u32 = 4;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task<'a> {
    #[serde(rename = "taskId")]
    id: String,
    status: String,
    poll_interval_ms: Option<u64>,
    #[serde(default)]
    status_message: Option<String>,
    #[serde(borrow, default)]
    input_requests: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl Task<'_> {
    fn poll(&self) -> Duration {
        let (least, most) = POLL_BOUNDS;
        self.poll_interval_ms.map_or(POLL, Duration::from_millis).clamp(least, most)
    }
}

/// Waits for the end of the task in `seed` and returns the result of the call that became it.
///
/// `patience` is the call's. Whatever ends the wait before the task has ended cancels the task: the deadline, a failure,
/// or that nobody waits any more.
pub(crate) async fn follow(
    session: &Session,
    method: &str,
    seed: &RawValue,
    patience: Patience,
) -> Result<Box<RawValue>, Error> {
    let task = parse(method, seed)?;
    let mut guard = Cancel { session, task: Some(task.id.clone()) };
    let mut wait = task.poll();
    loop {
        tokio::time::sleep(wait).await;
        let state = look(session, &task.id, patience).await?;
        let task = parse(method, &state)?;
        wait = task.poll();
        match (task.status.as_str(), task.result) {
            ("input_required", _) => answer(session, method, &task, patience).await?,
            ("working", _) => {}
            ("completed" | "failed" | "cancelled", result) => {
                guard.task = None;
                return ended(method, &task, result);
            }
            (other, _) => {
                let reason = format!("unknown task status `{}`", wire::preview(other, 40));
                return Err(Error::protocol(method, reason));
            }
        }
    }
}

fn ended(method: &str, task: &Task<'_>, result: Option<&RawValue>) -> Result<Box<RawValue>, Error> {
    match (task.status.as_str(), result) {
        ("completed", Some(result)) => Ok(result.to_owned()),
        ("completed", None) => Err(Error::protocol(method, "a completed task has no `result`")),
        ("failed", _) => Err(failed(method, task)),
        _ => Err(Error::protocol(method, "the server cancelled the task")),
    }
}

/// Looks after a task. One failure on the way there says nothing of the task, so the look is repeated.
async fn look(session: &Session, id: &str, patience: Patience) -> Result<Box<RawValue>, Error> {
    let mut failures = 0;
    loop {
        match ask(session, "tasks/get", id, None, patience).await {
            Err(error) if failures < LOOKS && is_passing(&error) => {
                tracing::debug!(%error, "the task is looked after again");
                tokio::time::sleep(Backoff::default().random(failures)).await;
                failures += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Whether a failure is that of the way to the server, or of a moment.
fn is_passing(error: &Error) -> bool {
    match error {
        Error::Interrupted { .. } | Error::Unreachable { .. } | Error::Timeout { .. } => true,
        Error::Http { status, .. } => *status >= 500 || matches!(status, 408 | 429),
        _ => false,
    }
}

async fn answer(session: &Session, method: &str, task: &Task<'_>, patience: Patience) -> Result<(), Error> {
    let Some(requests) = task.input_requests else { return Ok(()) };
    let answers = questions::answer_all(session, requests).await.map_err(|reason| Error::protocol(method, reason))?;
    ask(session, "tasks/update", &task.id, Some(&answers), patience).await.map(drop)
}

async fn ask(
    session: &Session,
    method: &str,
    id: &str,
    answers: Option<&RawValue>,
    patience: Patience,
) -> Result<Box<RawValue>, Error> {
    let mut params = serde_json::Map::new();
    params.insert("taskId".to_owned(), id.into());
    if let Some(answers) = answers {
        let answers =
            serde_json::from_str(answers.get()).map_err(|error| Error::protocol(method, error.to_string()))?;
        params.insert("inputResponses".to_owned(), answers);
    }
    let params = RawValue::from_string(serde_json::Value::Object(params).to_string());
    let params = params.map_err(|error| Error::protocol(method, error.to_string()))?;
    let ask = Ask { method, params: Some(&params), name: Some(id), ..Ask::default() };
    session.ask(ask, patience).await
}

fn parse<'a>(method: &str, state: &'a RawValue) -> Result<Task<'a>, Error> {
    serde_json::from_str(state.get()).map_err(|error| Error::protocol(method, format!("task: {error}")))
}

fn failed(method: &str, task: &Task<'_>) -> Error {
    #[derive(Deserialize)]
    struct Wire {
        code: i64,
        #[serde(default)]
        message: String,
    }
    let error = task.error.and_then(|error| serde_json::from_str::<Wire>(error.get()).ok());
    match error {
        Some(Wire { code, message }) => Error::Rpc { method: method.to_owned(), error: RpcError::new(code, message) },
        None => Error::protocol(method, task.status_message.clone().unwrap_or_else(|| "the task failed".to_owned())),
    }
}

/// Sends `tasks/cancel` when dropped.
struct Cancel<'a> {
    session: &'a Session,
    task: Option<String>,
}

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        let Some(task) = self.task.take() else { return };
        let session = self.session;
        let params = serde_json::json!({"taskId": task}).to_string();
        let params = RawValue::from_string(params).ok();
        // Nobody waits for the answer: its id is not in the pending table, so it is dropped on arrival.
        if let Ok(params) = wire::with_meta(params.as_deref(), &session.modern_meta()) {
            session.inbox.post(wire::request(session.next_id(), "tasks/cancel", params.as_deref()));
        }
    }
}
