//! Asking a model what texts mean.

use std::error::Error as StdError;

use crate::error::Error;
use crate::index::Index;
use crate::similarities::Similarities;
use crate::vectors::Vectors;

/// How many texts a model is given at once.
const BATCH: usize = 32;

/// A model that turns texts into vectors, such that texts of similar meaning get vectors of similar direction.
///
/// This crate has no model; implement the trait for one that runs in the process or elsewhere.
pub trait Embed: Send + Sync {
    /// Names the model and its version. Vectors of models with different names are never compared.
    fn model(&self) -> &str;

    /// Returns one vector for each text, in order.
    ///
    /// The implementor bounds how long this takes; dropping the future must give up the work.
    ///
    /// # Errors
    /// Whatever keeps the model from answering; it becomes the source of an [`Error::Embed`].
    fn embed(
        &self,
        texts: &[String],
    ) -> impl Future<Output = Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>>> + Send;
}

impl Vectors {
    /// Embeds the tools of the index that have no vector yet, and returns how many texts were embedded.
    ///
    /// # Errors
    /// The first failure of the model. What was embedded before it stays.
    ///
    /// # Cancel safety
    /// Dropping the future keeps every finished batch of 32 texts; calling again goes on from there.
    pub async fn embed_tools<E: Embed>(&mut self, index: &Index, embed: &E) -> Result<usize, Error> {
        let missing = self.update(index);
        for batch in missing.chunks(BATCH) {
            let texts: Vec<String> = batch.iter().map(|missing| missing.text.clone()).collect();
            let vectors = ask(embed, &texts).await?;
            for (missing, vector) in batch.iter().zip(vectors) {
                self.insert(missing.key, vector)?;
            }
        }
        Ok(missing.len())
    }

    /// Compares a query with the tools that have vectors, by its [`phrases`](crate::phrases).
    ///
    /// # Errors
    /// If the model fails or gives vectors that cannot be compared with those of the tools.
    ///
    /// # Cancel safety
    /// Nothing is changed, so that the future can be dropped at any time.
    pub async fn embed_query<E: Embed>(&self, query: &str, embed: &E) -> Result<Similarities, Error> {
        let phrases = crate::phrases(query);
        if phrases.is_empty() {
            return Ok(Similarities::default());
        }
        self.similarities(ask(embed, &phrases).await?)
    }
}

async fn ask<E: Embed>(embed: &E, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
    let model = || embed.model().to_owned();
    let vectors = embed.embed(texts).await.map_err(|source| Error::Embed { model: model(), source })?;
    if vectors.len() == texts.len() {
        Ok(vectors)
    } else {
        Err(Error::VectorCount { model: model(), expected: texts.len(), found: vectors.len() })
    }
}
