//! Where every incoming message ends up: the one request it answers, the handler's queue, or the noise counter.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use crate::changes::ChangeHub;
use crate::wire::{self, Failure, Message, ReplyId};
use crate::withdrawals::Withdrawals;
use crate::{Change, Error, Exit, RpcError};

/// Messages that wait to be written. A peer that does not read stops its callers, never the host's memory.
pub(crate) const OUTBOX: usize = 64;

/// Questions and news that wait for the handler.
pub(crate) const QUEUE: usize = 256;

/// The longest id of a question, in bytes. It is kept, and echoed, so a longer one is not answered.
const LONGEST_ID: usize = 1 << 10;

/// So much of a line that is no message is kept.
const UNREAD: usize = 200;

/// Messages one batch may hold.
const BATCH: usize = 1_000;

/// Why a connection is over.
#[derive(Debug, Clone)]
pub(crate) enum Closure {
    Exited(Arc<Exit>),
    Other(Arc<str>),
}

impl Closure {
    pub(crate) fn other(reason: &str) -> Self {
        Self::Other(Arc::from(reason))
    }

    pub(crate) fn to_error(&self) -> Error {
        match self {
            Self::Exited(exit) => Error::Exited(exit.clone()),
            Self::Other(reason) => Error::Closed { reason: reason.clone() },
        }
    }
}

/// Something for the handler.
#[derive(Debug)]
pub(crate) enum Queued {
    Request { id: Box<RawValue>, method: String, params: Option<Box<RawValue>> },
    Log(Box<RawValue>),
    Progress(Box<RawValue>),
}

impl Queued {
    fn size(&self) -> usize {
        match self {
            Self::Request { id, method, params } => {
                id.get().len() + method.len() + params.as_ref().map_or(0, |params| params.get().len())
            }
            Self::Log(params) | Self::Progress(params) => params.get().len(),
        }
    }
}

/// The receiving half of a connection, shared by its link and its callers.
#[derive(Debug)]
pub(crate) struct Inbox {
    state: Mutex<State>,
    closed: watch::Sender<bool>,
    outbox: mpsc::Sender<String>,
    queue: mpsc::Sender<Queued>,
    queued_bytes: AtomicUsize,
    byte_limit: usize,
    pub(crate) changes: ChangeHub,
    pub(crate) withdrawals: Withdrawals,
    /// What may have changed while nobody listened, to be said once the server confirms that it is listened to again.
    missed: Mutex<Vec<Change>>,
    /// How many requests were answered with a result.
    answers: watch::Sender<u64>,
    noise: AtomicU64,
    /// The beginning of the first line that was no message.
    unread: Mutex<Option<String>>,
}

#[derive(Debug, Default)]
struct State {
    pending: HashMap<u64, Pending>,
    closure: Option<Closure>,
}

#[derive(Debug)]
struct Pending {
    method: String,
    reply: oneshot::Sender<Result<Box<RawValue>, Error>>,
    progress: Arc<Notify>,
}

