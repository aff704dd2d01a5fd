//! Words that the index does not have, and the words of the index that look like them.
//!
//! Two kinds of likeness are told apart:
//!
//! - *One slip away*: a letter is missing, too many, wrong, or swapped with its neighbour. Found through the letters that
//!   both words still share when one is left out.
//! - *Alike*: enough pieces of four letters are shared, as in `geolocate` and `location`.

use crate::buckets::{Buckets, Key, key};
use crate::vocabulary::WordId;

/// The longest word that is compared, in characters.
const COMPARED: usize = 32;
/// The shortest word that a slip is looked for in; shorter ones resemble too many.
const SHORTEST: usize = 3;
/// The length of the pieces that words are compared by.
const PIECE: usize = 4;

/// Every way to find a word of the index from one that resembles it.
///
/// Made by the first query with an unknown word after a change: two [`Buckets`] are filled in some milliseconds for ten
/// thousand words, and take a tenth of the memory of maps that could follow every change.
#[derive(Debug)]
pub(crate) struct Spelling {
    shortened: Buckets,
    pieces: Buckets,
}

impl Spelling {
    pub(crate) fn new<'a>(words: impl Iterator<Item = (WordId, &'a str)> + Clone) -> Self {
        let count: usize = words.clone().map(|(_, word)| word.len().min(COMPARED) + 1).sum();
        let mut pairs = Vec::with_capacity(count);
        let mut letters = Letters::default();
        for (id, word) in words.clone() {
            letters.read(word);
            add(&mut pairs, id, letters.shortened());
        }
        let shortened = Buckets::new(&pairs);
        pairs.clear();
        for (id, word) in words {
            letters.read(word);
            add(&mut pairs, id, letters.pieces());
        }
        Self { shortened, pieces: Buckets::new(&pairs) }
    }

    /// The words that may be one slip away from `word`, each once: [`is_one_slip`] decides.
    pub(crate) fn one_slip_candidates(&self, word: &str) -> Vec<WordId> {
        let letters = Letters::of(word);
        let mut found: Vec<WordId> = letters.shortened().flat_map(|key| self.shortened.with_key(key)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The words that share pieces with `word`, and how many each shares. All numbers of words are below `words`.
    pub(crate) fn shared_pieces(&self, word: &str, words: usize) -> Vec<(WordId, u8)> {
        let mut counts = vec![0_u8; words];
        let mut found = Vec::new();
        for id in Letters::of(word).pieces().flat_map(|key| self.pieces.with_key(key)) {
            let Some(count) = counts.get_mut(id as usize) else { continue };
            if *count == 0 {
                found.push(id);
            }
            *count += 1;
        }
        found.into_iter().filter_map(|id| Some((id, *counts.get(id as usize)?))).collect()
    }
}

/// Adds a word under each of its keys once; a word has few.
fn add(list: &mut Vec<(Key, WordId)>, word: WordId, keys: impl Iterator<Item = Key>) {
    let start = list.len();
    for key in keys {
        let own = list.get(start..).unwrap_or_default();
        if !own.iter().any(|(other, _)| *other == key) {
            list.push((key, word));
        }
    }
}

/// Whether one letter missing, added, changed or swapped makes one word of the other.
pub(crate) fn is_one_slip(left: &str, right: &str) -> bool {
    left != right && strsim::osa_distance(left, right) == 1
}

/// How many pieces the word has.
pub(crate) fn piece_count(word: &str) -> usize {
    (word.chars().take(COMPARED).count() + 2).saturating_sub(PIECE - 1)
}

/// The letters of a word, between a mark for its beginning and one for its end.
#[derive(Default)]
struct Letters(Vec<char>);

impl Letters {
    fn of(word: &str) -> Self {
        let mut letters = Self::default();
        letters.read(word);
        letters
    }

    fn read(&mut self, word: &str) {
        self.0.clear();
        self.0.push('^');
        self.0.extend(word.chars().take(COMPARED));
        self.0.push('$');
    }

    /// The keys of the word itself and of the word without each of its letters.
    fn shortened(&self) -> impl Iterator<Item = Key> {
        let word = self.0.get(1..self.0.len() - 1).unwrap_or_default();
        let ways = if word.len() < SHORTEST { 0 } else { word.len() + 1 };
        (0..ways).map(|left_out| {
            let (before, from) = word.split_at(left_out);
            key(before.iter().chain(from.iter().skip(1)))
        })
    }

    /// The keys of the runs of letters in the word, with its ends marked.
    fn pieces(&self) -> impl Iterator<Item = Key> {
        self.0.windows(PIECE).map(key)
    }
}
