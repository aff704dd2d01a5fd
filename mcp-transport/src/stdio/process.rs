//! A child process and everything it starts, as one thing that can be ended.
//!
//! On Unix the child leads a process group of its own. When it exits it is left unreaped until its whole group has
//! been killed: the zombie keeps the group's number from being used again, so the signal cannot hit a stranger.

use std::{
    process::{ExitStatus, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::watch,
};

use super::{StdioOptions, environment_of, search_path};
use crate::Error;

/// The streams of a new process.
pub(crate) struct Streams {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// A running child and its group. Dropping it kills both, also outside a runtime.
#[derive(Debug)]
pub(crate) struct Process {
    id: u32,
    child: Mutex<Option<Child>>,
    ended: watch::Sender<Option<ExitStatus>>,
}

impl Process {
    pub(crate) fn spawn(options: &StdioOptions) -> Result<(Self, Streams), Error> {
        if let Some(cwd) = options.cwd.as_deref().filter(|cwd| !cwd.is_dir()) {
            let reason = format!("`{}` is not a folder", cwd.display());
            return Err(Error::InvalidOption { option: "cwd", reason });
        }
        let mut command = Command::new(find_command(options)?);
        command.args(&options.args).env_clear().envs(environment_of(options));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &options.cwd {
            command.current_dir(cwd);
        }
        Self::start(&mut command, &options.command_text())
    }

    pub(crate) fn start(command: &mut Command, name: &str) -> Result<(Self, Streams), Error> {
        group::prepare(command);
        let failed = |source| Error::Spawn { command: name.to_owned(), source };
        let mut child = command.spawn().map_err(failed)?;
        let gone = || failed(std::io::Error::other("its streams are missing"));
        let streams = Streams {
            stdin: child.stdin.take().ok_or_else(gone)?,
            stdout: child.stdout.take().ok_or_else(gone)?,
            stderr: child.stderr.take().ok_or_else(gone)?,
        };
        let id = child.id().ok_or_else(gone)?;
        Ok((Self { id, child: Mutex::new(Some(child)), ended: watch::Sender::new(None) }, streams))
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches the child until it exits, then ends its group. One caller does this for the process's whole life.
    pub(crate) async fn run_to_end(&self) {
        group::leader_exited(self.id, &self.child).await;
        self.kill();
        let child = self.child().take();
        let status = match child {
            Some(mut child) => child.wait().await.ok(),
            None => None,
        };
        self.ended.send_replace(Some(status.unwrap_or_default()));
    }

    /// Waits at most `limit` for the process to have ended and been reaped.
    pub(crate) async fn ended_within(&self, limit: Duration) -> Option<ExitStatus> {
        let mut ended = self.ended.subscribe();
        let status = tokio::time::timeout(limit, ended.wait_for(Option::is_some)).await;
        status.ok().and_then(Result::ok).and_then(|status| *status)
    }

    /// Asks the whole group to end.
    pub(crate) fn terminate(&self) {
        if self.child().is_some() {
            group::terminate(self.id);
        }
    }

    /// Ends the whole group now.
    pub(crate) fn kill(&self) {
        if let Some(child) = self.child().as_mut() {
            group::kill(self.id, child);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(mut child) = self.child().take() else { return };
        group::kill(self.id, &mut child);
        reap(&mut child);
    }
}

/// Reaps a killed child when that is a matter of milliseconds: outside a runtime nobody else will.
///
/// A child that is stuck in the kernel is left to tokio's reaper.
pub(super) fn reap(child: &mut Child) {
    for _ in 0..REAP_TRIES {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(REAP_PAUSE),
            Ok(Some(_)) | Err(_) => return,
        }
    }
}

/// How often, and how far apart, a dropped child is looked at: together 20 ms, ten times what a kill takes.
const REAP_TRIES: u32 = 40;
const REAP_PAUSE: Duration = Duration::from_micros(500);

/// Finds the program as the server's environment would.
fn find_command(options: &StdioOptions) -> Result<std::path::PathBuf, Error> {
    let not_found = || Error::CommandNotFound { command: options.command_text() };
    if options.command.is_empty() {
        return Err(Error::InvalidOption { option: "command", reason: "is empty".to_owned() });
    }
    let folder = match &options.cwd {
        Some(cwd) => cwd.clone(),
        None => std::env::current_dir().map_err(|source| Error::Spawn { command: options.command_text(), source })?,
    };
    // Which error it was does not matter: each means that no such executable is there.
    which::which_in(&options.command, search_path(options), folder).ok().ok_or_else(not_found)
}

#[cfg(unix)]
mod group {
    use std::sync::Mutex;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use tokio::{
        process::{Child, Command},
        signal::unix::{SignalKind, signal},
    };

    /// Makes the child the leader of a new group. Ctrl-C in a terminal then reaches the host alone.
    pub(super) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }

    pub(super) fn terminate(id: u32) {
        send(id, Signal::TERM);
    }

    pub(super) fn kill(id: u32, _child: &mut Child) {
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

    /// Waits until the leader is a zombie, without reaping it.
    pub(super) async fn leader_exited(id: u32, _child: &Mutex<Option<Child>>) {
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
}

#[cfg(not(unix))]
mod group {
    use std::{
        sync::{Mutex, PoisonError},
        time::Duration,
    };

    use tokio::process::{Child, Command};

    /// Children of the child are out of reach here: a job object would hold them.
    pub(super) fn prepare(command: &mut Command) {
        command.kill_on_drop(true);
    }

    pub(super) fn terminate(_id: u32) {}

    pub(super) fn kill(_id: u32, child: &mut Child) {
        if let Err(error) = child.start_kill() {
            tracing::debug!(%error, "process is gone");
        }
    }

    /// Looks now and then: without `waitid` a wait would have to own the child, and nobody could kill it.
    pub(super) async fn leader_exited(_id: u32, child: &Mutex<Option<Child>>) {
        loop {
            let running = child.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(Child::try_wait);
            if !matches!(running, Some(Ok(None))) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
