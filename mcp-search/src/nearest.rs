//! What a name that does not exist may have meant.
//!
//! Two measures are taken, and the better one counts: how few letters must change between the names without their
//! separators, and how many words they share, in whatever order. The bare name is compared, and the name together with
//! its server.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::document::Field;
use crate::index::Index;
use crate::postings::ratio;
use crate::tokenizer::{fold, words};

/// The least share of words that two names must have in common.
const WORDS: f32 = 0.45;
/// The least share of letters that may stay between two names.
const LETTERS: f32 = 0.6;
/// How much of a name is compared, in characters: the comparison takes the product of both lengths.
const NAME_CHARACTERS: usize = 96;

/// The ids of the admitted tools whose names are most like `name`, best first, equal ones by id.
pub(crate) fn nearest(index: &Index, name: &str, limit: usize, allowed: &dyn Fn(&str) -> bool) -> Vec<String> {
    let name: String = name.chars().take(NAME_CHARACTERS).collect();
    let mut similarities: BTreeMap<u32, f32> = BTreeMap::new();
    let mut note = |place: u32, similarity: f32| {
        let best = similarities.entry(place).or_default();
        *best = best.max(similarity);
    };
    by_letters(index, &name, &mut note);
    by_words(index, &name, &mut note);
    let named = similarities.into_iter().filter_map(|(place, similarity)| Some((index.id(place)?, similarity)));
    let mut similar: Vec<(Reverse<u32>, &str)> =
        named.filter(|(id, _)| allowed(id)).map(|(id, similarity)| (Reverse(rounded(similarity)), id)).collect();
    similar.sort_unstable();
    similar.into_iter().take(limit).map(|(_, id)| id.to_owned()).collect()
}

/// How alike the letters of a folded text and of each tool's bare name are, from 0, where too many must change for the
/// one to be a misspelling of the other, to 1.
pub(crate) fn misspelled(index: &Index, folded: &str) -> Vec<(u32, f32)> {
    let wanted = Letters::new(folded);
    let mut similar = Vec::new();
    for (name, places) in index.names.bare_folded() {
        let similarity = (wanted.similarity(name) - LETTERS) / (1.0 - LETTERS);
        if similarity > 0.0 {
            similar.extend(places.iter().map(|place| (*place, similarity)));
        }
    }
    similar
}

fn by_letters(index: &Index, name: &str, note: &mut impl FnMut(u32, f32)) {
    let wanted = Letters::new(&fold(name));
    for (folded, places) in index.names.folded() {
        let similarity = wanted.similarity(folded);
        for place in places.iter().filter(|_| similarity >= LETTERS) {
            note(*place, similarity);
        }
    }
}

/// The Dice coefficient of the stems of both names.
fn by_words(index: &Index, name: &str, note: &mut impl FnMut(u32, f32)) {
    let stems: BTreeSet<String> = words(name).iter().map(|word| index.vocabulary.stem(word)).collect();
    let mut shared: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for term in stems.iter().filter_map(|stem| index.vocabulary.term(stem)) {
        for posting in index.postings.list(term) {
            let in_name = usize::from(posting.counts[Field::Name.place()] > 0);
            let in_server = usize::from(in_name == 0 && posting.counts[Field::Server.place()] > 0);
            if in_name + in_server > 0 {
                let (names, servers) = shared.entry(posting.document).or_default();
                *names += in_name;
                *servers += in_server;
            }
        }
    }
    for (place, (in_name, in_server)) in shared {
        let words = index.documents.get(place).map_or(0, |entry| entry.name_terms.len());
        let bare = ratio(2 * in_name, stems.len() + words);
        let full = ratio(2 * (in_name + in_server), stems.len() + words + in_server);
        if bare.max(full) >= WORDS {
            note(place, bare.max(full));
        }
    }
}

/// A folded name, ready to be compared with many.
struct Letters {
    text: String,
    count: usize,
    bag: Bag,
}

/// How often each letter stands in a name; letters that fall into one place of 32 count as the same.
type Bag = [u8; 32];

impl Letters {
    fn new(folded: &str) -> Self {
        Self { text: folded.to_owned(), count: folded.chars().count(), bag: bag(folded) }
    }

    /// One less the share of letters that must change; 0 where it is surely below [`LETTERS`].
    ///
    /// Letters that one name has more of must change, whatever their order, which rules most names out at a glance.
    fn similarity(&self, other: &str) -> f32 {
        if other.len() > 4 * NAME_CHARACTERS {
            return 0.0;
        }
        let bag = bag(other);
        let surplus = |left: &Bag, right: &Bag| -> u16 {
            left.iter().zip(right).map(|(left, right)| u16::from(left.saturating_sub(*right))).sum()
        };
        let least = usize::from(surplus(&self.bag, &bag).max(surplus(&bag, &self.bag)));
        let longer = self.count.max(other.chars().count()).max(1);
        if 1.0 - ratio(least, longer) < LETTERS {
            return 0.0;
        }
        1.0 - ratio(strsim::osa_distance(&self.text, other).min(longer), longer)
    }
}

fn bag(text: &str) -> Bag {
    let mut bag = [0_u8; 32];
    for letter in text.chars() {
        let place = usize::try_from(u32::from(letter) % 32).unwrap_or_default();
        bag[place] = bag[place].saturating_add(1);
    }
    bag
}

/// The similarity in millionths, so that it can be ordered.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the similarity lies between 0 and 1")]
fn rounded(similarity: f32) -> u32 {
    (similarity * 1e6) as u32
}
