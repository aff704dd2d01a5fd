//! Words that the index does not have, and the words of the index that look like them.
//!
//! Two kinds of likeness are told apart:
//!
//! - *One slip away*: a letter is missing, too many, wrong, or swapped with its neighbour. Found through the letters that
//!   both words still share when one is left out.
//! - *Alike*: enough pieces of four letters are shared, as in `geolocate` and `location`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::vocabulary::WordId;

/// The longest word that is compared, in characters.
const COMPARED: usize = 32;
/// The shortest word that a slip is looked for in; shorter ones resemble too many.
const SHORTEST: usize = 3;
/// The length of the pieces that words are compared by.
const PIECE: usize = 4;

/// Every way to find a word of the index from one that resembles it.
#[derive(Debug, Default)]
pub(crate) struct Spelling {
    shortened: HashMap<u64, Vec<WordId>>,
    pieces: HashMap<u64, Vec<WordId>>,
}

impl Spelling {
    pub(crate) fn insert(&mut self, id: WordId, word: &str) {
        let word = letters(word);
        each_shortened(&word, |key| add(&mut self.shortened, key, id));
        each_piece(&word, |key| add(&mut self.pieces, key, id));
    }

    pub(crate) fn remove(&mut self, id: WordId, word: &str) {
        let word = letters(word);
        each_shortened(&word, |key| take(&mut self.shortened, key, id));
        each_piece(&word, |key| take(&mut self.pieces, key, id));
    }

    /// The words that are one slip away from `word`, as a set of candidates: [`is_one_slip`] decides.
    pub(crate) fn one_slip_candidates(&self, word: &str) -> BTreeSet<WordId> {
        let mut found = BTreeSet::new();
        each_shortened(&letters(word), |key| found.extend(self.shortened.get(&key).into_iter().flatten().copied()));
        found
    }

    /// How many pieces each word of the index shares with `word`, where it shares any.
    pub(crate) fn shared_pieces(&self, word: &str) -> BTreeMap<WordId, usize> {
        let mut shared = BTreeMap::new();
        each_piece(&letters(word), |key| {
            for id in self.pieces.get(&key).into_iter().flatten() {
                *shared.entry(*id).or_default() += 1;
            }
        });
        shared
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

fn letters(word: &str) -> Vec<char> {
    word.chars().take(COMPARED).collect()
}

/// The word itself and the word without each of its letters.
fn each_shortened(word: &[char], mut each: impl FnMut(u64)) {
    if word.len() < SHORTEST {
        return;
    }
    each(key(word.iter()));
    for left_out in 0..word.len() {
        let kept = word.iter().enumerate().filter(|(place, _)| *place != left_out);
        each(key(kept.map(|(_, letter)| letter)));
    }
}

/// The runs of letters in the word, with its ends marked.
fn each_piece(word: &[char], mut each: impl FnMut(u64)) {
    let marked: Vec<char> = std::iter::once('^').chain(word.iter().copied()).chain(std::iter::once('$')).collect();
    for piece in marked.windows(PIECE) {
        each(key(piece.iter()));
    }
}

/// A number for a run of letters. Two runs may share one, which only adds a candidate.
fn key<'a>(letters: impl Iterator<Item = &'a char>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for letter in letters {
        letter.hash(&mut hasher);
    }
    hasher.finish()
}

fn add(map: &mut HashMap<u64, Vec<WordId>>, key: u64, id: WordId) {
    let ids = map.entry(key).or_default();
    if ids.last() != Some(&id) {
        ids.push(id);
    }
}

fn take(map: &mut HashMap<u64, Vec<WordId>>, key: u64, id: WordId) {
    if let Some(ids) = map.get_mut(&key) {
        ids.retain(|other| *other != id);
        if ids.is_empty() {
            map.remove(&key);
        }
    }
}
