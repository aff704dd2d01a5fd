//! News about a server's lists, in order and without repeats.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Notify;

/// Something about the server changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// `tools/list` would answer differently; or it may, because nobody listened for a while.
    Tools,
    /// `resources/list` would answer differently.
    Resources,
    /// `prompts/list` would answer differently.
    Prompts,
    /// One subscribed resource has new content.
    Resource(String),
    /// The server lost our session and got a new one: whatever it was told before is forgotten.
    SessionRenewed,
    /// The connection is over. Nothing follows.
    Closed,
}

/// Receives [`Change`]s; see [`Connection::changes`](crate::Connection::changes).
///
/// A change that is already waiting is not queued again: a reader that is slow gets every kind once, in the order of
/// its first occurrence, and memory stays bounded.
#[derive(Debug)]
pub struct Changes {
    queue: Arc<Queue>,
}

impl Changes {
    /// Waits for the next change; `None` after [`Change::Closed`] was delivered.
    ///
    /// # Cancel safety
    ///
    /// A dropped future loses nothing.
    pub async fn next(&mut self) -> Option<Change> {
        loop {
            {
                let mut waiting = self.queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(change) = waiting.changes.pop_front() {
                    waiting.bytes -= Waiting::size(&change);
                    return Some(change);
                }
                if waiting.closed {
                    return None;
                }
            }
            self.queue.arrived.notified().await;
        }
    }
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    changes: VecDeque<Change>,
    closed: bool,
    /// What the names of changed resources take.
    bytes: usize,
}

impl Waiting {
    fn size(change: &Change) -> usize {
        if let Change::Resource(uri) = change { uri.len() } else { 0 }
    }
}

/// What the names of changed resources may take, in bytes; a server that reports more is reported as a whole.
const RESOURCE_BYTES: usize = 256 << 10;

/// Different resources that may wait at once; a server that reports more is reported as a whole.
const RESOURCES_WAITING: usize = 1_000;

impl Queue {
    fn push(&self, change: &Change) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.closed |= *change == Change::Closed;
        let size = Waiting::size(change);
        let crowded = size > 0
            && (waiting.changes.len() >= RESOURCES_WAITING || waiting.bytes.saturating_add(size) > RESOURCE_BYTES);
        let change = if crowded { &Change::Resources } else { change };
        if !waiting.changes.contains(change) {
            waiting.bytes += Waiting::size(change);
            waiting.changes.push_back(change.clone());
        }
        drop(waiting);
        self.arrived.notify_one();
    }
}

/// The sending side: one per connection, any number of readers.
#[derive(Debug, Default)]
pub(crate) struct ChangeHub {
    readers: Mutex<Vec<Weak<Queue>>>,
}

impl ChangeHub {
    pub(crate) fn publish(&self, change: &Change) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.retain(|reader| reader.upgrade().map(|queue| queue.push(change)).is_some());
    }

    pub(crate) fn subscribe(&self, closed: bool) -> Changes {
        let queue = Arc::new(Queue::default());
        if closed {
            queue.push(&Change::Closed);
        }
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&queue));
        Changes { queue }
    }
}

#[cfg(test)]
mod tests;