impl Inbox {
    /// An inbox that answers through `outbox` and hands questions to `queue`, at most `byte_limit` bytes of them.
    pub(crate) fn new(outbox: mpsc::Sender<String>, queue: mpsc::Sender<Queued>, byte_limit: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            closed: watch::Sender::new(false),
            outbox,
            queue,
            queued_bytes: AtomicUsize::new(0),
            byte_limit,
            changes: ChangeHub::default(),
            withdrawals: Withdrawals::default(),
            missed: Mutex::default(),
            answers: watch::Sender::new(0),
            noise: AtomicU64::new(0),
            unread: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a slot for the answer to request `id`.
    pub(crate) fn register(self: &Arc<Self>, id: u64, method: &str) -> Result<Ticket, Error> {
        let (reply, answer) = oneshot::channel();
        let progress = Arc::new(Notify::new());
        let mut state = self.state();
        if let Some(closure) = &state.closure {
            return Err(closure.to_error());
        }
        state.pending.insert(id, Pending { method: method.to_owned(), reply, progress: progress.clone() });
        Ok(Ticket { inbox: self.clone(), id, answer, progress, cancels: false })
    }

    /// Takes in one message, whoever it is for.
    pub(crate) fn receive(&self, bytes: &[u8]) {
        match wire::decode(bytes) {
            Message::Batch(items) => {
                for item in items.iter().take(BATCH) {
                    self.dispatch(wire::decode(item.get().as_bytes()));
                }
            }
            message => self.dispatch(message),
        }
    }

    /// Takes in one message, if that is what the text is as a whole.
    pub(crate) fn receive_whole(&self, bytes: &[u8]) -> bool {
        if matches!(wire::decode(bytes), Message::Malformed { .. }) {
            return false;
        }
        self.receive(bytes);
        true
    }

    /// Remembers the beginning of a line that is no message, if it is the first.
    pub(crate) fn note_unread(&self, line: &[u8]) {
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        if unread.is_none() && !line.trim_ascii().is_empty() {
            let line = String::from_utf8_lossy(line.get(..UNREAD * 4).unwrap_or(line));
            *unread = Some(wire::preview(line.trim(), UNREAD).into_owned());
        }
    }

    /// The beginning of the first line that was no message.
    pub(crate) fn unread(&self) -> Option<String> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn dispatch(&self, message: Message<'_>) {
        match message {
            Message::Reply { id, outcome } => self.settle(id, outcome),
            Message::Request { id, method, params } => self.question(id, &method, params),
            Message::Notification { method, params } => self.news(&method, params),
            Message::Malformed { id: Some(id), reason } => {
                self.settle(ReplyId::Ours(id), Err(Failure::Invalid(reason)));
            }
            Message::Malformed { id: None, .. } | Message::Batch(_) => self.count_noise(),
        }
    }

    fn settle(&self, id: ReplyId, outcome: Result<&RawValue, Failure>) {
        let pending = match (id, &outcome) {
            (ReplyId::Ours(id), _) => self.state().pending.remove(&id),
            // The peer could not read a request, and there is but one it can mean.
            (ReplyId::Missing, Err(Failure::Refused(error))) if error.is_unreadable() => self.take_only(),
            // An answer to nothing of ours, or to a notification: nobody's.
            (ReplyId::Foreign | ReplyId::Missing, _) => None,
        };
        let Some(pending) = pending else { return self.count_noise() };
        let method = pending.method;
        let answer = match outcome {
            Ok(result) => {
                self.answers.send_modify(|count| *count = count.wrapping_add(1));
                Ok(result.to_owned())
            }
            Err(Failure::Refused(error)) => Err(Error::Rpc { method, error }),
            Err(Failure::Invalid(reason)) => Err(Error::protocol(&method, reason)),
        };
        // A caller that has gone has no use for the answer.
        drop(pending.reply.send(answer));
    }

    /// The request that waits, if it is the only one.
    fn take_only(&self) -> Option<Pending> {
        let mut state = self.state();
        let id = state.pending.keys().next().copied().filter(|_| state.pending.len() == 1)?;
        state.pending.remove(&id)
    }

    /// Fails request `id`, or says that it is not pending.
    pub(crate) fn fail(&self, id: u64, error: impl FnOnce(String) -> Error) -> bool {
        let pending = self.state().pending.remove(&id);
        pending.map(|pending| drop(pending.reply.send(Err(error(pending.method))))).is_some()
    }

    pub(crate) fn is_pending(&self, id: u64) -> bool {
        self.state().pending.contains_key(&id)
    }

    fn question(&self, id: &RawValue, method: &str, params: Option<&RawValue>) {
        if id.get().len() > LONGEST_ID {
            return self.count_noise();
        }
        if method == "ping" {
            // Answered at once: a ping must not wait behind a question that a person thinks about.
            let pong = RawValue::from_string("{}".to_owned()).map(|empty| wire::response(id, &empty));
            return pong.map_or((), |pong| self.post(pong));
        }
        let queued =
            Queued::Request { id: id.to_owned(), method: method.to_owned(), params: params.map(ToOwned::to_owned) };
        if !self.enqueue(queued) {
            self.post(wire::error_response(id, &RpcError::new(RpcError::INTERNAL_ERROR, "too many questions at once")));
        }
    }

    fn news(&self, method: &str, params: Option<&RawValue>) {
        match (method, params) {
            ("notifications/tools/list_changed", _) => self.changes.publish(&Change::Tools),
            ("notifications/resources/list_changed", _) => self.changes.publish(&Change::Resources),
            ("notifications/prompts/list_changed", _) => self.changes.publish(&Change::Prompts),
            ("notifications/subscriptions/acknowledged", _) => self.say_missed(),
            ("notifications/resources/updated", Some(params)) => self.resource_updated(params),
            ("notifications/progress", Some(params)) => self.progress(params),
            ("notifications/cancelled", Some(params)) => self.withdrawn(params),
            ("notifications/message", Some(params)) => self.enqueue_news(Queued::Log(params.to_owned())),
            _ => tracing::debug!(method, "notification ignored"),
        }
    }

    /// Says that these may have changed unheard: at once, and again when the server confirms that it is listened to, as more may
    /// change until then.
    pub(crate) fn missed(&self, changes: &[Change]) {
        for change in changes {
            self.changes.publish(change);
        }
        changes.clone_into(&mut self.missed.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn say_missed(&self) {
        let missed = std::mem::take(&mut *self.missed.lock().unwrap_or_else(PoisonError::into_inner));
        for change in &missed {
            self.changes.publish(change);
        }
    }

    fn resource_updated(&self, params: &RawValue) {
        #[derive(Deserialize)]
        struct Updated {
            uri: String,
        }
        if let Ok(updated) = serde_json::from_str::<Updated>(params.get()) {
            self.changes.publish(&Change::Resource(updated.uri));
        }
    }

    fn withdrawn(&self, params: &RawValue) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Withdrawn<'a> {
            #[serde(borrow)]
            request_id: &'a RawValue,
        }
        match serde_json::from_str::<Withdrawn<'_>>(params.get()) {
            Ok(withdrawn) if withdrawn.request_id.get().len() <= LONGEST_ID => {
                self.withdrawals.add(withdrawn.request_id.get());
            }
            Ok(_) | Err(_) => self.count_noise(),
        }
    }

