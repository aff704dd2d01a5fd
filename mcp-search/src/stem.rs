//! From words to the stems that are compared.

use rust_stemmers::{Algorithm, Stemmer};

/// Reduces English words to their stem, and leaves words of other alphabets alone.
///
/// The algorithm is [Porter2](https://snowballstem.org/algorithms/english/stemmer.html); `issues` and `issue`,
/// `creating` and `create` become equal.
pub(crate) struct English(Stemmer);

impl English {
    pub(crate) fn new() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    pub(crate) fn stem(&self, word: &str) -> String {
        if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word.to_owned();
        }
        self.0.stem(word).into_owned()
    }
}

impl std::fmt::Debug for English {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("English")
    }
}
