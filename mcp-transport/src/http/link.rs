//! Streamable HTTP: every message is a POST, whose response is the answer or a stream that holds it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::http::header::ACCEPT;
use ::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use reqwest::Response;
use sse_stream::Sse;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::client::{HttpClient, has_media_type};
use super::events::{Ending, Events};
use super::posting::Posting;
use super::request::Request;
use super::tool_headers::header_value;
use super::{HttpOptions, page};
use crate::inbox::{Closure, Inbox};
use crate::link::{Outgoing, subject};
use crate::owned_tasks::OwnedTasks;
use crate::subscriptions::{LISTEN, REFUSALS, is_final, is_login};
use crate::wire::{self, Failure, Message, ReplyId, preview};
use crate::{Backoff, Change, ConnectOptions, Error};

pub(super) const EVENT_STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// A message that nobody waits for takes this long at most.
pub(super) const UNAWAITED: Duration = Duration::from_secs(10);

/// What a legacy server's own stream may have said.
const ANYTHING: [Change; 3] = [Change::Tools, Change::Resources, Change::Prompts];

/// How long a handshake waits for the server's own stream to open.
const OPENING: Duration = Duration::from_millis(250);

/// How long a response whose answer is known may go on before its connection is given up.
const DRAIN: Duration = Duration::from_millis(200);

/// Failures in a row after which a stream is not resumed any more.
const RESUMES: u32 = 5;

/// A server that asks for less between two tries gets this.
const SHORTEST_RETRY: Duration = Duration::from_millis(50);

/// The link to one Streamable HTTP server. Dropping it ends its streams.
#[derive(Debug)]
pub(crate) struct HttpLink {
    shared: Arc<Shared>,
    posting: Posting,
    listener: OwnedTasks,
}

#[derive(Debug)]
struct Shared {
    client: HttpClient,
    inbox: Arc<Inbox>,
    message_limit: usize,
    idle: Duration,
    state: Mutex<State>,
    /// Responses that are read to their end so that their connections can be used again.
    draining: OwnedTasks,
}

#[derive(Debug, Default, Clone)]
struct State {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
    modern: bool,
}

impl HttpLink {
    pub(crate) fn open(
        options: &HttpOptions,
        connect: &ConnectOptions,
        inbox: Arc<Inbox>,
        outbox: mpsc::Receiver<String>,
    ) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            client: HttpClient::new(options, connect)?,
            inbox,
            message_limit: connect.limits.message,
            idle: connect.timeouts.idle,
            state: Mutex::default(),
            draining: OwnedTasks::default(),
        });
        let posting = shared.clone();
        let posting = Posting::start(outbox, move |message| {
            let posting = posting.clone();
            async move { posting.post(message).await }
        });
        Ok(Self { shared, posting, listener: OwnedTasks::default() })
    }

    /// Sends a request and delivers everything the response holds, up to the answer.
    pub(crate) async fn send(&self, outgoing: Outgoing) -> Result<(), Error> {
        let shared = &self.shared;
        let state = shared.state();
        let request = Request::new(Method::POST, &shared.client.url, request_headers(&state, &outgoing))
            .with_body(outgoing.body)
            .repeated(outgoing.repeat)
            .until(outgoing.until);
        let response = match outgoing.method.as_str() {
            LISTEN => shared.stream(request).await?,
            _ => shared.client.exchange(request).await?,
        };
        if !response.status().is_success() {
            return shared.refused(response, outgoing.id, state.session.is_some()).await;
        }
        if outgoing.method == "initialize" {
            let mut session = response.headers().get(SESSION).cloned();
            // Whoever knows it can speak in this session.
            if let Some(session) = &mut session {
                session.set_sensitive(true);
            }
            shared.state_mut(|state| state.session = session);
        }
        if has_media_type(response.headers(), EVENT_STREAM) {
            return shared.read_events(response, outgoing.id).await;
        }
        shared.read_single(response, outgoing.id).await
    }

    pub(crate) async fn notify(&self, body: String) -> Result<(), Error> {
        self.shared.post(body).await
    }

    pub(crate) fn established(&self, version: &str, modern: bool) {
        self.shared.state_mut(|state| {
            state.version = HeaderValue::from_str(version).ok();
            state.modern = modern;
        });
    }

    /// Opens the stream on which a legacy server says things on its own; without a session it has none.
    ///
    /// Waits a moment for it to be open, so that nothing is said before; a server that is slow to open it loses that.
    pub(crate) async fn listen(&self) {
        self.listener.abort();
        let state = self.shared.state();
        if state.session.is_some() && !state.modern {
            let (opened, is_open) = oneshot::channel();
            let shared = self.shared.clone();
            self.listener.add(tokio::spawn(async move { shared.listen(opened).await }).abort_handle());
            drop(tokio::time::timeout(OPENING, is_open).await);
        }
    }

    pub(crate) fn has_session(&self) -> bool {
        self.shared.state().session.is_some()
    }

    pub(crate) fn forget_session(&self) {
        self.listener.abort();
        self.shared.state_mut(|state| *state = State::default());
    }

    /// Sends what is still to be said, tells the server that its session is over, and ends all streams.
    pub(crate) async fn shutdown(&self, grace: Duration) {
        self.shared.inbox.close(&Closure::other("shut down by this client"));
        self.posting.settle(grace).await;
        let state = self.shared.state();
        if state.session.is_some() {
            let client = &self.shared.client;
            let request = Request::new(Method::DELETE, &client.url, state.headers()).until(Instant::now() + grace);
            let deletion = client.exchange(request);
            if !matches!(tokio::time::timeout(grace, deletion).await, Ok(Ok(_))) {
                tracing::debug!("the server was not told that its session is over");
            }
        }
        self.release();
    }

    pub(crate) fn release(&self) {
        self.shared.inbox.close(&Closure::other("dropped by this client"));
        self.listener.abort();
        self.posting.abort();
    }
}

