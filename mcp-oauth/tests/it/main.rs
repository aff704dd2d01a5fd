//! Logins from beginning to end, against an authorization server in the test's own process.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by panicking")]

mod authorize;
mod device;
#[cfg(all(feature = "keyring", target_os = "linux"))]
mod keyring;
mod leaks;
mod login;
mod logout;
mod processes;
mod renewal;
mod support;
mod unattended;
