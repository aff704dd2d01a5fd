//! One HTTP exchange: login, redirects, polite waiting, bounded bodies.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::http::header::{CONTENT_TYPE, DATE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use ::http::{HeaderMap, HeaderValue, Method, StatusCode};
use bytes::Bytes;
use futures_util::StreamExt as _;
use reqwest::Response;
use url::Url;

use super::authorize::Names;
use super::request::Request;
use super::{
    Authorize, HttpOptions, Proxy, RequestHead, ResponseHead, Verdict, checked_headers, checked_url, page, shown,
};
use crate::loopback::is_loopback;
use crate::sent::Sent;
use crate::tls::tls;
use crate::wire::preview;
use crate::{ConnectOptions, Error};

/// Reaching a host takes this long at most; what happens then has the caller's timeout.
const CONNECT: Duration = Duration::from_secs(10);

/// An idle connection is not used again after this: many servers (Node's default) close theirs after five seconds, and
/// a request that meets the closing is lost.
const IDLE_CONNECTION: Duration = Duration::from_secs(4);

/// How often a login hook may ask to send a request again.
const LOGIN_TRIES: u32 = 3;

/// So much of a body is shown in an error.
const EXCERPT: usize = 500;

/// Redirects of one request.
const REDIRECTS: u32 = 5;

/// Sends requests to one server.
pub(crate) struct HttpClient {
    client: reqwest::Client,
    pub(crate) url: Url,
    headers: HeaderMap,
    authorize: Option<Arc<dyn Authorize>>,
    error_body: usize,
    /// What the address is called, where it may not be told as it is.
    label: Option<String>,
    sent: Sent,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("HttpClient");
        text.field("url", &self.shown(&self.url)).field("headers", &Names(&self.headers)).finish_non_exhaustive()
    }
}

impl HttpClient {
    pub(crate) fn new(options: &HttpOptions, connect: &ConnectOptions) -> Result<Self, Error> {
        let url = checked_url(options)?;
        let headers = checked_headers(options)?;
        let client = build(options, &url)?;
        Ok(Self {
            client,
            url,
            headers,
            authorize: options.authorize.clone(),
            error_body: connect.limits.error_body,
            label: options.label.clone(),
            sent: connect.sent.clone(),
        })
    }

    /// What may be said of an address of this server: what the caller calls it, else all but the query.
    pub(crate) fn shown(&self, url: &Url) -> String {
        self.label.clone().unwrap_or_else(|| shown(url))
    }

    /// The beginning of a body, for an error.
    pub(crate) fn excerpt(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        let text = self.sent.scrub(text.trim());
        page::described(&text).unwrap_or_else(|| preview(&text, EXCERPT).into_owned())
    }

