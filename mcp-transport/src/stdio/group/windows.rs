//! Job objects.

use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::process::Command;

use crate::stdio::process::Streams;

/// The child in its job.
pub(crate) type Leader = Box<dyn ChildWrapper>;

/// How often a running child is looked at: a wait would have to own it, and then nobody could kill it.
const LOOK: Duration = Duration::from_millis(50);

/// Starts a child in a job of its own, which ends with its last handle, that is with this process at the latest.
pub(crate) fn spawn(command: Command) -> io::Result<Leader> {
    let mut wrap = CommandWrap::from(command);
    wrap.wrap(KillOnDrop);
    wrap.wrap(JobObject);
    wrap.spawn()
}

pub(crate) fn streams(leader: &mut Leader) -> Option<Streams> {
    Some(Streams { stdin: leader.stdin().take()?, stdout: leader.stdout().take()?, stderr: leader.stderr().take()? })
}

pub(crate) fn id(leader: &Leader) -> Option<u32> {
    leader.id()
}

/// Windows has no polite signal for a process without a console; the end of its input came before.
pub(crate) fn terminate(_id: u32) {}

/// A job that is gone already is what we want.
pub(crate) fn kill(id: u32, leader: &mut Leader) {
    if let Err(error) = leader.start_kill() {
        tracing::debug!(id, %error, "job is gone");
    }
}

pub(crate) async fn leader_exited(_id: u32, leader: &Mutex<Option<Leader>>) {
    loop {
        let state = leader.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(|leader| leader.try_wait());
        if !matches!(state, Some(Ok(None))) {
            return;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Waits for the end of the whole job.
pub(crate) async fn wait(mut leader: Leader) -> Option<ExitStatus> {
    leader.wait().await.ok()
}
