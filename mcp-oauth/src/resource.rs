//! The name under which an authorization server knows a protected resource.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

/// The identifier of an MCP server as an OAuth resource
/// ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707), MCP 2026-07-28 "Canonical Server URI").
///
/// The text is kept exactly as it was formed or published: a URL type that adds a slash to a bare origin makes
/// authorization servers that compare strings refuse the request.
///
/// ```
/// use mcp_oauth::Resource;
/// use url::Url;
///
/// let url = Url::parse("HTTPS://MCP.Example.com:443/?debug=1#top")?;
/// assert_eq!(Resource::canonical(&url).as_str(), "https://mcp.example.com");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Resource(String);

impl Resource {
    /// The canonical form of a server's URL, by these steps:
    ///
    /// 1. scheme and host in lower case, the scheme's default port left out;
    /// 2. user name, password, query and fragment left out: they are no part of the resource and may be secret;
    /// 3. a path that is only `/` left out, any other path kept as it is, with its last slash.
    pub fn canonical(url: &Url) -> Self {
        let mut bare = url.clone();
        bare.set_query(None);
        bare.set_fragment(None);
        // Both fail only for URLs that cannot have a user at all.
        if bare.set_username("").and_then(|()| bare.set_password(None)).is_err() {
            return Self(bare.into());
        }
        let text: String = bare.into();
        match text.strip_suffix('/') {
            Some(origin) if url.path() == "/" => Self(origin.to_owned()),
            _ => Self(text),
        }
    }

    /// The identifier that a metadata document publishes, byte for byte.
    pub fn published(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The identifier as the `resource` parameter carries it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a token for this resource may be sent to `url`: the origins are equal, and this path is the path of
    /// `url` or a prefix of it that ends at a segment boundary. Queries are not compared.
    ///
    /// A metadata document whose `resource` does not cover the server's URL speaks of another server
    /// ([RFC 9728 §3.3](https://www.rfc-editor.org/rfc/rfc9728#section-3.3)).
    pub fn covers(&self, url: &Url) -> bool {
        let Ok(own) = Url::parse(&self.0) else { return false };
        if own.origin() != url.origin() || !own.origin().is_tuple() {
            return false;
        }
        match url.path().strip_prefix(own.path().trim_end_matches('/')) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        }
    }
}

/// Writes the origin: a path may be a credential, as it is in many a server's address. [`as_str`](Resource::as_str) has the
/// whole.
impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Url::parse(&self.0) {
            Ok(url) if url.origin().is_tuple() => formatter.write_str(&url.origin().ascii_serialization()),
            Ok(url) => write!(formatter, "{}:…", url.scheme()),
            Err(_) => formatter.write_str("…"),
        }
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Resource({self})")
    }
}

#[cfg(test)]
mod tests;
