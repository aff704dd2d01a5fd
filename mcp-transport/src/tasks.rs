//! Calls that a server turned into tasks: polled to their end, cancelled when nobody waits.
//!
//! See the [tasks extension](https://modelcontextprotocol.io/extensions/tasks) (`io.modelcontextprotocol/tasks`).

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::{
    Error, RpcError, questions,
    session::{Ask, Patience, Session},
    wire,
};

/// Between two looks, unless the server says otherwise.
const POLL: Duration = Duration::from_secs(1);

/// Whatever the server says, looks are this far apart at least and at most.
const POLL_BOUNDS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(30));

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
/// The call's total timeout bounds the wait. A dropped future cancels the task.
pub(crate) async fn follow(session: &Session, method: &str, seed: &RawValue) -> Result<Box<RawValue>, Error> {
    let task = parse(method, seed)?;
    let guard = Cancel { session, task: Some(task.id.clone()) };
    let started = Instant::now();
    let total = session.options.timeouts.call_total;
    let polling = poll_to_end(session, method, &task.id, task.poll());
    match tokio::time::timeout(total, polling).await {
        Ok(outcome) => {
            guard.disarm();
            outcome
        }
        Err(_) => Err(Error::Timeout { method: method.to_owned(), after: started.elapsed() }),
    }
}

async fn poll_to_end(session: &Session, method: &str, id: &str, mut wait: Duration) -> Result<Box<RawValue>, Error> {
    loop {
        tokio::time::sleep(wait).await;
        let state = ask(session, "tasks/get", id, None).await?;
        let task = parse(method, &state)?;
        wait = task.poll();
        match (task.status.as_str(), task.result) {
            ("completed", Some(result)) => return Ok(result.to_owned()),
            ("completed", None) => return Err(Error::protocol(method, "a completed task has no `result`")),
            ("failed", _) => return Err(failed(method, &task)),
            ("cancelled", _) => return Err(Error::protocol(method, "the server cancelled the task")),
            ("input_required", _) => answer(session, method, id, task.input_requests).await?,
            ("working", _) => {}
            (other, _) => {
                let reason = format!("unknown task status `{}`", wire::preview(other, 40));
                return Err(Error::protocol(method, reason));
            }
        }
    }
}

async fn answer(session: &Session, method: &str, id: &str, requests: Option<&RawValue>) -> Result<(), Error> {
    let Some(requests) = requests else { return Ok(()) };
    let answers = questions::answer_all(session, requests).await.map_err(|reason| Error::protocol(method, reason))?;
    ask(session, "tasks/update", id, Some(&answers)).await.map(drop)
}

async fn ask(session: &Session, method: &str, id: &str, answers: Option<&RawValue>) -> Result<Box<RawValue>, Error> {
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
    session.ask(ask, Patience::fixed(session.options.timeouts.call)).await
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

impl Cancel<'_> {
    fn disarm(mut self) {
        self.task = None;
    }
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
