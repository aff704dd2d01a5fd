//! The HTTP client that ships with the crate.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use http::{Request, Response};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use crate::error::Error;
use crate::guard::{Reach, shown};
use crate::tls::tls;
use crate::web::{BoxFuture, Web};

/// Longest answer that is read, in bytes. Metadata and token responses are a few kilobytes.
const LONGEST_BODY: usize = 1024 * 1024;

/// Time for one exchange, connecting included. A token endpoint that takes longer is treated as down.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(30);

/// Time to connect, within the exchange.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// [`Web`] over `reqwest`, with rustls on `ring` and the operating system's certificates.
///
/// It follows no redirect, keeps no cookie, asks no proxy unless it was given one, answers within 30 s or not at all, and
/// reads at most 1 MiB. Host names are resolved by the system, and an address outside the [`Reach`] is not connected to,
/// whatever the name resolved to when the URL was checked.
#[derive(Clone)]
pub struct HttpsClient {
    client: reqwest::Client,
    reach: Reach,
}

impl HttpsClient {
    /// A client that connects directly.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] when the TLS stack cannot start, as when the system has no certificate store.
    pub fn new(reach: Reach) -> Result<Self, Error> {
        Self::through(reach, |_| None)
    }

    /// A client that connects through the proxy that `choose` names for a URL, and directly where it names none. The proxy
    /// resolves names, so the check of addresses at the moment of connecting is the proxy's to make.
    ///
    /// # Errors
    ///
    /// Those of [`HttpsClient::new`].
    pub fn through(reach: Reach, choose: impl Fn(&Url) -> Option<Url> + Send + Sync + 'static) -> Result<Self, Error> {
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| Error::Unreachable {
            url: "https://".to_owned(),
            source,
        };
        let builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls(true).map_err(|source| failed(Box::new(source)))?)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .timeout(EXCHANGE_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .dns_resolver(GuardedResolver { reach })
            .user_agent(concat!("mcp-toolkit/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .proxy(reqwest::Proxy::custom(choose));
        let client = builder.build().map_err(|source| failed(Box::new(source)))?;
        Ok(Self { client, reach })
    }

    async fn exchange(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Error> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string())
            .map_err(|source| Error::Unreachable { url: parts.uri.path().to_owned(), source: Box::new(source) })?;
        self.reach.check(&url)?;
        // A URL inside the error would show the query; ours is shown without it.
        let unreachable =
            |source: reqwest::Error| Error::Unreachable { url: shown(&url), source: Box::new(source.without_url()) };
        let sent = self.client.request(parts.method, url.clone()).headers(parts.headers).body(body).send();
        let mut answer = sent.await.map_err(unreachable)?;
        let mut response = Response::new(Vec::new());
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
            if response.body().len() + chunk.len() > LONGEST_BODY {
                return Err(Error::Unreachable { url: shown(&url), source: Box::new(TooLong) });
            }
            response.body_mut().extend_from_slice(&chunk);
        }
        Ok(response)
    }
}

impl fmt::Debug for HttpsClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpsClient").field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl Web for HttpsClient {
    fn send(&self, request: Request<Vec<u8>>) -> BoxFuture<'_, Result<Response<Vec<u8>>, Error>> {
        Box::pin(self.exchange(request))
    }
}

/// Resolves names with the system's resolver and drops the addresses that are out of reach.
struct GuardedResolver {
    reach: Reach,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|address| reach.allows(address.ip())).collect();
            if allowed.is_empty() {
                return Err(Box::from(OutOfReach));
            }
            let allowed: Addrs = Box::new(allowed.into_iter());
            Ok(allowed)
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the name leads to no address that a server may refer to")]
struct OutOfReach;

#[derive(Debug, thiserror::Error)]
#[error("the answer is longer than {LONGEST_BODY} bytes")]
struct TooLong;

#[cfg(test)]
mod tests;
