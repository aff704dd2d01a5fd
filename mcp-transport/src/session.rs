//! Requests and their answers, whatever carries them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ::http::HeaderMap;
use serde_json::value::RawValue;

use crate::era::MODERN_VERSION;
use crate::handshake::Peer;
use crate::http::ToolHeaders;
use crate::inbox::{Inbox, Ticket};
use crate::link::{Link, Outgoing, Repeat};
use crate::renewal::{OwnRefusals, Renewals};
use crate::scope::Patience;
use crate::{ConnectOptions, Era, Error, wire};

/// The prefix of the protocol's own members of `_meta`.
const META: &str = "io.modelcontextprotocol";

/// Of tools with longer names nothing is remembered: names are a line, and bounds count bytes.
const LONGEST_NAME: usize = 1 << 10;

/// One connection's state, shared by its callers and its background tasks.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) link: Link,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) options: ConnectOptions,
    next_id: AtomicU64,
    peer: OnceLock<Peer>,
    /// Held while a question is put to the handler: one at a time, whichever way it came.
    pub(crate) asking: tokio::sync::Mutex<()>,
    /// Held while a handshake is under way.
    pub(crate) renewals: tokio::sync::Mutex<Renewals>,
    own_refusals: Mutex<OwnRefusals>,
    tool_headers: Mutex<HashMap<String, ToolHeaders>>,
    /// The tools that say they change nothing.
    read_only: Mutex<HashSet<String>>,
}

/// What happens to a request that nobody waits for any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Abandoned {
    /// The server is told.
    IsCancelled,
    /// Nothing: a handshake must not be cancelled.
    IsForgotten,
}

/// What to ask.
#[derive(Debug, Default)]
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a RawValue>,
    /// Ask for progress notifications.
    pub(crate) tracked: bool,
    /// What the method is about, for gateways.
    pub(crate) name: Option<&'a str>,
    pub(crate) headers: HeaderMap,
    /// Its caller says that asking twice is asking once.
    pub(crate) is_repeatable: bool,
}

impl Session {
    pub(crate) fn new(link: Link, inbox: Arc<Inbox>, options: ConnectOptions) -> Self {
        Self {
            link,
            inbox,
            options,
            next_id: AtomicU64::new(1),
            peer: OnceLock::new(),
            asking: tokio::sync::Mutex::default(),
            renewals: tokio::sync::Mutex::default(),
            own_refusals: Mutex::default(),
            tool_headers: Mutex::default(),
            read_only: Mutex::default(),
        }
    }

    /// What the handshake found out; empty before.
    pub(crate) fn peer(&self) -> Option<&Peer> {
        self.peer.get()
    }