impl State {
    /// What every request of a session carries.
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.extend(self.session.clone().map(|session| (SESSION, session)));
        headers.extend(self.version.clone().map(|version| (VERSION, version)));
        headers
    }
}

fn request_headers(state: &State, outgoing: &Outgoing) -> HeaderMap {
    let mut headers = state.headers();
    post_headers(&mut headers);
    if let Some(version) = outgoing.version {
        headers.insert(VERSION, HeaderValue::from_static(version));
    }
    if state.modern || outgoing.version.is_some() {
        route(&mut headers, &outgoing.method, outgoing.name.as_deref());
        headers.extend(outgoing.headers.clone());
    }
    headers
}

/// Repeats what a message is and what it is about, so that gateways need not read bodies.
fn route(headers: &mut HeaderMap, method: &str, name: Option<&str>) {
    headers.extend(header_value(method).map(|method| (HeaderName::from_static("mcp-method"), method)));
    headers.extend(name.and_then(header_value).map(|name| (HeaderName::from_static("mcp-name"), name)));
}

pub(super) fn post_headers(headers: &mut HeaderMap) {
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(::http::header::CONTENT_TYPE, HeaderValue::from_static(JSON));
}

impl Shared {
    fn state(&self) -> State {
        self.state_mut(|state| state.clone())
    }

    fn state_mut<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends a message that has no answer.
    async fn post(&self, body: String) -> Result<(), Error> {
        let state = self.state();
        let mut headers = state.headers();
        post_headers(&mut headers);
        if let Message::Request { method, params, .. } = wire::decode(body.as_bytes())
            && state.modern
        {
            route(&mut headers, &method, subject(&method, params).as_deref());
        }
        let request = Request::new(Method::POST, &self.client.url, headers).with_body(body);
        let response = self.client.exchange(request).await?;
        if !response.status().is_success() {
            return Err(self.client.status_error(response).await);
        }
        let events = self.events(response);
        self.drain(events);
        Ok(())
    }

    /// Reads what is left of a response, which is nothing as a rule, and gives its connection back.
    fn drain(&self, mut events: Events) {
        let rest = async move { while events.next().await.is_ok() {} };
        let draining = tokio::spawn(async move { drop(tokio::time::timeout(DRAIN, rest).await) });
        self.draining.add(draining.abort_handle());
    }

