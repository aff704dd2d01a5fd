//! Words that the index does not have, and the words of the index that look like them.
//!
//! Two kinds of likeness are told apart:
//!
//! - *One slip away*: a letter is missing, too many, wrong, or swapped with its neighbour. Found through the letters that
//!   both words still share when one is left out.
//! - *Alike*: enough pieces of four letters are shared, as in `geolocate` and `location`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::vocabulary::WordId;

/// The longest word that is compared, in characters.
const COMPARED: usize = 32;
/// The shortest word that a slip is looked for in; shorter ones resemble too many.
const SHORTEST: usize = 3;
/// The length of the pieces that words are compared by.
const PIECE: usize = 4;

/// Every way to find a word of the index from one that resembles it: lists of keys with the words that have them,
/// sorted.
///
/// Made by the first query with an unknown word after a change; two sorted lists take a tenth of the memory of maps
/// that could follow every change.
#[derive(Debug)]
pub(crate) struct Spelling {
    shortened: Vec<(u32, WordId)>,
    pieces: Vec<(u32, WordId)>,
}

impl Spelling {
    pub(crate) fn new<'a>(words: impl Iterator<Item = (WordId, &'a str)>) -> Self {
        let (mut shortened, mut pieces) = (Vec::new(), Vec::new());
        for (id, word) in words {
            let word = letters(word);
            each_shortened(&word, |key| shortened.push((key, id)));
            each_piece(&word, |key| pieces.push((key, id)));
        }
        for list in [&mut shortened, &mut pieces] {
            list.sort_unstable();
            list.dedup();
            list.shrink_to_fit();
        }
        Self { shortened, pieces }
    }

    /// The words that may be one slip away from `word`, each once: [`is_one_slip`] decides.
    pub(crate) fn one_slip_candidates(&self, word: &str) -> Vec<WordId> {
        let mut found = Vec::new();
        each_shortened(&letters(word), |key| found.extend(with_key(&self.shortened, key)));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The words that share pieces with `word`, and how many each shares.
    pub(crate) fn shared_pieces(&self, word: &str) -> Vec<(WordId, usize)> {
        let mut found = Vec::new();
        each_piece(&letters(word), |key| found.extend(with_key(&self.pieces, key)));
        found.sort_unstable();
        found.chunk_by(|left, right| left == right).filter_map(|same| Some((*same.first()?, same.len()))).collect()
    }
}

fn with_key(list: &[(u32, WordId)], key: u32) -> impl Iterator<Item = WordId> {
    let start = list.partition_point(|(other, _)| *other < key);
    list.iter().skip(start).take_while(move |(other, _)| *other == key).map(|(_, id)| *id)
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
fn each_shortened(word: &[char], mut each: impl FnMut(u32)) {
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
fn each_piece(word: &[char], mut each: impl FnMut(u32)) {
    let marked: Vec<char> = std::iter::once('^').chain(word.iter().copied()).chain(std::iter::once('$')).collect();
    for piece in marked.windows(PIECE) {
        each(key(piece.iter()));
    }
}

/// A number for a run of letters. Two runs may share one, which only adds a candidate.
#[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
fn key<'a>(letters: impl Iterator<Item = &'a char>) -> u32 {
    let mut hasher = DefaultHasher::new();
    for letter in letters {
        letter.hash(&mut hasher);
    }
    hasher.finish() as u32
}
