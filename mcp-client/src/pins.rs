//! What a server's tools were when a person approved it, kept on disk.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use mcp_config::OwnFile;
use mcp_registry::{Baseline, Drift, PinPolicy, PinStore, Surface};
use serde_json::{Map, Value};

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Baselines in one JSON file, by server.
#[derive(Debug)]
pub(crate) struct FilePins {
    file: OwnFile,
}

impl FilePins {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { file: OwnFile::new(path) }
    }

    fn change(
        &self,
        change: impl FnOnce(&mut Map<String, Value>) -> Result<(), serde_json::Error>,
    ) -> Result<(), Cause> {
        self.file.rewrite(|text| {
            let mut baselines = parse(text)?;
            change(&mut baselines)?;
            serde_json::to_string_pretty(&baselines).map(|text| text + "\n")
        })??;
        Ok(())
    }
}

fn parse(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    if text.trim().is_empty() { Ok(Map::new()) } else { serde_json::from_str(text) }
}

impl PinStore for FilePins {
    fn load(&self, server: &str) -> Result<Option<Baseline>, Cause> {
        // The raw values inside a baseline need text to be read from.
        let baseline = parse(&self.file.read()?)?.get(server).map(Value::to_string);
        Ok(baseline.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    fn save(&mut self, server: &str, baseline: &Baseline) -> Result<(), Cause> {
        self.change(|baselines| {
            baselines.insert(server.to_owned(), serde_json::to_value(baseline)?);
            Ok(())
        })
    }

    fn forget(&mut self, server: &str) -> Result<(), Cause> {
        self.change(|baselines| {
            baselines.shift_remove(server);
            Ok(())
        })
    }
}

/// The baselines of a client's servers.
pub(crate) struct Pins {
    store: Mutex<Box<dyn PinStore + Send>>,
    policy: PinPolicy,
}

impl std::fmt::Debug for Pins {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pins").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Pins {
    pub(crate) fn new(store: Box<dyn PinStore + Send>, policy: PinPolicy) -> Self {
        Self { store: Mutex::new(store), policy }
    }

    /// How a server differs from its baseline. Whoever has none gets one now: the person who lets a server run for the first
    /// time, or lets it run under another definition, takes it as it is.
    ///
    /// # Errors
    ///
    /// The store's; nobody then knows what was approved.
    pub(crate) fn check(&self, server: &str, definition: &str, surface: Surface<'_>) -> Result<Drift, Cause> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key(server, definition);
        let drift = store.load(&key)?.map(|baseline| baseline.compare(definition, surface, self.policy));
        match drift {
            Some(drift) if !drift.redefined => Ok(drift),
            Some(_) | None => {
                store.save(&key, &Baseline::take(definition, surface))?;
                Ok(Drift::default())
            }
        }
    }

    /// Takes a server as it is now for approved.
    ///
    /// # Errors
    ///
    /// The store's; then what was approved before still counts.
    pub(crate) fn approve(&self, server: &str, definition: &str, surface: Surface<'_>) -> Result<(), Cause> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.save(&key(server, definition), &Baseline::take(definition, surface))
    }
}

/// Two projects may give one name to two servers, and each was approved as it was.
fn key(server: &str, definition: &str) -> String {
    format!("{server} {definition}")
}