    /// A status that is no success: perhaps with a JSON-RPC error, which says more.
    async fn refused(&self, response: Response, id: u64, had_session: bool) -> Result<(), Error> {
        let status = response.status();
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(Error::SessionExpired);
        }
        let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if is_login || !has_media_type(response.headers(), JSON) {
            return Err(self.client.status_error(response).await);
        }
        let url = self.client.shown(response.url());
        let Some(body) = self.client.body(response, self.message_limit).await? else {
            self.fail_oversized(id);
            return Ok(());
        };
        // A refusal often cannot name the request it is for; over HTTP there is no doubt which one that is.
        if let Message::Reply { outcome: Err(Failure::Refused(mut error)), .. } = wire::decode(&body) {
            error.http_status = Some(status.as_u16());
            self.inbox.fail(id, |method| Error::Rpc { method, error });
            return Ok(());
        }
        let detail = self.client.excerpt(&body);
        Err(Error::Http { url, status: status.as_u16(), detail, retry_after: None })
    }

    fn fail_oversized(&self, id: u64) {
        let limit = self.message_limit;
        self.inbox.fail(id, |method| Error::TooLarge { method, limit });
    }

    async fn read_single(&self, response: Response, id: u64) -> Result<(), Error> {
        let Some(body) = self.client.body(response, self.message_limit).await? else {
            self.fail_oversized(id);
            return Ok(());
        };
        self.inbox.receive(&body);
        self.inbox.fail(id, |method| {
            let text = String::from_utf8_lossy(&body);
            let quoted = || if text.is_empty() { "nothing".to_owned() } else { format!("`{}`", preview(&text, 200)) };
            let found = page::described(&text).unwrap_or_else(quoted);
            Error::protocol(&method, format!("the response holds no answer, but {found}"))
        });
        Ok(())
    }

    /// Delivers a stream's messages until request `id` is answered, resuming the stream where the server allows it.
    async fn read_events(&self, response: Response, id: u64) -> Result<(), Error> {
        let mut events = self.events(response);
        let mut place = Place::default();
        while self.inbox.is_pending(id) {
            match events.next().await {
                Ok(event) if events.is_cut_off() => self.deliver_cut_off(&event),
                Ok(event) => self.deliver(event, &mut place),
                Err(Ending::TooLarge) => self.fail_oversized(id),
                Err(ending) => match self.resume(&mut place, &ending).await? {
                    Some(resumed) => events = resumed,
                    None => drop(
                        self.inbox.fail(id, |method| Error::protocol(&method, format!("{ending} before the answer"))),
                    ),
                },
            }
        }
        self.drain(events);
        Ok(())
    }

    fn events(&self, response: Response) -> Events {
        Events::new(response, self.message_limit, self.idle)
    }

    /// An event without its end is to be discarded, as it may be cut short; but what is complete and awaited is not cut.
    fn deliver_cut_off(&self, event: &Sse) {
        let Some(data) = &event.data else { return };
        self.inbox.count_noise();
        if let Message::Reply { id: ReplyId::Ours(id), .. } = wire::decode(data.as_bytes())
            && self.inbox.is_pending(id)
        {
            tracing::debug!("the stream ended within its last event, which is complete");
            self.inbox.receive(data.as_bytes());
        }
    }

    fn deliver(&self, event: Sse, place: &mut Place) {
        place.note(&event);
        let is_message = event.event.as_deref().is_none_or(|name| name.is_empty() || name == "message");
        if let Some(data) = event.data.filter(|data| is_message && !data.is_empty()) {
            self.inbox.receive(data.as_bytes());
        }
    }

    /// Opens the stream again behind the last event; `None` where the server gave no such place.
    ///
    /// What else a stream would have brought that is not opened again is lost.
    async fn resume(&self, place: &mut Place, ending: &Ending) -> Result<Option<Events>, Error> {
        if self.state().modern {
            // Its changes come on a stream of their own.
            return Ok(None);
        }
        let resumed = self.resume_legacy(place, ending).await;
        if !matches!(resumed, Ok(Some(_))) {
            self.inbox.missed(&ANYTHING);
        }
        resumed
    }

    async fn resume_legacy(&self, place: &mut Place, ending: &Ending) -> Result<Option<Events>, Error> {
        let Some(last) = place.last.clone() else { return Ok(None) };
        loop {
            place.failures += 1;
            if place.failures > RESUMES {
                let source = ending.to_string().into();
                return Err(Error::Interrupted { url: self.client.shown(&self.client.url), source });
            }
            tokio::time::sleep(place.wait()).await;
            match self.open_stream(Some(last.clone())).await {
                Ok(events) => return Ok(Some(events)),
                Err(error @ (Error::Http { .. } | Error::AuthRequired { .. })) => return Err(error),
                Err(error) => tracing::debug!(%error, "stream not resumed yet"),
            }
        }
    }

    /// A response that may go on for ever. Its head may be as late as its first byte, and no later than any other.
    async fn stream(&self, request: Request) -> Result<Response, Error> {
        let late = |_late| {
            let source = format!("no byte for {:?}", self.idle).into();
            Err(Error::Interrupted { url: self.client.shown(&self.client.url), source })
        };
        tokio::time::timeout(self.idle, self.client.exchange(request)).await.unwrap_or_else(late)
    }

    async fn open_stream(&self, last: Option<HeaderValue>) -> Result<Events, Error> {
        let mut headers = self.state().headers();
        headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        headers.extend(last.map(|last| (LAST_EVENT, last)));
        let response = self.stream(Request::new(Method::GET, &self.client.url, headers)).await?;
        if response.status().is_success() && has_media_type(response.headers(), EVENT_STREAM) {
            return Ok(self.events(response));
        }
        Err(self.client.status_error(response).await)
    }

    /// Hears what a legacy server says on its own, until it says that it will not.
    async fn listen(&self, opened: oneshot::Sender<()>) {
        let (mut place, mut opened, mut was_open) = (Place::default(), Some(opened), false);
        for attempt in 0_u64.. {
            let stream = self.open_stream(place.last.clone()).await;
            // Whoever waited for the first try may go on, whatever came of it.
            drop(opened.take());
            match stream {
                Ok(mut events) => {
                    (place.refusals, was_open) = (0, true);
                    // A server that numbers its events sends those that were missed; of others nobody heard them.
                    if attempt > 0 && place.last.is_none() {
                        self.inbox.missed(&ANYTHING);
                    }
                    while let Ok(event) = events.next().await {
                        self.deliver(event, &mut place);
                    }
                    // A stream that opened and said nothing is a failure too: such servers would be asked at full speed.
                    place.failures += 1;
                }
                Err(error) if place.refusals < REFUSALS && is_login(&error) => {
                    // Whoever is answered next has logged in again.
                    place.refusals += 1;
                    self.inbox.next_answer().await;
                    place.failures = 0;
                }
                Err(error) if error.http_status().is_some_and(is_final) => {
                    if was_open {
                        // Nobody listens from now on: whoever asks finds out what has changed, and whether the session is lost.
                        self.inbox.missed(&ANYTHING);
                    }
                    return;
                }
                Err(_) => place.failures += 1,
            }
            tokio::time::sleep(place.wait()).await;
        }
    }
}

/// How far a stream was read, and how its server wants to be asked for the rest.
#[derive(Debug, Default)]
struct Place {
    last: Option<HeaderValue>,
    retry: Option<Duration>,
    failures: u32,
    /// How often a login was wanted since the stream was open.
    refusals: u32,
}

impl Place {
    fn note(&mut self, event: &Sse) {
        self.failures = 0;
        if let Some(id) = event.id.as_deref().filter(|id| !id.is_empty()) {
            self.last = HeaderValue::from_str(id).ok();
        }
        self.retry = event.retry.map(Duration::from_millis).or(self.retry);
    }

    fn wait(&self) -> Duration {
        let backoff = Backoff::default();
        match self.retry {
            Some(retry) => retry.clamp(SHORTEST_RETRY, backoff.ceiling),
            None => backoff.random(self.failures.saturating_sub(1)),
        }
    }
}
