//! What a name that does not exist may have meant.
//!
//! Two measures are taken, and the better one counts: how few letters must change between the names without their
//! separators, and how many words they share, in whatever order. The bare name is compared, and the name together with
//! its server.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::document::Field;
use crate::first::keep_first;
use crate::index::Index;
use crate::likeness::Pattern;
use crate::postings::ratio;
use crate::tokenizer::{fold, words};

/// The least share of words that two names must have in common.
const WORDS: f32 = 0.45;
/// The least share of letters that may stay between two names.
const LETTERS: f32 = 0.6;
/// How much of a name is compared, in characters.
const NAME_CHARACTERS: usize = 96;

/// The ids of the admitted tools whose names are most like `name`, best first, equal ones by id.
pub(crate) fn nearest(index: &Index, name: &str, limit: usize, allowed: &dyn Fn(&str) -> bool) -> Vec<String> {
    let name: String = name.chars().take(NAME_CHARACTERS).collect();
    let mut similarities = vec![0.0; index.places()];
    let mut note = |place: u32, similarity: f32| {
        if let Some(best) = similarities.get_mut(place as usize) {
            *best = similarity.max(*best);
        }
    };
    by_letters(index, &name, &mut note);
    by_words(index, &name, &mut note);
    let similar = (0_u32..).zip(&similarities).filter(|(_, similarity)| **similarity > 0.0);
    let named = similar.filter_map(|(place, similarity)| Some((Reverse(rounded(*similarity)), index.id(place)?)));
    let mut allowed: Vec<(Reverse<u32>, &str)> = named.filter(|(_, id)| allowed(id)).collect();
    keep_first(&mut allowed, limit, Ord::cmp);
    allowed.into_iter().map(|(_, id)| id.to_owned()).collect()
}

/// How alike the letters of a folded text and of each tool's bare name are, from 0, where too many must change for the
/// one to be a misspelling of the other, to 1.
pub(crate) fn misspelled(index: &Index, folded: &str) -> Vec<(u32, f32)> {
    let wanted = Pattern::new(folded);
    let mut similar = Vec::new();
    for name in index.names.bare.maybe_alike(&wanted, LETTERS) {
        let similarity = (wanted.likeness(&name.text) - LETTERS) / (1.0 - LETTERS);
        if similarity > 0.0 {
            similar.extend(name.places.iter().map(|place| (*place, similarity)));
        }
    }
    similar
}

fn by_letters(index: &Index, name: &str, note: &mut impl FnMut(u32, f32)) {
    let wanted = Pattern::new(&fold(name));
    for names in [&index.names.bare, &index.names.ids, &index.names.full] {
        for name in names.maybe_alike(&wanted, LETTERS) {
            let likeness = wanted.likeness(&name.text);
            name.places.iter().filter(|_| likeness >= LETTERS).for_each(|place| note(*place, likeness));
        }
    }
}

/// The Dice coefficient of the stems of both names.
fn by_words(index: &Index, name: &str, note: &mut impl FnMut(u32, f32)) {
    let stems: BTreeSet<String> = words(name).iter().map(|word| index.vocabulary.stem(word)).collect();
    let mut shared = vec![(0, 0); index.places()];
    for term in stems.iter().filter_map(|stem| index.vocabulary.term(stem)) {
        for posting in index.postings.list(term) {
            if let Some((names, servers)) = shared.get_mut(posting.document as usize) {
                let in_name = posting.counts.of(Field::Name) > 0;
                *names += usize::from(in_name);
                *servers += usize::from(!in_name && posting.counts.of(Field::Server) > 0);
            }
        }
    }
    for (place, (in_name, in_server)) in (0_u32..).zip(shared).filter(|(_, shared)| *shared != (0, 0)) {
        let words = index.name_terms.count(place);
        let bare = ratio(2 * in_name, stems.len() + words);
        let full = ratio(2 * (in_name + in_server), stems.len() + words + in_server);
        if bare.max(full) >= WORDS {
            note(place, bare.max(full));
        }
    }
}

/// The similarity in millionths, so that it can be ordered.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the similarity lies between 0 and 1")]
fn rounded(similarity: f32) -> u32 {
    (similarity * 1e6) as u32
}
