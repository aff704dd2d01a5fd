//! Ends a server's process group when the host dies without a chance to do it itself.

use std::process::Stdio;

use tokio::process::{Child, Command};

/// A `sh` that waits for the end of its input, which comes when the host is gone, however it went.
///
/// It leads a group of its own, so that neither a Ctrl-C nor the server's end reaches it. Dropping it ends it first.
#[derive(Debug)]
pub(super) struct Watchdog {
    child: Child,
}

impl Watchdog {
    /// Watches over `group`; without a `sh` there is no watchdog, which is worth a warning and no failure.
    pub(super) fn over(group: u32) -> Option<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", r#"while read -r _; do :; done; kill -KILL -"$1""#, "mcp-watchdog"]).arg(group.to_string());
        command.env_clear().current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(child) => Some(Self { child }),
            Err(error) => {
                tracing::warn!(%error, "no watchdog: the server survives if this process is killed");
                None
            }
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Killed before its input ends: it must not fire at a group that is already gone.
        if let Err(error) = self.child.start_kill() {
            tracing::debug!(%error, "watchdog is gone");
        }
        super::process::reap(|| self.child.try_wait());
    }
}
