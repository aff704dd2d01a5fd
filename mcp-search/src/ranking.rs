//! Ranking by shared words.

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::Match;
use crate::document::Field;
use crate::index::Index;
use crate::query::Query;
use crate::stop_words;
use crate::tokenizer::words;
use crate::vocabulary::TermId;

/// A stem of the query that the index has.
struct QueryTerm {
    term: TermId,
    word: String,
}

/// The places and scores of all documents that share a word with the query and that `filter` admits, in no order.
pub(crate) fn rank(index: &Index, query: &Query, filter: &dyn Fn(&str) -> bool) -> Vec<(u32, f32)> {
    let mut scores = vec![0.0_f32; index.documents.places()];
    let scorer = index.postings.scorer(&index.options.weights);
    for QueryTerm { term, .. } in terms(index, query) {
        let rarity = index.postings.rarity(term);
        for posting in index.postings.list(term) {
            if let Some(score) = scores.get_mut(posting.document as usize) {
                *score += rarity * scorer.impact(posting);
            }
        }
    }
    let required: Vec<_> =
        query.required.iter().map(|word| index.vocabulary.term(&index.vocabulary.stem(word))).collect();
    let holds =
        |place: u32| required.iter().all(|term| term.is_some_and(|term| index.postings.counts(term, place).is_some()));
    let scored = (0_u32..).zip(scores).filter(|(_, score)| *score > 0.0);
    let mut ranked: Vec<_> =
        scored.filter(|(place, _)| holds(*place) && index.id(*place).is_some_and(filter)).collect();
    let highest = ranked.iter().map(|(_, score)| *score).fold(0.0, f32::max);
    ranked.iter_mut().for_each(|(_, score)| *score /= highest);
    ranked
}

/// The best `room` of the ranked documents that are not among `exact`, by score and then by id.
pub(crate) fn best(index: &Index, mut ranked: Vec<(u32, f32)>, exact: &BTreeSet<u32>, room: usize) -> Vec<(u32, f32)> {
    ranked.retain(|(place, _)| !exact.contains(place));
    let order = |left: &(u32, f32), right: &(u32, f32)| {
        right.1.total_cmp(&left.1).then_with(|| index.id(left.0).cmp(&index.id(right.0)))
    };
    if room < ranked.len() {
        ranked.select_nth_unstable_by(room, order);
        ranked.truncate(room);
    }
    ranked.sort_unstable_by(order);
    ranked
}

/// Which terms of the query the document holds in which field.
pub(crate) fn matches(index: &Index, place: u32, query: &Query) -> Vec<Match> {
    let mut fields: BTreeMap<Field, Vec<String>> = BTreeMap::new();
    for QueryTerm { term, word } in terms(index, query) {
        let Some(counts) = index.postings.counts(term, place) else { continue };
        for field in Field::ALL {
            if counts[field.place()] > 0 {
                fields.entry(field).or_default().push(word.clone());
            }
        }
    }
    fields.into_iter().map(|(field, terms)| Match { field, terms }).collect()
}

/// The distinct stems of the query that the index has, without stop words unless there is nothing else.
fn terms(index: &Index, query: &Query) -> Vec<QueryTerm> {
    let words = words(&query.text);
    let telling: Vec<String> = words.iter().filter(|word| !stop_words::is_stop_word(word)).cloned().collect();
    let words = if telling.is_empty() { words } else { telling };
    let mut seen = BTreeSet::new();
    let known = words.into_iter().filter_map(|word| {
        let term = index.vocabulary.term(&index.vocabulary.stem(&word))?;
        Some(QueryTerm { term, word })
    });
    known.filter(|known| seen.insert(known.term)).collect()
}
