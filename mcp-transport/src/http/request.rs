//! A request, and when it is sent again because its failure may pass.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use ::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use reqwest::Response;
use tokio::time::Instant;
use url::Url;

use super::client::retry_after;
use super::link::UNAWAITED;
use crate::link::Repeat;
use crate::{Backoff, Error};

/// How often a request is sent again.
const PATIENCE: u32 = 3;

/// A server that asks to wait longer than this gets its error reported instead.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The waits before a request is sent again that did not get through: a server that is restarted, or its gateway.
const PASSING: Backoff = Backoff { first: Duration::from_millis(200), ceiling: Duration::from_secs(2) };

/// One request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    repeat: Repeat,
    /// Nobody waits for an answer any longer.
    until: Instant,
}

impl Request {
    /// A request that may change something and that somebody waits for as long as for a message without an answer.
    pub(crate) fn new(method: Method, url: &Url, headers: HeaderMap) -> Self {
        let until = Instant::now() + UNAWAITED;
        Self { method, url: url.clone(), headers, body: None, repeat: Repeat::Never, until }
    }

    pub(crate) fn with_body(mut self, body: String) -> Self {
        self.body = Some(Bytes::from(body));
        self
    }

    pub(crate) fn repeated(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    pub(crate) fn until(mut self, until: Instant) -> Self {
        self.until = until;
        self
    }

    /// How long to wait before sending again, when the server said "not now", or was not there, and asking again does no harm.
    /// A wait that would be longer than anybody waits for the answer is no use: what the server said is reported instead.
    pub(super) fn polite_wait(&self, outcome: &Result<Response, Error>, waits: u32) -> Option<Duration> {
        let wait = match outcome {
            Ok(response) => self.asked_to_wait(response.status(), retry_after(response.headers()), waits)?,
            Err(error) if self.did_not_get_through(error) => PASSING.random(waits),
            Err(_) => return None,
        };
        let is_in_time = Instant::now() + wait.min(LONGEST_WAIT) < self.until;
        (waits < PATIENCE && wait <= LONGEST_WAIT && is_in_time).then_some(wait)
    }

    fn asked_to_wait(&self, status: StatusCode, asked: Option<Duration>, waits: u32) -> Option<Duration> {
        match status {
            StatusCode::TOO_MANY_REQUESTS => Some(asked.unwrap_or_else(|| Backoff::default().random(waits))),
            // Who says when to come back has not done anything yet.
            StatusCode::SERVICE_UNAVAILABLE if asked.is_some() => asked,
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
                if self.repeat == Repeat::WhenUnavailable =>
            {
                Some(asked.unwrap_or_else(|| PASSING.random(waits)))
            }
            _ => None,
        }
    }

    fn did_not_get_through(&self, error: &Error) -> bool {
        match error {
            // Nothing was sent.
            Error::Unreachable { source, .. } => is_refusal(&**source),
            Error::Interrupted { .. } => self.repeat != Repeat::Never,
            _ => false,
        }
    }
}

/// Whether a connection was refused or cut while it was made, as it is where a server is restarted. A name that nobody knows
/// and a certificate that is not trusted stay what they are.
fn is_refusal(error: &(dyn StdError + 'static)) -> bool {
    let mut level = Some(error);
    while let Some(error) = level {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
            return matches!(error.kind(), ConnectionRefused | ConnectionReset | ConnectionAborted);
        }
        level = error.source();
    }
    false
}
