//! A connection to a child process: one task writes, one reads, one drains stderr, one watches for the end.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::lines::{Line, read_line};
use super::oddities::take_line;
use super::process::Process;
use super::stderr::{Tail, drain};
use super::{LineSink, StdioOptions};
use crate::inbox::{Closure, Inbox};
use crate::owned_tasks::OwnedTasks;
use crate::sent::Sent;
use crate::{ConnectOptions, Error, Exit};

/// How long a dead process's pipes are read on: what it wrote is there already, but a process that escaped the group
/// may hold them open for ever.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Read at once; a listing of a thousand tools is twenty of these.
const READ_BUFFER: usize = 64 << 10;

/// The link to one child process. Dropping it kills the whole group.
#[derive(Debug)]
pub(crate) struct StdioLink {
    process: Arc<Process>,
    tail: Arc<Tail>,
    inbox: Arc<Inbox>,
    outbox: mpsc::Sender<String>,
    stop_writing: Arc<Notify>,
    tasks: OwnedTasks,
}

impl StdioLink {
    pub(crate) fn open(
        options: &StdioOptions,
        connect: &ConnectOptions,
        inbox: Arc<Inbox>,
        outbox: (mpsc::Sender<String>, mpsc::Receiver<String>),
    ) -> Result<Self, Error> {
        let (process, streams) = Process::spawn(options)?;
        let process = Arc::new(process);
        let tail = Tail::new(connect.limits.stderr_tail);
        let stop_writing = Arc::new(Notify::new());
        let tasks = OwnedTasks::default();

        let log = options.log.clone().map(|log| scrubbing(log, connect.sent.clone()));
        let reading = tokio::spawn(read(streams.stdout, inbox.clone(), connect.limits.message));
        let draining = tokio::spawn(drain(streams.stderr, tail.clone(), log));
        let writer = Writer { stdin: streams.stdin, idle: connect.timeouts.idle };
        let writing = tokio::spawn(write(writer, outbox.1, stop_writing.clone(), inbox.clone()));
        for task in [reading.abort_handle(), draining.abort_handle(), writing.abort_handle()] {
            tasks.add(task);
        }
        let supervising = supervise(process.clone(), (reading, draining), inbox.clone(), tail.clone());
        tasks.add(tokio::spawn(supervising).abort_handle());
        Ok(Self { process, tail, inbox, outbox: outbox.0, stop_writing, tasks })
    }

