//! A server that speaks `OpenAI`'s `/v1/embeddings`.

use std::error::Error as StdError;
use std::time::Duration;

use futures_util::StreamExt as _;
use mcp_config::Secret;
use mcp_search::Embed;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::failure::{Failure, quoted};
use super::tls::tls;
use crate::loopback::is_loopback;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest answer that is read: 32 vectors of 4,096 numbers take about 2 MB.
const MOST_BYTES: usize = 16 << 20;
/// How much of a refusal is read.
const REFUSAL_BYTES: usize = 4 << 10;

/// A model behind an address that takes `POST …/embeddings`, as `OpenAI`'s API, vLLM, Ollama, llama.cpp and others do:
/// <https://platform.openai.com/docs/api-reference/embeddings/create>.
///
/// ```
/// use mcp_client::embed::{DenseLeg, EmbeddingEndpoint};
///
/// let endpoint = EmbeddingEndpoint::new("http://127.0.0.1:11434/v1", "all-minilm")?;
/// let leg = DenseLeg::of_model(endpoint);
/// # drop(leg);
/// # Ok::<(), mcp_client::embed::Failure>(())
/// ```
#[derive(Debug)]
pub struct EmbeddingEndpoint {
    url: Url,
    /// What the server calls the model.
    id: String,
    /// The model and where it is: other servers may have another of the same id.
    model: String,
    key: Option<Secret>,
    client: reqwest::Client,
}

#[derive(Deserialize)]
struct Listing {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

impl EmbeddingEndpoint {
    /// The model of this name below a base address such as `https://api.openai.com/v1`, reached directly. Asks nothing yet.
    ///
    /// # Errors
    ///
    /// [`Failure::Address`] for anything but an `http` or `https` URL.
    pub fn new(base: &str, model: impl Into<String>) -> Result<Self, Failure> {
        let refused = |reason: &str| Failure::Address { address: base.to_owned(), reason: reason.to_owned() };
        let mut url = Url::parse(base).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused("expected http or https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Failure::Address {
                address: url.host_str().unwrap_or_default().to_owned(),
                reason: "a name or password in it would end up in logs; give a key".to_owned(),
            });
        }
        url.path_segments_mut().map_err(|()| refused("it has no path"))?.pop_if_empty().push("embeddings");
        let client = client(&url, None).map_err(|reason| refused(&reason))?;
        let id = model.into();
        Ok(Self { model: format!("{id} at {url}"), url, id, key: None, client })
    }

    /// Sends this key as a bearer token.
    ///
    /// # Errors
    ///
    /// [`Failure::Address`] when it would travel unencrypted to another machine.
    pub fn with_key(mut self, key: Secret) -> Result<Self, Failure> {
        if self.url.scheme() == "http" && !is_loopback(&self.url) {
            let reason = "a key is sent over https only".to_owned();
            return Err(Failure::Address { address: self.url.to_string(), reason });
        }
        self.key = Some(key);
        Ok(self)
    }

    /// Sends requests through the proxy at this address, which may carry a name and a password.
    ///
    /// # Errors
    ///
    /// [`Failure::Address`] when it is none.
    pub fn with_proxy(mut self, proxy: &Url) -> Result<Self, Failure> {
        // The address is not repeated: a password may be in it.
        let refused = |reason| Failure::Address { address: "the proxy".to_owned(), reason };
        self.client = client(&self.url, Some(proxy)).map_err(refused)?;
        Ok(self)
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let body = json!({"model": self.id, "input": texts, "encoding_format": "float"});
        let mut request = self.client.post(self.url.clone()).json(&body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose());
        }
        let response = request.send().await.map_err(|error| self.broken(error))?;
        let status = response.status();
        if !status.is_success() {
            let said = self.body(response, REFUSAL_BYTES).await.unwrap_or_default();
            let message = format!("{status} {}", quoted(&String::from_utf8_lossy(&said)));
            return Err(Failure::Refused { backend: self.url.to_string(), message });
        }
        let body = self.body(response, MOST_BYTES).await?;
        let listing: Listing = serde_json::from_slice(&body).map_err(|source| self.nonsense(Some(source)))?;
        self.in_order(listing, texts.len())
    }

    fn in_order(&self, listing: Listing, texts: usize) -> Result<Vec<Vec<f32>>, Failure> {
        let mut embeddings = listing.data;
        embeddings.sort_by_key(|embedding| embedding.index);
        if !embeddings.iter().map(|embedding| embedding.index).eq(0..texts) {
            return Err(self.nonsense(None));
        }
        Ok(embeddings.into_iter().map(|embedding| embedding.embedding).collect())
    }

    async fn body(&self, response: reqwest::Response, limit: usize) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| self.broken(error))?;
            if body.len() + chunk.len() > limit {
                return Err(Failure::TooLong { backend: self.url.to_string(), limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn broken(&self, error: reqwest::Error) -> Failure {
        Failure::Broken { backend: self.url.to_string(), source: Box::new(error.without_url()) }
    }

    fn nonsense(&self, source: Option<serde_json::Error>) -> Failure {
        Failure::Answer { backend: self.url.to_string(), expected: "one embedding a text", source }
    }
}

impl Embed for EmbeddingEndpoint {
    fn model(&self) -> &str {
        &self.model
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
        Ok(self.ask(texts).await?)
    }
}

/// A client that follows no redirect, which could take the key elsewhere, and no proxy but the one it is given.
fn client(url: &Url, proxy: Option<&Url>) -> Result<reqwest::Client, String> {
    let failed = |error: reqwest::Error| error.without_url().to_string();
    let needs_tls = url.scheme() == "https" || proxy.is_some_and(|proxy| proxy.scheme() == "https");
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(needs_tls).map_err(|error| error.to_string())?)
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy();
    let builder = match proxy {
        Some(proxy) => builder.proxy(reqwest::Proxy::all(proxy.as_str()).map_err(failed)?),
        None => builder,
    };
    builder.build().map_err(failed)
}
