//! The leg over a model: whose vectors are kept here.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;

use mcp_search::{Embed, Missing, Similarities, Vectors};
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::failure::Failure;
use super::leg::{Limits, Reading};
use super::vector_file::VectorFile;
use crate::client::Client;

/// How many texts a model is given at once.
const BATCH: usize = 32;
/// Asked of every model whose vectors are kept: it tells a model from another of the same name.
const WITNESS: &str = "The quick brown fox jumps over the lazy dog.";

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
    known: tokio::sync::Mutex<Known>,
}

/// What is known of a model.
#[derive(Debug)]
struct Known {
    vectors: Vectors,
    /// The vector of the [`WITNESS`], once it was asked for.
    witness: Option<Vec<f32>>,
    /// Whether there are vectors that the file lacks.
    unsaved: bool,
}

impl ModelWay {
    pub(super) fn new(model: impl Embed + 'static) -> Self {
        let known = Known { vectors: Vectors::new(model.model()), witness: None, unsaved: false };
        Self { model: Boxed(Box::new(model)), known: tokio::sync::Mutex::new(known) }
    }

    pub(super) async fn read(&self, client: &Client, query: &str, limits: Limits) -> Result<Reading, Failure> {
        let phrases = mcp_search::phrases(query);
        if phrases.is_empty() {
            return Ok(Reading::Similar(Similarities::default()));
        }
        let folder = client.shared.vectors.as_ref();
        let file = folder.map(|folder| VectorFile::of(folder, self.model.0.name()));
        let mut known = self.known.lock().await;
        let phrases = self.ask_query(&mut known, phrases, file.is_some(), limits).await?;
        let unfinished = self.catch_up(&mut known, client, file.as_ref(), limits).await;
        // Also what came before a failure is worth keeping.
        if let Some(file) = file {
            known.save(file).await;
        }
        match unfinished? {
            Some(unfinished) => Ok(unfinished),
            None => Ok(Reading::Similar(known.vectors.similarities(phrases)?)),
        }
    }

    /// The vectors of a query's phrases; where vectors are kept, the witness is asked for with the first of them.
    async fn ask_query(
        &self,
        known: &mut Known,
        mut texts: Vec<String>,
        kept: bool,
        limits: Limits,
    ) -> Result<Vec<Vec<f32>>, Failure> {
        let with_witness = kept && known.witness.is_none();
        if with_witness {
            texts.push(WITNESS.to_owned());
        }
        let mut vectors = self.ask(&texts, limits).await?;
        if with_witness {
            // Refuses what cannot be compared, before anything is compared with it.
            known.vectors.similarities(vectors.clone())?;
            known.witness = vectors.pop();
        }
        Ok(vectors)
    }

    /// Reads the tools that have no vector yet, from the file or from the model, and says if time ran out.
    async fn catch_up(
        &self,
        known: &mut Known,
        client: &Client,
        file: Option<&VectorFile>,
        limits: Limits,
    ) -> Result<Option<Reading>, Failure> {
        let (mut missing, tools) = {
            let mut offered = client.known();
            let index = offered.index();
            (known.vectors.update(index), index.len())
        };
        if let Some(file) = file {
            known.recall(file, &mut missing).await;
        }
        for batch in missing.chunks(BATCH) {
            if Instant::now() >= limits.deadline {
                return Ok(Some(Reading::Unfinished { read: known.vectors.ready(), tools }));
            }
            let texts: Vec<String> = batch.iter().map(|missing| missing.text.clone()).collect();
            for (missing, vector) in batch.iter().zip(self.ask(&texts, limits).await?) {
                known.vectors.insert(missing.key, vector)?;
                known.unsaved = true;
            }
        }
        Ok(None)
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

impl Known {
    /// Takes what is missing from the file, if this model wrote it.
    async fn recall(&mut self, file: &VectorFile, missing: &mut Vec<Missing>) {
        let Some(witness) = self.witness.clone().filter(|_| !missing.is_empty()) else { return };
        let file = file.clone();
        let read = spawn_blocking(move || file.read(&witness)).await;
        let mut kept: BTreeMap<_, _> = read.unwrap_or_default().into_iter().collect();
        missing.retain(|missing| {
            // What cannot be compared is asked for anew.
            kept.remove(&missing.key).is_none_or(|vector| self.vectors.insert(missing.key, vector).is_err())
        });
    }

    /// Writes what the file lacks. The search has its answer even where nothing can be written.
    async fn save(&mut self, file: VectorFile) {
        let Some(witness) = self.witness.clone().filter(|_| self.unsaved) else { return };
        let vectors = self.vectors.entries().map(|(key, vector)| (key, vector.to_vec())).collect();
        self.unsaved = false;
        if !matches!(spawn_blocking(move || file.write(&witness, vectors)).await, Ok(Ok(()))) {
            tracing::debug!("the vectors of a model could not be kept, and will be asked for again");
        }
    }
}
