//! A string that must not be seen.

use std::fmt;

use zeroize::Zeroizing;

/// A token, a client secret, a code or a key: text that is wiped when dropped and never printed.
///
/// `Debug` prints `[redacted]`; there is no `Display`, no `Serialize` and no `Hash`. The text comes out only through
/// [`Secret::expose`], so that every place where one leaves the program can be found by searching for that word.
///
/// ```
/// use mcp_oauth::Secret;
///
/// let token = Secret::new("eyJhbGciOi");
/// assert_eq!(format!("{token:?}"), "[redacted]");
/// assert_eq!(token.expose(), "eyJhbGciOi");
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes ownership of `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself. The caller must not log it, print it or put it in an error.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the text is empty. An empty secret is never stored and never sent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[redacted]")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl PartialEq for Secret {
    /// Compares every byte whatever the first difference, so that the time taken does not tell where it is.
    fn eq(&self, other: &Self) -> bool {
        let (left, right) = (self.0.as_bytes(), other.0.as_bytes());
        left.len() == right.len() && left.iter().zip(right).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }
}

impl Eq for Secret {}

#[cfg(test)]
mod tests;
