//! Which of the two protocol eras a server speaks, and remembering it.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::Endpoint;

/// The revision without a handshake: every request carries its version.
pub(crate) const MODERN_VERSION: &str = "2026-07-28";

/// What `initialize` offers, newest first. An answer outside this list is refused.
pub(crate) const LEGACY_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// How a connection is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Era {
    /// `server/discover` and per-request metadata, from 2026-07-28 on.
    Modern,
    /// `initialize`, 2024-11-05 to 2025-11-25.
    Legacy,
}

/// Remembers which era a server speaks, so that a known server is not probed again.
///
/// `key` identifies the definition (a hash of command, arguments and folder, or of the URL; no secret goes in). A
/// wrong memory costs one round trip, never a connection: what is recalled is only tried first.
pub trait EraMemory: Send + Sync {
    /// What is known of the server `key`.
    fn recall(&self, key: &str) -> Option<Era>;

    /// Notes that the server `key` speaks `era`.
    fn remember(&self, key: &str, era: Era);
}

impl fmt::Debug for dyn EraMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EraMemory")
    }
}

/// The key of a definition for [`EraMemory`]: 64 hexadecimal digits.
pub(crate) fn definition_key(endpoint: &Endpoint) -> String {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    match endpoint {
        Endpoint::Stdio(options) => {
            part(b"stdio");
            part(options.command.as_encoded_bytes());
            options.args.iter().for_each(|arg| part(arg.as_encoded_bytes()));
            part(b"cwd");
            part(options.cwd.as_deref().map_or(&[][..], |cwd| cwd.as_os_str().as_encoded_bytes()));
        }
        Endpoint::Http(options) | Endpoint::Sse(options) | Endpoint::HttpAuto(options) => {
            part(b"http");
            part(crate::http::without_secrets(&options.url).as_bytes());
        }
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')));
        text
    })
}