    /// Sends a request and returns a response with whatever status the server chose, except those that mean "elsewhere" or
    /// "later" and could be followed.
    pub(crate) async fn exchange(&self, request: Request) -> Result<Response, Error> {
        let mut url = request.url.clone();
        let (mut redirects, mut waits) = (0, 0);
        loop {
            let outcome = self.signed_in(&request, &url).await;
            if let Ok(response) = &outcome
                && response.status().is_redirection()
                && response.headers().contains_key(LOCATION)
            {
                redirects += 1;
                url = self.followed(&request.method, &url, response, redirects)?;
                continue;
            }
            match request.polite_wait(&outcome, waits) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return outcome,
            }
            waits += 1;
        }
    }

    async fn signed_in(&self, request: &Request, url: &Url) -> Result<Response, Error> {
        for attempt in 0.. {
            let mut head = RequestHead::new(request.method.clone(), url.clone(), self.headers.clone());
            head.headers.extend(request.headers.clone());
            if let Some(authorize) = &self.authorize {
                authorize.prepare(&mut head).await.map_err(|source| self.authorize_failed(url, source))?;
            }
            let response = self.send(&head, request.body.as_ref()).await?;
            let Some(authorize) = &self.authorize else { return Ok(response) };
            let seen = ResponseHead::new(response.status(), response.headers().clone());
            let verdict = authorize.inspect(&head, &seen).await.map_err(|source| self.authorize_failed(url, source))?;
            if verdict == Verdict::Accept || attempt == LOGIN_TRIES {
                return Ok(response);
            }
        }
        Err(Error::closed("no attempt was made"))
    }

    async fn send(&self, head: &RequestHead, body: Option<&Bytes>) -> Result<Response, Error> {
        let mut request = self.client.request(head.method.clone(), head.url.clone()).headers(head.headers.clone());
        if let Some(body) = body {
            request = request.body(body.clone());
        }
        self.sent.note(&head.headers);
        request.send().await.map_err(|error| network_error(self.shown(&head.url), error))
    }

    /// What a status without an answer means.
    pub(crate) async fn status_error(&self, response: Response) -> Error {
        let (url, status) = (self.shown(response.url()), response.status());
        let challenge = header_text(response.headers(), WWW_AUTHENTICATE.as_str());
        if status == StatusCode::UNAUTHORIZED || (status == StatusCode::FORBIDDEN && challenge.is_some()) {
            return Error::AuthRequired { url, status: status.as_u16(), challenge };
        }
        let retry_after = retry_after(response.headers());
        let body = read_prefix(response, self.error_body).await;
        let detail = match self.excerpt(&body) {
            nothing if nothing.is_empty() => status.canonical_reason().unwrap_or("no explanation").to_owned(),
            text => text,
        };
        Error::Http { url, status: status.as_u16(), detail, retry_after }
    }

    fn authorize_failed(&self, url: &Url, source: crate::error::Cause) -> Error {
        Error::Authorize { url: self.shown(url), source: source.into() }
    }

    /// Where a redirect leads, if the request may go there: the same server, with the method unchanged.
    fn followed(&self, method: &Method, url: &Url, response: &Response, redirects: u32) -> Result<Url, Error> {
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok()).unwrap_or_default();
        let target = url.join(location).unwrap_or_else(|_| url.clone());
        let is_here = target.origin() == url.origin();
        let refuse = |reason| {
            let target = if is_here { self.shown(&target) } else { shown(&target) };
            Error::Redirect { url: self.shown(url), target, reason }
        };
        if redirects > REDIRECTS {
            return Err(refuse("and that again: too many redirects"));
        }
        if !is_here {
            return Err(refuse(
                "another server, which must not see headers and logins; use that address if you trust it",
            ));
        }
        let keeps_method = matches!(response.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        if !keeps_method && *method != Method::GET {
            return Err(refuse("which would drop the message; use that address instead"));
        }
        Ok(target)
    }

    /// The whole body, if it has at most `limit` bytes after decompression.
    pub(crate) async fn body(&self, response: Response, limit: usize) -> Result<Option<Vec<u8>>, Error> {
        let url = response.url().clone();
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| network_error(self.shown(&url), error))?;
            if body.len() + chunk.len() > limit {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }
}

fn network_error(url: String, error: reqwest::Error) -> Error {
    let unreachable = error.is_connect() || error.is_timeout();
    let source = error.without_url().into();
    if unreachable { Error::Unreachable { url, source } } else { Error::Interrupted { url, source } }
}

/// `Retry-After` (RFC 9110 §10.2.3). Its form as a date is read by the response's own `Date`: our clock and the server's
/// need not agree.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = header_text(headers, RETRY_AFTER.as_str())?;
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text: &str| httpdate::parse_http_date(text.trim()).ok();
    let (until, now) = (date(&text)?, date(&header_text(headers, DATE.as_str())?)?);
    Some(until.duration_since(now).unwrap_or_default())
}

pub(crate) fn header_text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned)
}

/// Whether a response's media type is `expected`, whatever its parameters.
pub(crate) fn has_media_type(headers: &HeaderMap, expected: &str) -> bool {
    header_text(headers, CONTENT_TYPE.as_str())
        .is_some_and(|text| text.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(expected))
}

/// The beginning of the body; a broken body is as good as a short one.
async fn read_prefix(response: Response, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        body.extend_from_slice(&chunk);
        if body.len() >= limit {
            body.truncate(limit);
            break;
        }
    }
    body
}

fn build(options: &HttpOptions, url: &Url) -> Result<reqwest::Client, Error> {
    let unusable = |option: &'static str, error: &dyn std::error::Error| Error::InvalidOption {
        option,
        reason: error.to_string(),
    };
    // Redirects never leave the server, so a plain `http` address stays one.
    let tls = tls(url.scheme() == "https").map_err(|error| unusable("url", &error))?;
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE_CONNECTION)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true)
        .user_agent(HeaderValue::from_static(concat!("mcp-transport/", env!("CARGO_PKG_VERSION"))));
    builder = match &options.proxy {
        _ if is_loopback(url) => builder.no_proxy(),
        Proxy::System => builder,
        Proxy::Direct => builder.no_proxy(),
        Proxy::Url(proxy) => {
            builder.proxy(reqwest::Proxy::all(proxy).map_err(|error| unusable("proxy", &error.without_url()))?)
        }
    };
    builder.build().map_err(|error| unusable("url", &error.without_url()))
}
