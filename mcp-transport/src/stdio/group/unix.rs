//! Process groups.

use std::io;
use std::process::ExitStatus;
use std::sync::Mutex;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

use crate::stdio::process::Streams;

/// The child, which leads its group.
pub(crate) type Leader = Child;

/// Starts the leader of a new group. Ctrl-C in a terminal then reaches the host alone.
pub(crate) fn spawn(mut command: Command) -> io::Result<Leader> {
    command.process_group(0).spawn()
}

pub(crate) fn streams(leader: &mut Leader) -> Option<Streams> {
    Some(Streams { stdin: leader.stdin.take()?, stdout: leader.stdout.take()?, stderr: leader.stderr.take()? })
}

pub(crate) fn id(leader: &Leader) -> Option<u32> {
    leader.id()
}

pub(crate) fn terminate(id: u32) {
    send(id, Signal::TERM);
}

pub(crate) fn kill(id: u32, _leader: &mut Leader) {
    send(id, Signal::KILL);
}

/// A group that is gone already is what we want.
fn send(id: u32, signal: Signal) {
    if let Some(group) = pid(id)
        && let Err(error) = kill_process_group(group, signal)
    {
        tracing::debug!(id, %error, "group is gone");
    }
}

fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Waits until the leader is a zombie, without reaping it: its number stays taken until the group has been killed.
pub(crate) async fn leader_exited(id: u32, _leader: &Mutex<Option<Leader>>) {
    let Some(leader) = pid(id) else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    // Subscribed before the first look, so that no exit falls between look and wait.
    let Ok(mut child_exits) = signal(SignalKind::child()) else { return };
    while let Ok(None) = waitid(WaitId::Pid(leader), options) {
        if child_exits.recv().await.is_none() {
            return;
        }
    }
}

/// Reaps the leader.
pub(crate) async fn wait(mut leader: Leader) -> Option<ExitStatus> {
    leader.wait().await.ok()
}
