//! Servers that are reached over HTTP.

mod authorize;
mod client;
mod events;
mod link;
mod page;
mod posting;
mod request;
mod sse;
mod tool_headers;

use std::fmt;
use std::sync::Arc;

use ::http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

pub use authorize::{Authorize, RequestHead, ResponseHead, Verdict};
pub(crate) use link::HttpLink;
pub(crate) use sse::SseLink;
pub(crate) use tool_headers::ToolHeaders;

use crate::loopback::is_loopback;
use crate::{ConnectOptions, Error};

/// How to reach a server over HTTP.
///
/// `Debug` shows the names of headers, never their values, and the URL without its query.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// An `http` or `https` URL.
    pub url: String,
    /// Sent with every request. Names the protocol owns (`Accept`, `Mcp-*`, …) are refused.
    pub headers: Vec<(String, String)>,
    /// Whether headers and logins may travel over plain `http` beyond this machine. Default no.
    pub allow_insecure: bool,
    /// Which proxy to go through. Default [`Proxy::System`].
    pub proxy: Proxy,
    /// Signs requests in; nobody by default.
    pub authorize: Option<Arc<dyn Authorize>>,
    /// What errors call the URL where not even its path may be told. Default its scheme, host, port and path.
    pub label: Option<String>,
}

impl HttpOptions {
    /// The server at `url`, without headers or login.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Vec::new(),
            allow_insecure: false,
            proxy: Proxy::default(),
            authorize: None,
            label: None,
        }
    }

    /// Sends a header with every request.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Lets headers and logins travel over plain `http` beyond this machine.
    #[must_use]
    pub fn with_insecure_allowed(mut self) -> Self {
        self.allow_insecure = true;
        self
    }

    /// Chooses the proxy.
    #[must_use]
    pub fn with_proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// Lets `authorize` sign requests in.
    #[must_use]
    pub fn with_authorize(mut self, authorize: Arc<dyn Authorize>) -> Self {
        self.authorize = Some(authorize);
        self
    }

    /// Calls the URL `label` in every error: its template, where what stands for a variable is a secret.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        client::HttpClient::new(self, &ConnectOptions::default()).map(drop)
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("HttpOptions")
            .field("url", &self.label.clone().unwrap_or_else(|| without_secrets(&self.url)))
            .field("headers", &format_args!("{names:?} [redacted]"))
            .field("allow_insecure", &self.allow_insecure)
            .field("proxy", &self.proxy)
            .finish_non_exhaustive()
    }
}

/// Which proxy HTTP goes through. Servers on this machine are always reached directly.
#[derive(Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Proxy {
    /// What `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` of this process say.
    #[default]
    System,
    /// None.
    Direct,
    /// This one, for everything.
    Url(String),
}

impl fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => formatter.write_str("System"),
            Self::Direct => formatter.write_str("Direct"),
            Self::Url(url) => formatter.debug_tuple("Url").field(&without_secrets(url)).finish(),
        }
    }
}

/// Scheme, host, port and path of a URL: what may be shown. Not even that of something that is no URL.
pub(crate) fn without_secrets(url: &str) -> String {
    Url::parse(url).map_or_else(|_| "an invalid URL".to_owned(), |url| shown(&url))
}

/// Scheme, host, port and path of a URL.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only for URLs that cannot carry a user, and those carry none.
    let stripped = url.set_username("").and_then(|()| url.set_password(None));
    if stripped.is_err() { url.scheme().to_owned() } else { url.to_string() }
}

/// Scheme, host and port of a URL.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The URL, if the options make sense together.
fn checked_url(options: &HttpOptions) -> Result<Url, Error> {
    let invalid = |option, reason: String| Error::InvalidOption { option, reason };
    let url = Url::parse(&options.url).map_err(|error| invalid("url", error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("url", format!("scheme must be http or https, found `{}`", url.scheme())));
    }
    let carries_secrets = !options.headers.is_empty() || options.authorize.is_some() || url.password().is_some();
    if carries_secrets && url.scheme() == "http" && !is_loopback(&url) && !options.allow_insecure {
        let reason = "headers and logins are not sent over plain http beyond this machine; use https or allow it";
        return Err(invalid("url", reason.to_owned()));
    }
    Ok(url)
}

/// The user's headers, checked. Errors name the header, never its value.
fn checked_headers(options: &HttpOptions) -> Result<HeaderMap, Error> {
    let invalid = |reason: String| Error::InvalidOption { option: "headers", reason };
    let mut headers = HeaderMap::new();
    for (name, value) in &options.headers {
        let parsed =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_e| invalid(format!("`{name}` is no header name")));
        let parsed = parsed?;
        if is_reserved(parsed.as_str()) {
            return Err(invalid(format!("`{name}` belongs to the protocol")));
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_e| invalid(format!("the value of `{name}` has characters no header may have")))?;
        value.set_sensitive(true);
        headers.append(parsed, value);
    }
    Ok(headers)
}

fn is_reserved(name: &str) -> bool {
    let owned = ["accept", "accept-encoding", "connection", "content-length", "content-type", "host", "last-event-id"];
    owned.contains(&name) || name.starts_with("mcp-") || name == "transfer-encoding"
}

#[cfg(test)]
mod tests;
