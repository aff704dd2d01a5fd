//! Calls that need more than one exchange: questions in between, or a task to wait for.
//!
//! See [multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::scope::Patience;
use crate::session::{Ask, Session};
use crate::wire::Members;
use crate::{Backoff, Error, questions, tasks};

/// The wait before a request is repeated that only needed its state echoed.
const STATE_ONLY: Backoff = Backoff { first: Duration::from_millis(50), ceiling: Duration::from_secs(1) };

/// What a result says about itself.
#[derive(Debug)]
enum Outcome<'a> {
    Complete,
    InputRequired { requests: Option<&'a RawValue>, state: Option<&'a RawValue> },
    Task,
}

/// Asks until the result is final, answering what the server wants to know in between; all of it within `patience`.
pub(crate) async fn ask(session: &Session, ask: Ask<'_>, patience: Patience) -> Result<Box<RawValue>, Error> {
    patience.hold(ask.method, Box::pin(ask_in_rounds(session, &ask, patience))).await
}

async fn ask_in_rounds(session: &Session, ask: &Ask<'_>, patience: Patience) -> Result<Box<RawValue>, Error> {
    let rounds = session.options.limits.input_rounds;
    let mut retry: Option<Box<RawValue>> = None;
    for round in 0..=rounds {
        let again = Ask {
            method: ask.method,
            params: retry.as_deref().or(ask.params),
            tracked: ask.tracked,
            name: ask.name,
            headers: ask.headers.clone(),
            is_repeatable: ask.is_repeatable,
        };
        let result = session.ask(again, patience).await?;
        if !session.is_modern() {
            return Ok(result);
        }
        match outcome(&result).map_err(|reason| Error::protocol(ask.method, reason))? {
            Outcome::Complete => return Ok(result),
            Outcome::Task => return tasks::follow(session, ask.method, &result, patience).await,
            Outcome::InputRequired { requests, state } => {
                if requests.is_none() {
                    tokio::time::sleep(STATE_ONLY.random(u32::try_from(round).unwrap_or(u32::MAX))).await;
                }
                let answers = match requests {
                    Some(requests) => Some(questions::answer_all(session, requests).await),
                    None => None,
                };
                let answers = answers.transpose().map_err(|reason| Error::protocol(ask.method, reason))?;
                retry = Some(
                    with_answers(ask.params, answers, state)
                        .map_err(|error| Error::protocol(ask.method, error.to_string()))?,
                );
            }
        }
    }
    Err(Error::protocol(ask.method, format!("the server still wants input after {rounds} rounds")))
}

fn outcome(result: &RawValue) -> Result<Outcome<'_>, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Kind<'a> {
        #[serde(borrow, default)]
        result_type: Option<Cow<'a, str>>,
        #[serde(borrow, default)]
        input_requests: Option<&'a RawValue>,
        #[serde(borrow, default)]
        request_state: Option<&'a RawValue>,
    }
    if !result.get().contains(r#""resultType""#) {
        return Ok(Outcome::Complete);
    }
    let kind: Kind<'_> = serde_json::from_str(result.get()).map_err(|error| error.to_string())?;
    match kind.result_type.as_deref() {
        None | Some("complete") => Ok(Outcome::Complete),
        Some("task") => Ok(Outcome::Task),
        Some("input_required") if kind.input_requests.is_none() && kind.request_state.is_none() => {
            Err("`input_required` without `inputRequests` and `requestState`".to_owned())
        }
        Some("input_required") => {
            Ok(Outcome::InputRequired { requests: kind.input_requests, state: kind.request_state })
        }
        Some(other) => Err(format!("unknown `resultType` `{}`", crate::wire::preview(other, 40))),
    }
}

/// The original parameters with the answers, and with the server's state exactly as it came.
fn with_answers(
    params: Option<&RawValue>,
    answers: Option<Box<RawValue>>,
    state: Option<&RawValue>,
) -> Result<Box<RawValue>, serde_json::Error> {
    let mut members = params.map(|params| Members::parse(params.get())).transpose()?.unwrap_or_default();
    if let Some(answers) = answers {
        members.set("inputResponses", answers);
    }
    if let Some(state) = state {
        members.set("requestState", state.to_owned());
    }
    let mut text = String::new();
    members.write(&mut text);
    RawValue::from_string(text)
}

#[cfg(test)]
mod tests;
