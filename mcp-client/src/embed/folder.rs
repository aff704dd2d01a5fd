//! The leg over a model in a folder, which is loaded when a search first needs it.

use std::path::PathBuf;

use tokio::sync::{Mutex, OnceCell};
use tokio::task::{JoinHandle, spawn_blocking};

use super::failure::Failure;
use super::leg::Limits;
use super::model::EmbeddingModel;
use super::model_way::ModelWay;

type Loading = JoinHandle<Result<EmbeddingModel, Failure>>;

/// A folder, and the model in it once it has been loaded.
#[derive(Debug)]
pub(super) struct FolderWay {
    folder: PathBuf,
    loaded: OnceCell<ModelWay>,
    /// Kept when nobody waits any more, so that the next search goes on waiting instead of loading once more.
    loading: Mutex<Option<Loading>>,
}

impl FolderWay {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, loaded: OnceCell::new(), loading: Mutex::default() }
    }

    /// The model; whoever comes first loads it, on a thread for blocking work.
    pub(super) async fn loaded(&self, limits: Limits) -> Result<&ModelWay, Failure> {
        self.loaded.get_or_try_init(|| self.load(limits)).await
    }

    async fn load(&self, limits: Limits) -> Result<ModelWay, Failure> {
        let mut slot = self.loading.lock().await;
        let folder = self.folder.clone();
        let loading = slot.get_or_insert_with(|| spawn_blocking(move || EmbeddingModel::load(&folder)));
        let backend = || self.folder.display().to_string();
        let loaded = tokio::time::timeout(limits.answer, loading).await;
        let loaded = loaded.map_err(|_elapsed| Failure::Silent { backend: backend(), after: limits.answer })?;
        *slot = None;
        let model = loaded.map_err(|_stopped| Failure::Ended { backend: backend() })??;
        Ok(ModelWay::new(model))
    }
}
