//! Where baselines are kept.

use std::collections::BTreeMap;
use std::error::Error;

use crate::pin::Baseline;

/// Keeps the baselines of approved servers. This crate does no I/O: whoever uses it decides where they are, and by which key
/// a server is known again when its definition has changed.
pub trait PinStore {
    /// Returns the baseline of a server, none if it was never approved.
    ///
    /// # Errors
    /// When it cannot be read. A caller must not take that for never approved.
    fn load(&self, key: &str) -> Result<Option<Baseline>, Box<dyn Error + Send + Sync>>;

    /// Keeps the baseline of a server in the place of an older one.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save(&mut self, key: &str, baseline: &Baseline) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// Forgets the baseline of a server.
    ///
    /// # Errors
    /// When it cannot be removed.
    fn forget(&mut self, key: &str) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// Baselines that last as long as the process.
#[derive(Clone, Debug, Default)]
pub struct MemoryPins {
    baselines: BTreeMap<String, Baseline>,
}

impl PinStore for MemoryPins {
    fn load(&self, key: &str) -> Result<Option<Baseline>, Box<dyn Error + Send + Sync>> {
        Ok(self.baselines.get(key).cloned())
    }

    fn save(&mut self, key: &str, baseline: &Baseline) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.baselines.insert(key.to_owned(), baseline.clone());
        Ok(())
    }

    fn forget(&mut self, key: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.baselines.remove(key);
        Ok(())
    }
}
