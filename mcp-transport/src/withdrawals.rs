//! Questions that a server takes back.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::inbox::QUEUE;

/// The ids of withdrawn questions, as JSON text; at most as many as questions can wait.
#[derive(Debug, Default)]
pub(crate) struct Withdrawals {
    ids: Mutex<VecDeque<String>>,
    added: Notify,
}

impl Withdrawals {
    pub(crate) fn add(&self, id: &str) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() == QUEUE {
            ids.pop_front();
        }
        ids.push_back(id.to_owned());
        drop(ids);
        self.added.notify_one();
    }

    /// Waits until the question `id` is withdrawn. One caller at a time: questions are asked one by one.
    pub(crate) async fn of(&self, id: &str) {
        while !self.take(id) {
            self.added.notified().await;
        }
    }

    fn take(&self, id: &str) -> bool {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let found = ids.iter().position(|withdrawn| withdrawn == id);
        found.and_then(|position| ids.remove(position)).is_some()
    }
}
