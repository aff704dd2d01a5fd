//! Puts a server's questions to the handler, one at a time, and sends the answers back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::inbox::Queued;
use crate::session::Session;
use crate::wire::{self, Members};
use crate::{Elicitation, Handler, LogRecord, Progress, RpcError};

/// Serves one connection's queue until the connection ends.
pub(crate) async fn serve(session: Arc<Session>, mut queue: mpsc::Receiver<Queued>) {
    while let Some(queued) = queue.recv().await {
        session.inbox.taken(&queued);
        match queued {
            Queued::Request { id, method, params } => {
                let limit = session.options.timeouts.call_total;
                let answer = tokio::select! {
                    biased;
                    () = session.inbox.withdrawals.of(id.get()) => continue,
                    answer = tokio::time::timeout(limit, answer(&session, &method, params.as_deref())) => answer,
                };
                // No call waits longer than this, so nobody can want the answer any more.
                let late = |_late| Err(RpcError::new(RpcError::INTERNAL_ERROR, "nobody answered in time"));
                let answer = answer.unwrap_or_else(late);
                let answer = match answer {
                    Ok(result) => wire::response(&id, &result),
                    Err(error) => wire::error_response(&id, &error),
                };
                let posting = session.inbox.post_waiting(answer);
                if tokio::time::timeout(session.options.timeouts.call, posting).await.is_err() {
                    tracing::debug!("answer dropped: the server does not read");
                }
            }
            Queued::Log(params) => hear_log(&session, &params),
            Queued::Progress(params) => hear_progress(&session, &params),
        }
    }
}

fn hear_log(session: &Session, params: &RawValue) {
    let Some(handler) = &session.options.handler else { return };
    match serde_json::from_str::<LogRecord>(&session.options.sent.scrub(params.get())) {
        Ok(record) => handler.log(&session.options.label, record),
        Err(_) => session.inbox.count_noise(),
    }
}

fn hear_progress(session: &Session, params: &RawValue) {
    let Some(handler) = &session.options.handler else { return };
    match serde_json::from_str::<Progress>(&session.options.sent.scrub(params.get())) {
        Ok(progress) => handler.progress(&session.options.label, progress),
        Err(_) => session.inbox.count_noise(),
    }
}

/// The handler's answer to one question. A handler that panics has declined, and the connection lives on.
pub(crate) async fn answer(
    session: &Session,
    method: &str,
    params: Option<&RawValue>,
) -> Result<Box<RawValue>, RpcError> {
    let unsupported = || RpcError::new(RpcError::METHOD_NOT_FOUND, format!("`{method}` is not supported"));
    let handler = session.options.handler.as_ref().ok_or_else(unsupported)?;
    let _one_at_a_time = session.asking.lock().await;
    let answering = AssertUnwindSafe(ask_handler(&**handler, &session.options.label, method, params));
    let failed = |_panic| Err(RpcError::new(RpcError::INTERNAL_ERROR, "the client failed to answer"));
    answering.catch_unwind().await.unwrap_or_else(failed)
}

async fn ask_handler(
    handler: &dyn Handler,
    server: &str,
    method: &str,
    params: Option<&RawValue>,
) -> Result<Box<RawValue>, RpcError> {
    let features = handler.features();
    let missing = || RpcError::new(RpcError::INVALID_PARAMS, "`params` is missing");
    match method {
        "elicitation/create" if features.elicitation_form || features.elicitation_url => {
            let question = Elicitation::parse(params.ok_or_else(missing)?)?;
            let offered = match question {
                Elicitation::Form { .. } => features.elicitation_form,
                Elicitation::Url { .. } => features.elicitation_url,
            };
            if !offered {
                return Err(RpcError::new(RpcError::INVALID_PARAMS, "this elicitation mode is not supported"));
            }
            raw_json(handler.elicit(server, question).await.to_json())
        }
        "sampling/createMessage" if features.sampling => handler.sample(server, params.ok_or_else(missing)?).await,
        "roots/list" if features.roots => {
            let roots = handler.roots(server).await;
            raw_json(serde_json::json!({"roots": roots}).to_string())
        }
        _ => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, format!("`{method}` is not supported"))),
    }
}

fn raw_json(text: String) -> Result<Box<RawValue>, RpcError> {
    RawValue::from_string(text).map_err(|error| RpcError::new(RpcError::INTERNAL_ERROR, error.to_string()))
}

/// Questions one result may ask at once.
const QUESTIONS: usize = 100;

/// Answers `inputRequests`, in their order, and returns `inputResponses` as JSON text.
///
/// # Errors
///
/// Why no answer can be given: the server asks for something that was not offered.
pub(crate) async fn answer_all(session: &Session, requests: &RawValue) -> Result<Box<RawValue>, String> {
    #[derive(Deserialize)]
    struct Question<'a> {
        method: String,
        #[serde(borrow)]
        params: Option<&'a RawValue>,
    }
    let requests = Members::parse(requests.get()).map_err(|error| format!("`inputRequests`: {error}"))?;
    let mut answers = Members::default();
    for (position, (key, request)) in requests.iter().enumerate() {
        if position == QUESTIONS {
            return Err(format!("more than {QUESTIONS} questions at once"));
        }
        let question: Question<'_> =
            serde_json::from_str(request.get()).map_err(|error| format!("input request `{key}`: {error}"))?;
        let answer = answer(session, &question.method, question.params).await;
        let answer = answer.map_err(|error| format!("input request `{key}`: {}", error.message))?;
        answers.set(key, answer);
    }
    let mut text = String::new();
    answers.write(&mut text);
    RawValue::from_string(text).map_err(|error| error.to_string())
}
