//! How this crate speaks HTTP.

use std::fmt;
use std::pin::Pin;

use http::header::{ACCEPT, LOCATION};
use http::{HeaderValue, Method, Request, Response};
use url::Url;

use crate::error::Error;
use crate::guard::{Reach, shown};

/// A future on the heap, as traits that are stored as `dyn` return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Most redirects followed for a metadata document. Requests that carry a secret follow none.
const MOST_REDIRECTS: usize = 10;

/// The protocol revision that discovery requests name, which 2025-03-26 asks for.
const PROTOCOL_VERSION: &str = "2026-07-28";

/// Sends one request and returns its answer, whatever the status.
///
/// An implementation
///
/// 1. follows no redirect: a redirected token request would hand its secrets to another host;
/// 2. bounds the time and the size of the answer, reporting [`Error::Unreachable`];
/// 3. checks the address it connects to against the [`Reach`] it was made for;
/// 4. logs no header and no body.
///
/// [`HttpsClient`](crate::HttpsClient) is one; a host with its own HTTP stack brings another.
pub trait Web: Send + Sync + fmt::Debug {
    /// Sends `request` and reads the whole answer. Dropping the future abandons the exchange.
    fn send(&self, request: Request<Vec<u8>>) -> BoxFuture<'_, Result<Response<Vec<u8>>, Error>>;
}

/// Fetches the JSON document at `url`, following redirects, each of which is checked like the URL itself.
pub(crate) async fn fetch(web: &dyn Web, reach: Reach, url: &Url) -> Result<Response<Vec<u8>>, Error> {
    let mut url = url.clone();
    for _ in 0..=MOST_REDIRECTS {
        reach.check(&url)?;
        let response = web.send(document_request(&url)?).await?;
        let Some(next) = redirected(&url, &response) else { return Ok(response) };
        if url.scheme() == "https" && next.scheme() != "https" {
            return Err(Error::UnsafeUrl { url: shown(&next), reason: "it is a redirect from https to http" });
        }
        url = next;
    }
    Err(Error::UnsafeUrl { url: shown(&url), reason: "it is one redirect too many" })
}

fn document_request(url: &Url) -> Result<Request<Vec<u8>>, Error> {
    let mut request = request(Method::GET, url, Vec::new())?;
    request.headers_mut().insert("mcp-protocol-version", HeaderValue::from_static(PROTOCOL_VERSION));
    Ok(request)
}

/// A request that accepts JSON; the URL's fragment is not part of it.
pub(crate) fn request(method: Method, url: &Url, body: Vec<u8>) -> Result<Request<Vec<u8>>, Error> {
    let built = Request::builder()
        .method(method)
        .uri(url.as_str().split('#').next().unwrap_or_default())
        .header(ACCEPT, "application/json")
        .body(body);
    built.map_err(|source| Error::Unreachable { url: shown(url), source: Box::new(source) })
}

fn redirected(from: &Url, response: &Response<Vec<u8>>) -> Option<Url> {
    let moved = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let target = response.headers().get(LOCATION)?.to_str().ok()?;
    moved.then(|| from.join(target).ok()).flatten()
}
