//! What a name that does not exist may have meant.

use std::cmp::Reverse;

use crate::document::Document;
use crate::tokenizer::{fold, words};

/// Below this similarity a name is no help.
const SIMILAR: f64 = 0.45;
/// How much of a name is compared, in characters: the comparison takes the product of both lengths.
const NAME_CHARACTERS: usize = 96;

/// The ids of the documents whose names are most like `name`, best first, equal ones by id.
///
/// Two measures are taken, and the better one counts: how few letters must change between the names without their
/// separators, and how many words they share, in whatever order. The bare name and the full id are both tried.
pub(crate) fn nearest<'a>(documents: impl Iterator<Item = &'a Document>, name: &str, limit: usize) -> Vec<String> {
    let wanted = Name::new(name);
    let mut similar: Vec<(Reverse<u64>, &str)> = documents
        .filter_map(|document| {
            let similarity = wanted.similarity(&document.name).max(wanted.similarity(&document.id));
            (similarity >= SIMILAR).then_some((Reverse(rounded(similarity)), document.id.as_str()))
        })
        .collect();
    similar.sort_unstable();
    similar.into_iter().take(limit).map(|(_, id)| id.to_owned()).collect()
}

struct Name {
    folded: String,
    words: Vec<String>,
}

impl Name {
    fn new(name: &str) -> Self {
        let name: String = name.chars().take(NAME_CHARACTERS).collect();
        Self { folded: fold(&name), words: words(&name) }
    }

    fn similarity(&self, other: &str) -> f64 {
        let other = Self::new(other);
        if self.folded.is_empty() || other.folded.is_empty() {
            return 0.0;
        }
        let letters = strsim::normalized_damerau_levenshtein(&self.folded, &other.folded);
        letters.max(self.shared_words(&other))
    }

    /// The Dice coefficient of the two sets of words.
    fn shared_words(&self, other: &Self) -> f64 {
        let shared = self.words.iter().filter(|word| other.words.contains(word)).count();
        let all = u32::try_from(self.words.len() + other.words.len()).unwrap_or(u32::MAX);
        f64::from(2 * u32::try_from(shared).unwrap_or(u32::MAX / 2)) / f64::from(all.max(1))
    }
}

/// The similarity in millionths, so that it can be ordered.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the similarity lies between 0 and 1")]
fn rounded(similarity: f64) -> u64 {
    (similarity * 1e6) as u64
}
