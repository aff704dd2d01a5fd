//! A child process and everything it starts, as one thing that can be ended.
//!
//! When the child exits it is left unreaped until its whole group has been killed: on Unix the zombie keeps the
//! group's number from being used again, so the signal cannot hit a stranger.

use std::ffi::OsStr;
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use super::group::{self, Leader};
use super::{StdioOptions, environment_of, program};
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
    child: Mutex<Option<Leader>>,
    /// Kills the group when this process dies. Disarmed before the leader is reaped: then its number may be a stranger's.
    #[cfg(unix)]
    watchdog: Mutex<Option<super::watchdog::Watchdog>>,
    ended: watch::Sender<Option<ExitStatus>>,
}

impl Process {
    pub(crate) fn spawn(options: &StdioOptions) -> Result<(Self, Streams), Error> {
        let program = program_of(options)?;
        let mut command = Command::new(&program);
        command.args(&options.args).env_clear().envs(environment_of(options));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &options.cwd {
            command.current_dir(cwd);
        }
        let failed = |error: std::io::Error| Error::Spawn { command: options.command_text(), source: error.into() };
        let gone = || failed(std::io::Error::other("its streams are missing"));
        let mut child = group::spawn(command)
            .map_err(|error| program::explained(options, &program, &error).unwrap_or_else(|| failed(error)))?;
        let streams = group::streams(&mut child).ok_or_else(gone)?;
        let id = group::id(&child).ok_or_else(gone)?;
        let process = Self {
            id,
            child: Mutex::new(Some(child)),
            #[cfg(unix)]
            watchdog: Mutex::new(options.watchdog.then(|| super::watchdog::Watchdog::over(id)).flatten()),
            ended: watch::Sender::new(None),
        };
        Ok((process, streams))
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    fn child(&self) -> MutexGuard<'_, Option<Leader>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches the child until it exits, then ends its group. One caller does this for the process's whole life.
    pub(crate) async fn run_to_end(&self) {
        group::leader_exited(self.id, &self.child).await;
        self.kill();
        self.disarm();
        let child = self.child().take();
        let status = match child {
            Some(child) => group::wait(child).await,
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

    /// Nobody kills the group any more when this process dies; for when it has ended.
    pub(crate) fn disarm(&self) {
        #[cfg(unix)]
        drop(self.watchdog.lock().unwrap_or_else(PoisonError::into_inner).take());
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
        self.disarm();
        reap(|| child.try_wait());
    }
}

/// Reaps a killed child when that is a matter of milliseconds: outside a runtime nobody else will.
///
/// A child that is stuck in the kernel is left to tokio's reaper.
pub(super) fn reap(mut try_wait: impl FnMut() -> std::io::Result<Option<ExitStatus>>) {
    for _ in 0..REAP_TRIES {
        match try_wait() {
            Ok(None) => std::thread::sleep(REAP_PAUSE),
            Ok(Some(_)) | Err(_) => return,
        }
    }
}

/// How often, and how far apart, a dropped child is looked at: together 20 ms, ten times what a kill takes.
const REAP_TRIES: u32 = 40;
const REAP_PAUSE: Duration = Duration::from_micros(500);

/// The program that is started; or why nothing can be, as far as can be told without trying.
pub(super) fn program_of(options: &StdioOptions) -> Result<std::path::PathBuf, Error> {
    if options.cwd.as_deref().is_some_and(|cwd| !cwd.is_dir()) {
        let reason = format!("`{}` is not a folder", options.cwd_text().unwrap_or_default());
        return Err(Error::InvalidOption { option: "cwd", reason });
    }
    let has_nul = |text: &OsStr| text.as_encoded_bytes().contains(&0);
    let refused = |option| Err(Error::InvalidOption { option, reason: "holds a NUL character".to_owned() });
    if options.args.iter().any(|argument| has_nul(argument)) {
        return refused("args");
    }
    if environment_of(options).iter().any(|(name, value)| has_nul(name) || has_nul(value)) {
        return refused("env");
    }
    program::find(options)
}