    /// Puts a message in the line to be written. Waits while the server does not read.
    pub(crate) async fn send(&self, body: String) -> Result<(), Error> {
        let sent = self.outbox.send(body).await;
        sent.map_err(|_gone| self.inbox.closed_error().unwrap_or_else(|| Error::closed("the server no longer reads")))
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn stderr_tail(&self) -> String {
        self.tail.text()
    }

    /// Ends the process: end of input, then `SIGTERM`, then `SIGKILL`, each given `grace`.
    pub(crate) async fn shutdown(&self, grace: Duration) {
        self.inbox.close(&Closure::other("shut down by this client"));
        self.stop_writing.notify_one();
        if self.process.ended_within(grace).await.is_none() {
            self.process.terminate();
            if self.process.ended_within(grace).await.is_none() {
                self.process.kill();
                self.process.ended_within(grace).await;
            }
        }
        self.release();
    }

    /// Ends everything now, without waiting.
    pub(crate) fn release(&self) {
        self.process.kill();
        self.tasks.abort();
        self.process.disarm();
    }
}

impl Drop for StdioLink {
    fn drop(&mut self) {
        self.inbox.close(&Closure::other("dropped by this client"));
        self.release();
    }
}

/// A program may print what it was started with.
fn scrubbing(log: LineSink, sent: Sent) -> LineSink {
    Arc::new(move |line| log(&sent.scrub(line)))
}

async fn read(stdout: ChildStdout, inbox: Arc<Inbox>, limit: usize) {
    let mut reader = BufReader::with_capacity(READ_BUFFER, stdout);
    let mut line = Vec::new();
    loop {
        match read_line(&mut reader, &mut line, limit).await {
            Ok(Line::Complete) => take_line(&inbox, &line),
            Ok(Line::Skipped { answers: Some(id) }) => fail_oversized(&inbox, id, limit),
            Ok(Line::Skipped { answers: None }) => inbox.close(&Closure::other("the server sent an oversized message")),
            Ok(Line::Endless { answers }) => {
                if let Some(id) = answers {
                    fail_oversized(&inbox, id, limit);
                }
                inbox.close(&Closure::other("the server sent a message without end"));
            }
            Ok(Line::End) | Err(_) => return,
        }
        if inbox.is_closed() {
            return;
        }
    }
}

/// Fails the request that an oversized answer is for; an answer that nobody waits for any more is noise.
fn fail_oversized(inbox: &Inbox, id: u64, limit: usize) {
    if !inbox.fail(id, |method| Error::TooLarge { method, limit }) {
        inbox.count_noise();
    }
}

/// A server's standard input, which it has to read on within `idle`.
struct Writer {
    stdin: ChildStdin,
    idle: Duration,
}

/// Why nothing more can be written.
enum Stuck {
    Closed,
    Unread,
}

impl Writer {
    async fn write(&mut self, mut bytes: &[u8]) -> Result<(), Stuck> {
        while !bytes.is_empty() {
            match tokio::time::timeout(self.idle, self.stdin.write(bytes)).await {
                Ok(Ok(written @ 1..)) => bytes = bytes.get(written..).unwrap_or_default(),
                Ok(_) => return Err(Stuck::Closed),
                Err(_) => return Err(Stuck::Unread),
            }
        }
        Ok(())
    }
}

async fn write(mut writer: Writer, mut outbox: mpsc::Receiver<String>, stop: Arc<Notify>, inbox: Arc<Inbox>) {
    loop {
        let message = tokio::select! {
            biased;
            message = outbox.recv() => message,
            () = stop.notified() => None,
        };
        let Some(mut message) = message else { return };
        message.push('\n');
        let written = tokio::select! {
            written = writer.write(message.as_bytes()) => written,
            () = stop.notified() => return,
        };
        match written {
            Ok(()) => {}
            Err(Stuck::Closed) => break,
            Err(Stuck::Unread) => {
                let idle = writer.idle;
                return inbox.close(&Closure::other(&format!("the server does not read its input for {idle:?}")));
            }
        }
    }
    drop(writer);
    // A dead process explains itself better than a broken pipe does, so its end gets a chance to be noticed first.
    if tokio::time::timeout(LAST_WORDS, inbox.closed()).await.is_err() {
        inbox.close(&Closure::other("the server closed its standard input"));
    }
}

/// Kills the group when the task that watches over it ends early: with the runtime, or with the connection.
struct KillOnDrop(Arc<Process>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        self.0.kill();
    }
}

/// Sees the process to its end, whichever stream or process ends first, and then closes the inbox.
async fn supervise(
    process: Arc<Process>,
    (mut reading, draining): (JoinHandle<()>, JoinHandle<()>),
    inbox: Arc<Inbox>,
    tail: Arc<Tail>,
) {
    let process = KillOnDrop(process);
    let process = &process.0;
    let mut running = std::pin::pin!(process.run_to_end());
    let stdout_ended_first = tokio::select! {
        () = &mut running => false,
        _ended = &mut reading => true,
    };
    if stdout_ended_first {
        if tokio::time::timeout(LAST_WORDS, &mut running).await.is_err() {
            inbox.close(&Closure::other("the server closed its standard output"));
            process.kill();
            running.await;
        }
    } else {
        drop(tokio::time::timeout(LAST_WORDS, reading).await);
    }
    drop(tokio::time::timeout(LAST_WORDS, draining).await);
    let status = process.ended_within(Duration::ZERO).await.unwrap_or_default();
    inbox.close(&Closure::Exited(Arc::new(exit_of(status, tail.text()))));
}

fn exit_of(status: ExitStatus, stderr_tail: String) -> Exit {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    Exit { status: status.code(), signal, stderr_tail }
}
