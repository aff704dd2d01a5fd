//! Which protocol era each server spoke the last time, kept on disk so that a known server is not probed again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use mcp_config::OwnFile;
use mcp_transport::{Era, EraMemory};

/// Verdicts kept; the ones that sort last give way. A wrong or missing one costs a round trip, nothing else.
const MOST: usize = 1_000;

/// Verdicts in one JSON file: a definition's hash, and `modern` or `legacy`.
#[derive(Debug)]
pub(crate) struct FileEras {
    file: OwnFile,
    known: OnceLock<Mutex<BTreeMap<String, Era>>>,
}

impl FileEras {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { file: OwnFile::new(path), known: OnceLock::new() }
    }

    /// A file that cannot be read is as good as none.
    fn known(&self) -> &Mutex<BTreeMap<String, Era>> {
        self.known.get_or_init(|| Mutex::new(parse(&self.file.read().unwrap_or_default())))
    }
}

impl EraMemory for FileEras {
    fn recall(&self, key: &str) -> Option<Era> {
        self.known().lock().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    fn remember(&self, key: &str, era: Era) {
        let before = self.known().lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), era);
        if before == Some(era) {
            return;
        }
        let written = self.file.rewrite(|text| {
            let mut eras = parse(text);
            eras.insert(key.to_owned(), era);
            while eras.len() > MOST {
                eras.pop_last();
            }
            serde_json::to_string_pretty(&names(&eras)).map(|text| text + "\n")
        });
        if !matches!(written, Ok(Ok(()))) {
            tracing::debug!("the era of a server could not be kept, and will be found out again");
        }
    }
}

fn parse(text: &str) -> BTreeMap<String, Era> {
    let names: BTreeMap<String, String> = serde_json::from_str(text).unwrap_or_default();
    let era = |name: &str| match name {
        "modern" => Some(Era::Modern),
        "legacy" => Some(Era::Legacy),
        _ => None,
    };
    names.into_iter().filter_map(|(key, name)| Some((key, era(&name)?))).collect()
}

fn names(eras: &BTreeMap<String, Era>) -> BTreeMap<&str, &'static str> {
    let name = |era: &Era| match era {
        Era::Modern => "modern",
        _ => "legacy",
    };
    eras.iter().map(|(key, era)| (key.as_str(), name(era))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_outlives_the_program_and_a_damaged_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("eras.json");
        FileEras::new(&path).remember("a", Era::Legacy);
        FileEras::new(&path).remember("b", Era::Modern);
        let eras = FileEras::new(&path);
        assert_eq!(["a", "b", "c"].map(|key| eras.recall(key)), [Some(Era::Legacy), Some(Era::Modern), None]);

        std::fs::write(&path, "damaged").unwrap();
        let eras = FileEras::new(&path);
        assert_eq!(eras.recall("a"), None);
        eras.remember("a", Era::Legacy);
        assert_eq!(FileEras::new(&path).recall("a"), Some(Era::Legacy));
    }
}
