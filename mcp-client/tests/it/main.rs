//! The facade as an agent author uses it, against scripted servers.
#![expect(clippy::unwrap_used, reason = "a test that cannot set up its stage has failed")]

mod calling;
mod connecting;
mod conversation;
#[cfg(feature = "embedding-model")]
mod embedding;
mod keeping;
mod logins;
mod meaning;
mod permissions;
mod pinning;
mod questions;
mod retrying;
mod secrets;
mod stage;
