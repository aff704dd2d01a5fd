//! The leg that searches by meaning, whatever its backend.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcp_search::{Dense, Embed, Similarities};
use tokio::time::Instant;

#[cfg(feature = "embsearch")]
use super::embsearch::Embsearch;
#[cfg(feature = "embedding-model")]
use super::folder::FolderWay;
use super::model_way::ModelWay;
use crate::client::Client;
use crate::error::chain;

/// How long one search may read tools that it has no vectors for, before it goes on without meaning.
const BUDGET: Duration = Duration::from_secs(5);
/// How long a backend may take for one batch.
const ANSWER: Duration = Duration::from_secs(10);
/// How long a backend that failed is left alone.
const REST: Duration = Duration::from_secs(30);

/// Searching by meaning: [`ClientBuilder::dense`](crate::ClientBuilder::dense).
///
/// The tools are read when they are first searched, each text once as long as it does not change. Time is bounded:
///
/// 1. a search reads tools for 5 s at most, and then says how far it came; the next one goes on from there;
/// 2. a backend that does not answer within 10 s has failed;
/// 3. a backend that failed is left alone for 30 s.
#[derive(Debug)]
pub struct DenseLeg {
    way: Way,
    budget: Duration,
    answer: Duration,
    /// Why the backend is left alone, and until when.
    resting: Mutex<Option<(Instant, String)>>,
}

#[derive(Debug)]
enum Way {
    Model(ModelWay),
    #[cfg(feature = "embedding-model")]
    Folder(FolderWay),
    #[cfg(feature = "embsearch")]
    Embsearch(Box<Embsearch>),
}

/// What a backend made of a query.
#[derive(Debug)]
pub(super) enum Reading {
    /// How similar the tools are to it.
    Similar(Similarities),
    /// Time ran out while it read tools.
    Unfinished { read: usize, tools: usize },
}

/// What the leg has to say about one query.
#[derive(Debug)]
pub(crate) enum Meaning {
    Off(String),
    On(Similarities),
}

impl Meaning {
    pub(crate) fn as_dense(&self) -> Dense<'_> {
        match self {
            Self::Off(reason) => Dense::Off(reason),
            Self::On(similarities) => Dense::On(similarities),
        }
    }
}

/// By when what must be done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// When to stop reading tools.
    pub(super) deadline: Instant,
    /// How long to wait for one answer.
    pub(super) answer: Duration,
}

impl DenseLeg {
    /// Asks a model for vectors, which are kept here and [on disk](crate::embed).
    pub fn of_model(model: impl Embed + 'static) -> Self {
        Self::new(Way::Model(ModelWay::new(model)))
    }

    /// Loads the [`EmbeddingModel`](super::EmbeddingModel) in this folder when a search first needs it, and asks that. A folder
    /// without a usable model is a backend that failed: answers say what is wrong with it, and it may be mended meanwhile.
    #[cfg(feature = "embedding-model")]
    pub fn of_folder(folder: impl Into<std::path::PathBuf>) -> Self {
        Self::new(Way::Folder(FolderWay::new(folder.into())))
    }

    /// Asks a program that keeps the vectors to itself.
    #[cfg(feature = "embsearch")]
    pub fn of_embsearch(embsearch: Embsearch) -> Self {
        Self::new(Way::Embsearch(Box::new(embsearch)))
    }

    fn new(way: Way) -> Self {
        Self { way, budget: BUDGET, answer: ANSWER, resting: Mutex::default() }
    }

    /// Bounds how long one search may read tools, instead of 5 s.
    #[must_use]
    pub fn with_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Bounds how long the backend may take for one answer, instead of 10 s.
    #[must_use]
    pub fn with_answer_limit(mut self, limit: Duration) -> Self {
        self.answer = limit;
        self
    }

    /// What there is to say about a query, now.
    ///
    /// # Cancel safety
    ///
    /// Vectors of finished batches stay; a program that is waited for is ended, and started anew when it is next needed.
    pub(crate) async fn meaning(&self, client: &Client, query: &str) -> Meaning {
        if let Some(reason) = self.resting() {
            return Meaning::Off(reason);
        }
        let limits = Limits { deadline: Instant::now() + self.budget, answer: self.answer };
        let read = match &self.way {
            Way::Model(way) => way.read(client, query, limits).await,
            #[cfg(feature = "embedding-model")]
            Way::Folder(way) => match way.loaded(limits).await {
                Ok(way) => way.read(client, query, limits).await,
                Err(failure) => Err(failure),
            },
            #[cfg(feature = "embsearch")]
            Way::Embsearch(embsearch) => embsearch.read(client, query, limits).await,
        };
        match read {
            Ok(Reading::Similar(similarities)) => Meaning::On(similarities),
            Ok(Reading::Unfinished { read, tools }) => {
                Meaning::Off(format!("{read} of {tools} tools have been read so far"))
            }
            Err(failure) => {
                let reason = chain(&failure);
                *self.rest() = Some((Instant::now() + REST, reason.clone()));
                Meaning::Off(reason)
            }
        }
    }

    fn resting(&self) -> Option<String> {
        let mut resting = self.rest();
        match &*resting {
            Some((until, reason)) if Instant::now() < *until => Some(reason.clone()),
            _ => {
                *resting = None;
                None
            }
        }
    }

    fn rest(&self) -> std::sync::MutexGuard<'_, Option<(Instant, String)>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    /// Finds tools as [`search`](Self::search) does, and by meaning where the client has a [`DenseLeg`].
    ///
    /// The answer says what each way of searching did, and why one was off.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost but what was being asked of the backend.
    pub async fn search_by_meaning(&self, query: &str, limit: usize) -> mcp_search::Answer {
        let meaning = self.meaning(query).await;
        self.known().index().search_with(query, limit, &|_| true, meaning.as_dense())
    }

    pub(crate) async fn meaning(&self, query: &str) -> Meaning {
        match &self.shared.dense {
            Ok(leg) => leg.meaning(self, query).await,
            Err(reason) => Meaning::Off(reason.clone()),
        }
    }
}
