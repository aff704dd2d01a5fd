//! A string that must not be shown.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// What stands in the place of a secret wherever one would be shown.
pub const REDACTED: &str = "[redacted]";

/// A value that prints `[redacted]`, and has neither `Display` nor `Serialize`.
///
/// ```
/// let secret = mcp_config::Secret::new("hunter2");
/// assert_eq!(format!("{secret:?}"), "[redacted]");
/// assert_eq!(secret.expose(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the value. Call this where it leaves for the server it belongs to, and nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(REDACTED)
    }
}

/// Returns the SHA-256 of `bytes` in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a `String` cannot fail.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}
