//! Background tasks that end with their owner.

use std::sync::{Mutex, PoisonError};

use tokio::task::AbortHandle;

/// Aborts its tasks when dropped, inside a runtime or outside.
#[derive(Debug, Default)]
pub(crate) struct OwnedTasks(Mutex<Vec<AbortHandle>>);

impl OwnedTasks {
    /// Takes over a task; forgets those that have ended.
    pub(crate) fn add(&self, task: AbortHandle) {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }

    pub(crate) fn abort(&self) {
        for task in self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl Drop for OwnedTasks {
    fn drop(&mut self) {
        self.abort();
    }
}
