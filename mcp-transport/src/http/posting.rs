//! Messages that nobody waits for: sent one after the other, and settled when the connection is shut down.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::link::UNAWAITED;
use crate::Error;
use crate::owned_tasks::OwnedTasks;

/// The task that sends them. Dropping it ends the task.
#[derive(Debug)]
pub(super) struct Posting {
    task: Mutex<Option<JoinHandle<()>>>,
    is_last: Arc<Notify>,
    owner: OwnedTasks,
}

impl Posting {
    /// Hands every message to `post`, which has [`UNAWAITED`] for each.
    pub(super) fn start<P>(mut outbox: mpsc::Receiver<String>, post: impl Fn(String) -> P + Send + 'static) -> Self
    where
        P: Future<Output = Result<(), Error>> + Send,
    {
        let is_last = Arc::new(Notify::new());
        let ending = is_last.clone();
        let task = tokio::spawn(async move {
            loop {
                let message = tokio::select! {
                    biased;
                    message = outbox.recv() => message,
                    () = ending.notified() => None,
                };
                let Some(message) = message else { return };
                match tokio::time::timeout(UNAWAITED, post(message)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "message was not delivered"),
                    Err(_) => tracing::debug!("message was not delivered in time"),
                }
            }
        });
        let owner = OwnedTasks::default();
        owner.add(task.abort_handle());
        Self { task: Mutex::new(Some(task)), is_last, owner }
    }

    /// Waits until everything that was posted so far is sent, for `grace` at most.
    pub(super) async fn settle(&self, grace: Duration) {
        self.is_last.notify_one();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task
            && tokio::time::timeout(grace, task).await.is_err()
        {
            tracing::debug!("the last messages were not delivered in time");
        }
    }

    pub(super) fn abort(&self) {
        self.owner.abort();
    }
}