    fn progress(&self, params: &RawValue) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Token<'a> {
            #[serde(borrow)]
            progress_token: &'a RawValue,
        }
        let Ok(token) = serde_json::from_str::<Token<'_>>(params.get()) else { return self.count_noise() };
        let Ok(id) = token.progress_token.get().trim_matches('"').parse::<u64>() else { return self.count_noise() };
        if let Some(pending) = self.state().pending.get(&id) {
            pending.progress.notify_one();
        }
        self.enqueue_news(Queued::Progress(params.to_owned()));
    }

    /// News that do not fit are lost: they must not hold up answers.
    fn enqueue_news(&self, news: Queued) {
        if !self.enqueue(news) {
            tracing::debug!("the handler is too slow: news dropped");
        }
    }

    /// Hands something to the handler, unless too much is waiting already.
    fn enqueue(&self, queued: Queued) -> bool {
        let size = queued.size();
        if self.queued_bytes.load(Ordering::Relaxed).saturating_add(size) > self.byte_limit {
            return false;
        }
        self.queued_bytes.fetch_add(size, Ordering::Relaxed);
        let sent = self.queue.try_send(queued).is_ok();
        if !sent {
            self.queued_bytes.fetch_sub(size, Ordering::Relaxed);
        }
        sent
    }

    /// The handler took `queued` off the queue.
    pub(crate) fn taken(&self, queued: &Queued) {
        self.queued_bytes.fetch_sub(queued.size(), Ordering::Relaxed);
    }

    /// Sends a message that nobody waits for; when the peer does not read, it is dropped.
    pub(crate) fn post(&self, message: String) {
        if self.outbox.try_send(message).is_err() {
            tracing::debug!("message dropped: the server does not read");
        }
    }

    /// Sends a message, waiting while the peer does not read.
    pub(crate) async fn post_waiting(&self, message: String) {
        if self.outbox.send(message).await.is_err() {
            tracing::debug!("message dropped: the connection is over");
        }
    }

    pub(crate) fn count_noise(&self) {
        self.noise.fetch_add(1, Ordering::Relaxed);
    }

    /// Lines and messages so far that meant nothing to us.
    pub(crate) fn noise(&self) -> u64 {
        self.noise.load(Ordering::Relaxed)
    }

    /// Ends the connection: every waiting request fails, later ones fail at once. The first reason stays.
    pub(crate) fn close(&self, closure: &Closure) {
        let pending = {
            let mut state = self.state();
            if state.closure.is_some() {
                return;
            }
            state.closure = Some(closure.clone());
            std::mem::take(&mut state.pending)
        };
        for pending in pending.into_values() {
            drop(pending.reply.send(Err(closure.to_error())));
        }
        self.closed.send_replace(true);
        self.changes.publish(&Change::Closed);
    }

    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Waits until a request is answered with a result, from now on.
    pub(crate) async fn next_answer(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        drop(self.answers.subscribe().changed().await);
    }

    pub(crate) fn closed_error(&self) -> Option<Error> {
        self.state().closure.as_ref().map(Closure::to_error)
    }

    pub(crate) async fn closed(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        drop(self.closed.subscribe().wait_for(|closed| *closed).await);
    }
}

/// A place in the pending table. Dropping it leaves the table, and tells the peer when that is called for.
#[derive(Debug)]
pub(crate) struct Ticket {
    inbox: Arc<Inbox>,
    pub(crate) id: u64,
    answer: oneshot::Receiver<Result<Box<RawValue>, Error>>,
    progress: Arc<Notify>,
    cancels: bool,
}

impl Ticket {
    /// From now on, giving up sends `notifications/cancelled`.
    pub(crate) fn cancel_on_drop(&mut self) {
        self.cancels = true;
    }

    pub(crate) async fn answer(&mut self) -> Result<Box<RawValue>, Error> {
        match (&mut self.answer).await {
            Ok(answer) => answer,
            Err(_) => Err(self.inbox.closed_error().unwrap_or_else(|| Error::closed("the request was forgotten"))),
        }
    }

    /// The answer, if it is there.
    pub(crate) fn answer_now(&mut self) -> Option<Result<Box<RawValue>, Error>> {
        self.answer.try_recv().ok()
    }

    /// Rings whenever the server reports progress on this request.
    pub(crate) fn progress(&self) -> Arc<Notify> {
        self.progress.clone()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let waiting = self.inbox.state().pending.remove(&self.id).is_some();
        if waiting && self.cancels {
            let params = format!(r#"{{"requestId":{},"reason":"the client no longer waits"}}"#, self.id);
            self.inbox.post(wire::notification("notifications/cancelled", Some(&params)));
        }
    }
}

#[cfg(test)]
mod tests;
