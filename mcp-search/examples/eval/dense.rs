//! The dense leg, from vectors that another program made.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use mcp_search::{Index, Similarities, Vectors, phrases};

use crate::data::Set;
use crate::vectors;

/// The name under which the vectors are kept here; only one model is used at a time.
const MODEL: &str = "given";

/// The vector of each text that tools and queries are compared by.
pub(crate) struct Given(BTreeMap<String, Vec<f32>>);

/// Every text that needs a vector, each once, sorted.
pub(crate) fn texts(sets: &[Set], indexes: &[Index]) -> Vec<String> {
    let mut texts = BTreeSet::new();
    for (set, index) in sets.iter().zip(indexes) {
        texts.extend(Vectors::new(MODEL).update(index).into_iter().map(|missing| missing.text));
        texts.extend(set.queries.iter().flat_map(|query| phrases(&query.text)));
    }
    texts.into_iter().collect()
}

impl Given {
    /// Reads one vector after the other, of 32-bit little-endian numbers, in the order of `texts`.
    pub(crate) fn read(path: &Path, texts: Vec<String>) -> Result<Self, Box<dyn Error>> {
        let vectors = vectors::read(path, texts.len())?;
        Ok(Self(texts.into_iter().zip(vectors).collect()))
    }

    pub(crate) fn tools(&self, index: &Index) -> Result<Vectors, Box<dyn Error>> {
        let mut vectors = Vectors::new(MODEL);
        for missing in vectors.update(index) {
            let vector = self.0.get(&missing.text).ok_or("a tool's text has no vector")?;
            vectors.insert(missing.key, vector.clone())?;
        }
        Ok(vectors)
    }

    pub(crate) fn query(&self, vectors: &Vectors, query: &str) -> Result<Similarities, Box<dyn Error>> {
        let phrases = phrases(query).into_iter().map(|phrase| self.0.get(&phrase).cloned());
        let phrases = phrases.collect::<Option<Vec<_>>>().ok_or("a query's phrase has no vector")?;
        Ok(vectors.similarities(phrases)?)
    }
}
