//! What an operating system offers to end a process together with everything it started.
//!
//! | | Unix | Windows |
//! |---|---|---|
//! | held together by | a process group, led by the child | a job object |
//! | asked to end | `SIGTERM` to the group | nothing: the end of its input has to do |
//! | ended | `SIGKILL` to the group | the job is terminated |
//! | when the host is killed | a watchdog kills the group | the job's last handle closes, which ends it |
//!
//! A process that leaves its group (`setsid`) is out of reach on Unix. Windows is compiled, not tested, by its authors.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{Leader, id, kill, leader_exited, spawn, streams, terminate, wait};
#[cfg(windows)]
pub(super) use windows::{Leader, id, kill, leader_exited, spawn, streams, terminate, wait};