    /// Notes what the first handshake found out.
    pub(crate) async fn established(&self, peer: Peer) {
        let modern = peer.era == Era::Modern;
        self.link.established(&peer.version, modern);
        self.link.listen().await;
        // A second handshake on the same link does not change what callers were told.
        drop(self.peer.set(peer));
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.peer().is_some_and(|peer| peer.era == Era::Modern)
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn client_info(&self) -> String {
        let client = &self.options.client;
        serde_json::json!({"name": client.name, "version": client.version}).to_string()
    }

    /// The client capabilities: those of the handler and, towards modern servers, the tasks extension.
    pub(crate) fn capabilities(&self, era: Era) -> String {
        let features = self.options.handler.as_ref().map(|handler| handler.features()).unwrap_or_default();
        features.to_json(self.options.tasks && era == Era::Modern)
    }

    /// The members that a modern request carries in `_meta`.
    pub(crate) fn modern_meta(&self) -> String {
        let level = self.options.log_level.map(|level| format!(r#","{META}/logLevel":"{}""#, level.as_str()));
        format!(
            r#""{META}/protocolVersion":"{MODERN_VERSION}","{META}/clientInfo":{},"{META}/clientCapabilities":{}{}"#,
            self.client_info(),
            self.capabilities(Era::Modern),
            level.unwrap_or_default()
        )
    }

    /// Tells a legacy server how much of its log we want. Modern ones hear it with every request.
    pub(crate) async fn ask_for_logs(&self) {
        let Some(level) = self.options.log_level.filter(|_| !self.is_modern() && self.declares("logging")) else {
            return;
        };
        let Ok(params) = RawValue::from_string(format!(r#"{{"level":"{}"}}"#, level.as_str())) else { return };
        let ask = Ask { method: "logging/setLevel", params: Some(&params), ..Ask::default() };
        if let Err(error) = self.ask(ask, Patience::fixed(self.options.timeouts.probe)).await {
            tracing::debug!(%error, "the server keeps its own log level");
        }
    }

    /// Whether the server declared a capability of that name.
    pub(crate) fn declares(&self, capability: &str) -> bool {
        let capabilities = self.peer().and_then(|peer| peer.capabilities.as_ref());
        let members = capabilities.and_then(|capabilities| wire::Members::parse(capabilities.get()).ok());
        members.is_some_and(|members| members.value(capability).is_some())
    }

    fn meta(&self, id: u64, tracked: bool) -> String {
        let mut meta = if self.is_modern() { self.modern_meta() } else { String::new() };
        if tracked {
            let comma = if meta.is_empty() { "" } else { "," };
            meta.extend([comma, r#""progressToken":"#, &id.to_string()]);
        }
        meta
    }

    /// Asks and waits, in the session there is; again where `repeat` says so.
    pub(crate) async fn ask_once(
        &self,
        ask: &Ask<'_>,
        patience: Patience,
        repeat: Repeat,
    ) -> Result<Box<RawValue>, Error> {
        let id = self.next_id();
        let params = wire::with_meta(ask.params, &self.meta(id, ask.tracked))?;
        let outgoing = Outgoing {
            id,
            method: ask.method.to_owned(),
            body: wire::request(id, ask.method, params.as_deref()),
            version: None,
            name: ask.name.map(ToOwned::to_owned),
            headers: ask.headers.clone(),
            repeat,
            until: patience.worth_until(),
        };
        self.exchange(outgoing, Abandoned::IsCancelled, patience).await
    }

    /// Sends one request and waits for its answer, for as long as `patience` allows.
    pub(crate) async fn exchange(
        &self,
        outgoing: Outgoing,
        abandoned: Abandoned,
        patience: Patience,
    ) -> Result<Box<RawValue>, Error> {
        let method = outgoing.method.clone();
        let mut ticket = self.inbox.register(outgoing.id, &method)?;
        // Over modern HTTP the end of the exchange is the cancellation.
        if abandoned == Abandoned::IsCancelled && !(self.link.answers_in_place() && self.is_modern()) {
            ticket.cancel_on_drop();
        }
        let progress = ticket.progress();
        let mut deadline = std::pin::pin!(tokio::time::sleep_until(patience.silent_until()));
        let mut sending = std::pin::pin!(self.link.send(outgoing));
        let mut sent = false;
        loop {
            tokio::select! {
                biased;
                answer = ticket.answer() => return answer,
                result = &mut sending, if !sent => {
                    result?;
                    sent = true;
                    if self.link.answers_in_place() {
                        return Self::answer_in_place(&mut ticket, &method);
                    }
                }
                () = progress.notified() => deadline.as_mut().reset(patience.silent_until()),
                () = &mut deadline => {
                    // A question that a person is thinking about is a sign of life of the call behind it.
                    let asked = self.asking.try_lock().is_err();
                    if !asked || patience.is_over() {
                        return Err(patience.over(&method));
                    }
                    deadline.as_mut().reset(patience.silent_until());
                }
            }
        }
    }

    fn answer_in_place(ticket: &mut Ticket, method: &str) -> Result<Box<RawValue>, Error> {
        let missing = || Err(Error::protocol(method, "the response ended without the answer"));
        ticket.answer_now().unwrap_or_else(missing)
    }

    pub(crate) fn own_refusals(&self) -> MutexGuard<'_, OwnRefusals> {
        self.own_refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers whether a tool says that it changes nothing.
    pub(crate) fn set_read_only(&self, tool: &str, is_read_only: bool) {
        let mut known = self.read_only.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_read_only {
            known.remove(tool);
        } else if known.len() < self.options.limits.items && tool.len() <= LONGEST_NAME {
            known.insert(tool.to_owned());
        }
    }

    pub(crate) fn is_read_only(&self, tool: &str) -> bool {
        self.read_only.lock().unwrap_or_else(PoisonError::into_inner).contains(tool)
    }

    /// Remembers which arguments of a tool travel as headers too.
    pub(crate) fn set_tool_headers(&self, tool: &str, headers: ToolHeaders) {
        let mut known = self.tool_headers.lock().unwrap_or_else(PoisonError::into_inner);
        if headers.is_empty() {
            known.remove(tool);
        } else if known.len() < self.options.limits.items && tool.len() <= LONGEST_NAME {
            known.insert(tool.to_owned(), headers);
        }
    }

    pub(crate) fn tool_headers(&self, tool: &str, arguments: Option<&RawValue>) -> HeaderMap {
        let known = self.tool_headers.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(tool).map(|headers| headers.for_arguments(arguments)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
