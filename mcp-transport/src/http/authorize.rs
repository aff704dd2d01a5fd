//! The hook that signs requests in.

use std::fmt;

use ::http::{HeaderMap, Method, StatusCode};
use url::Url;

use super::origin;
use crate::BoxFuture;
use crate::error::Cause;

/// Signs HTTP requests in and decides what a refusal means.
///
/// For every request [`prepare`](Self::prepare) runs, then the request, then [`inspect`](Self::inspect); as long as
/// that says [`Verdict::Retry`] the request goes out again, `prepare` included, at most three times. That is enough for a token
/// refresh (401), wider scopes (403 with `insufficient_scope`) and `DPoP` (`prepare` signs method and URL, `inspect`
/// picks up `DPoP-Nonce` from any response). Calls may run at the same time; a hook serialises what must not.
pub trait Authorize: Send + Sync {
    /// Adds what the request needs to its headers.
    ///
    /// # Errors
    ///
    /// An error ends the request as [`Error::Authorize`](crate::Error::Authorize).
    fn prepare<'a>(&'a self, request: &'a mut RequestHead) -> BoxFuture<'a, Result<(), Cause>>;

    /// Looks at every response, also good ones, before its body is read.
    ///
    /// # Errors
    ///
    /// An error ends the request as [`Error::Authorize`](crate::Error::Authorize).
    fn inspect<'a>(
        &'a self,
        request: &'a RequestHead,
        response: &'a ResponseHead,
    ) -> BoxFuture<'a, Result<Verdict, Cause>>;
}

impl fmt::Debug for dyn Authorize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Authorize")
    }
}

/// A request that is about to go out, or that went out. `Debug` shows no path, no query and no header value.
#[non_exhaustive]
pub struct RequestHead {
    /// The HTTP method.
    pub method: Method,
    /// The URL, with its query.
    pub url: Url,
    /// All headers so far.
    pub headers: HeaderMap,
}

impl RequestHead {
    pub(crate) fn new(method: Method, url: Url, headers: HeaderMap) -> Self {
        Self { method, url, headers }
    }
}

impl fmt::Debug for RequestHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RequestHead")
            .field("method", &self.method)
            .field("origin", &origin(&self.url))
            .field("headers", &Names(&self.headers))
            .finish()
    }
}

/// A response whose body has not been read. `Debug` shows no header value.
#[non_exhaustive]
pub struct ResponseHead {
    /// The status.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
}

impl ResponseHead {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap) -> Self {
        Self { status, headers }
    }
}

impl fmt::Debug for ResponseHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ResponseHead")
            .field("status", &self.status)
            .field("headers", &Names(&self.headers))
            .finish()
    }
}

/// The names of headers: their values may be credentials.
pub(super) struct Names<'a>(pub(super) &'a HeaderMap);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// What to do with a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Take it as it is; a 401 then ends the request as [`Error::AuthRequired`](crate::Error::AuthRequired).
    Accept,
    /// Send the request again.
    Retry,
}
