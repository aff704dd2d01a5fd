//! The leg over a model: whose vectors are kept here.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;

use mcp_search::{Embed, Similarities, Vectors};
use tokio::time::Instant;

use super::failure::Failure;
use super::leg::{Limits, Reading};
use crate::client::Client;

/// How many texts a model is given at once.
const BATCH: usize = 32;

type Vectored<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>>> + Send + 'a>>;

/// [`Embed`] for any model: the one place where its futures are boxed.
trait Model: Send + Sync {
    fn name(&self) -> &str;
    fn vectors<'a>(&'a self, texts: &'a [String]) -> Vectored<'a>;
}

impl<E: Embed> Model for E {
    fn name(&self) -> &str {
        self.model()
    }

    fn vectors<'a>(&'a self, texts: &'a [String]) -> Vectored<'a> {
        Box::pin(self.embed(texts))
    }
}

struct Boxed(Box<dyn Model>);

impl fmt::Debug for Boxed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Model").field(&self.0.name()).finish()
    }
}

/// A model, and the vectors that it gave.
#[derive(Debug)]
pub(super) struct ModelWay {
    model: Boxed,
    vectors: tokio::sync::Mutex<Vectors>,
}

impl ModelWay {
    pub(super) fn new(model: impl Embed + 'static) -> Self {
        let vectors = tokio::sync::Mutex::new(Vectors::new(model.model()));
        Self { model: Boxed(Box::new(model)), vectors }
    }

    pub(super) async fn read(&self, client: &Client, query: &str, limits: Limits) -> Result<Reading, Failure> {
        let phrases = mcp_search::phrases(query);
        if phrases.is_empty() {
            return Ok(Reading::Similar(Similarities::default()));
        }
        let mut vectors = self.vectors.lock().await;
        let (missing, tools) = {
            let known = client.known();
            (vectors.update(known.index()), known.index().len())
        };
        for batch in missing.chunks(BATCH) {
            if Instant::now() >= limits.deadline {
                return Ok(Reading::Unfinished { read: vectors.ready(), tools });
            }
            let texts: Vec<String> = batch.iter().map(|missing| missing.text.clone()).collect();
            for (missing, vector) in batch.iter().zip(self.ask(&texts, limits).await?) {
                vectors.insert(missing.key, vector)?;
            }
        }
        let phrases = self.ask(&phrases, limits).await?;
        Ok(Reading::Similar(vectors.similarities(phrases)?))
    }

    async fn ask(&self, texts: &[String], limits: Limits) -> Result<Vec<Vec<f32>>, Failure> {
        let model = || self.model.0.name().to_owned();
        let asked = tokio::time::timeout(limits.answer, self.model.0.vectors(texts));
        let vectors = asked
            .await
            .map_err(|_elapsed| Failure::Silent { backend: model(), after: limits.answer })?
            .map_err(|source| mcp_search::Error::Embed { model: model(), source })?;
        if vectors.len() == texts.len() {
            Ok(vectors)
        } else {
            let (expected, found) = (texts.len(), vectors.len());
            Err(mcp_search::Error::VectorCount { model: model(), expected, found }.into())
        }
    }
}
