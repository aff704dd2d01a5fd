//! HTTP+SSE of 2024-11-05: one event stream brings everything in, POSTs to the address it names carry everything out.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::http::header::ACCEPT;
use ::http::{HeaderMap, HeaderValue, Method};
use tokio::sync::mpsc;
use tokio::time::Instant;
use url::Url;

use super::client::{HttpClient, has_media_type};
use super::events::Events;
use super::link::{EVENT_STREAM, post_headers};
use super::posting::Posting;
use super::request::Request;
use super::{HttpOptions, origin, shown};
use crate::inbox::{Closure, Inbox};
use crate::link::{Outgoing, Repeat};
use crate::owned_tasks::OwnedTasks;
use crate::{ConnectOptions, Error};

/// The link to one HTTP+SSE server. Dropping it ends the stream.
pub(crate) struct SseLink {
    client: Arc<HttpClient>,
    /// Where messages go, as the server said.
    target: Url,
    inbox: Arc<Inbox>,
    posting: Posting,
    reading: OwnedTasks,
}

impl fmt::Debug for SseLink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SseLink")
            .field("client", &self.client)
            .field("target", &origin(&self.target))
            .finish_non_exhaustive()
    }
}

impl SseLink {
    /// Opens the stream and waits for the address to post to.
    pub(crate) async fn open(
        options: &HttpOptions,
        connect: &ConnectOptions,
        inbox: Arc<Inbox>,
        outbox: mpsc::Receiver<String>,
    ) -> Result<Self, Error> {
        let client = Arc::new(HttpClient::new(options, connect)?);
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        let until = Instant::now() + connect.timeouts.connect;
        let opening = Request::new(Method::GET, &client.url, headers).repeated(Repeat::WhenUnavailable).until(until);
        let response = client.exchange(opening).await?;
        if !response.status().is_success() || !has_media_type(response.headers(), EVENT_STREAM) {
            return Err(client.status_error(response).await);
        }
        let mut events = Events::new(response, connect.limits.message, connect.timeouts.idle);
        let target = target(&client, &mut events).await?;
        let (posting, address) = (client.clone(), target.clone());
        let posting = Posting::start(outbox, move |message| {
            let (client, message) = (posting.clone(), message_to(&address, message));
            async move { post(&client, message).await }
        });
        let reading = OwnedTasks::default();
        reading.add(tokio::spawn(read(events, inbox.clone())).abort_handle());
        Ok(Self { client, target, inbox, posting, reading })
    }

    pub(crate) async fn send(&self, outgoing: Outgoing) -> Result<(), Error> {
        let request = message_to(&self.target, outgoing.body);
        post(&self.client, request.repeated(outgoing.repeat).until(outgoing.until)).await
    }

    pub(crate) async fn notify(&self, body: String) -> Result<(), Error> {
        post(&self.client, message_to(&self.target, body)).await
    }

    /// Sends what is still to be said, and ends the stream.
    pub(crate) async fn shutdown(&self, grace: Duration) {
        self.inbox.close(&Closure::other("shut down by this client"));
        self.posting.settle(grace).await;
        self.release();
    }

    pub(crate) fn release(&self) {
        self.inbox.close(&Closure::other("shut down by this client"));
        self.posting.abort();
        self.reading.abort();
    }
}

fn message_to(target: &Url, body: String) -> Request {
    let mut headers = HeaderMap::new();
    post_headers(&mut headers);
    Request::new(Method::POST, target, headers).with_body(body)
}

async fn post(client: &HttpClient, request: Request) -> Result<(), Error> {
    let response = client.exchange(request).await?;
    if response.status().is_success() { Ok(()) } else { Err(client.status_error(response).await) }
}

/// The address in the first `endpoint` event. It must be on the same server: it will see headers and logins.
async fn target(client: &HttpClient, events: &mut Events) -> Result<Url, Error> {
    let base = &client.url;
    let broken = |reason: String| Error::protocol("endpoint", reason);
    loop {
        let event = match events.next().await {
            Ok(event) => event,
            Err(ending) => return Err(broken(format!("{ending} before the `endpoint` event"))),
        };
        if event.event.as_deref() != Some("endpoint") {
            continue;
        }
        let data = event.data.unwrap_or_default();
        let target = base.join(data.trim()).map_err(|error| broken(format!("`endpoint` is no address: {error}")))?;
        if target.origin() != base.origin() {
            return Err(Error::Redirect {
                url: client.shown(base),
                target: shown(&target),
                reason: "another server, which must not see headers and logins",
            });
        }
        return Ok(target);
    }
}

async fn read(mut events: Events, inbox: Arc<Inbox>) {
    loop {
        match events.next().await {
            Ok(event) => {
                let is_message = event.event.as_deref().is_none_or(|name| name.is_empty() || name == "message");
                if let Some(data) = event.data.filter(|_| is_message) {
                    inbox.receive(data.as_bytes());
                }
            }
            Err(ending) => return inbox.close(&Closure::other(&ending.to_string())),
        }
    }
}
