//! Lists of scopes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Most scopes that are kept. Real servers list a few dozen; a list is searched for every scope that is added to it.
const MOST_SCOPES: usize = 1024;

/// Scopes in the order in which they were first named, each once
/// ([RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)). Of a longer list the first 1,024 count.
///
/// ```
/// use mcp_oauth::Scopes;
///
/// let held = Scopes::parse("files:read profile");
/// let asked = held.union(&Scopes::parse("files:write files:read"));
/// assert_eq!(asked.to_string(), "files:read profile files:write");
/// assert!(asked.covers(&held));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Scopes(Vec<String>);

impl Scopes {
    /// Reads a list separated by white space; never fails.
    pub fn parse(text: &str) -> Self {
        text.split_whitespace().collect()
    }

    /// Whether there is no scope at all: a request then leaves the parameter out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scopes in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether `scope` is one of them. Scopes are compared byte by byte.
    pub fn contains(&self, scope: &str) -> bool {
        self.0.iter().any(|known| known == scope)
    }

    /// Whether every scope of `other` is one of these.
    pub fn covers(&self, other: &Self) -> bool {
        other.iter().all(|scope| self.contains(scope))
    }

    /// These scopes but for those of `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.iter().filter(|scope| !other.contains(scope)).collect()
    }

    /// These scopes, followed by those of `other` that are not among them.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }
}

impl<'a> FromIterator<&'a str> for Scopes {
    fn from_iter<I: IntoIterator<Item = &'a str>>(scopes: I) -> Self {
        let mut list = Self::default();
        for scope in scopes {
            if list.0.len() >= MOST_SCOPES {
                break;
            }
            if !list.contains(scope) {
                list.0.push(scope.to_owned());
            }
        }
        list
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(" "))
    }
}

impl From<String> for Scopes {
    fn from(text: String) -> Self {
        Self::parse(&text)
    }
}

impl From<Scopes> for String {
    fn from(scopes: Scopes) -> Self {
        scopes.to_string()
    }
}

#[cfg(test)]
mod tests;
