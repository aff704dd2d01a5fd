//! Ranking: the legs of evidence, brought to one scale and added up.
//!
//! Each leg is a number from 0 to 1 per tool:
//!
//! 1. *Whole*: the query's words, by BM25F, as a share of the best tool's score.
//! 2. *Clause*: the same for each clause of a long query, the best clause of each tool counting. A query of one clause has
//!    the first leg twice.
//! 3. *Alike*: words of the index that look like unknown words of the query, as a share of the best tool's score.
//! 4. *Name*: how much of the tool's name the query covers.
//! 5. *Pairs*: words that stand together in both.
//!
//! What each leg counts is set by [`Weights`](crate::Weights).

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::Match;
use crate::document::Field;
use crate::evidence::{self, Scores, Sparse};
use crate::index::Index;
use crate::reading::Reading;

/// The pairs that a tool shares with the query are compared with the best tool's, but with no less than this: one common
/// pair is weak evidence even where nobody has a better one.
const LEAST_PAIRS: f32 = 8.0;

/// The places and scores of all tools that share a word with the query and that `filter` admits, by place.
pub(crate) fn rank(index: &Index, reading: &Reading, filter: &dyn Fn(&str) -> bool) -> Vec<(u32, f32)> {
    let places = index.documents.places();
    let terms = evidence::term_scores(index, reading);
    let alike = evidence::alike_scores(index, reading);
    let whole = evidence::sum(places, terms.iter());
    let alike = evidence::sum(places, std::iter::once(&alike));
    let candidates = candidates(index, reading, &[&whole, &alike], filter);
    let whole = share_of_best(whole, &candidates, 0.0);
    let clauses = clause_scores(reading, &terms, &candidates, places).unwrap_or_else(|| whole.clone());
    let alike = share_of_best(alike, &candidates, 0.0);
    let name = evidence::name_coverage(index, reading);
    let pairs = share_of_best(evidence::pairs(index, reading), &candidates, LEAST_PAIRS);
    let weights = &index.options.weights;
    let legs = [
        (whole, weights.whole),
        (clauses, weights.clause),
        (alike, weights.alike),
        (name, weights.name_coverage),
        (pairs, weights.pairs),
    ];
    let most: f32 = legs.iter().map(|(_, weight)| weight).sum();
    let score = |place: u32| legs.iter().map(|(scores, weight)| weight * at(scores, place)).sum::<f32>() / most;
    candidates.into_iter().map(|place| (place, score(place))).collect()
}

/// The best `room` of the ranked tools that are not among `exact`, by score and then by id.
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

/// Which terms of the query the tool holds in which field.
pub(crate) fn matches(index: &Index, place: u32, reading: &Reading) -> Vec<Match> {
    let mut fields: BTreeMap<Field, Vec<String>> = BTreeMap::new();
    let mut note = |counts: crate::postings::Counts, word: &str| {
        for field in Field::ALL {
            let terms = fields.entry(field).or_default();
            if counts[field.place()] > 0 && !terms.iter().any(|term| term == word) {
                terms.push(word.to_owned());
            }
        }
    };
    for term in &reading.terms {
        if let Some(counts) = term.known.and_then(|known| index.postings.counts(known, place)) {
            note(counts, &term.word);
            continue;
        }
        for (other, _) in term.related.iter().chain(&term.alike) {
            if let (Some(counts), Some(word)) =
                (index.postings.counts(*other, place), index.vocabulary.spelling(*other))
            {
                note(counts, word);
            }
        }
    }
    let fields = fields.into_iter().filter(|(_, terms)| !terms.is_empty());
    fields.map(|(field, terms)| Match { field, terms }).collect()
}

/// The places with any score that hold every required term and that the filter admits.
fn candidates(index: &Index, reading: &Reading, scores: &[&Scores], filter: &dyn Fn(&str) -> bool) -> Vec<u32> {
    let holds = |place: u32| {
        let mut required = reading.required.iter();
        required.all(|term| term.is_some_and(|term| index.postings.counts(term, place).is_some()))
    };
    let places = 0..u32::try_from(index.documents.places()).unwrap_or(u32::MAX);
    let scored = places.filter(|place| scores.iter().any(|scores| at(scores, *place) > 0.0));
    scored.filter(|place| holds(*place) && index.id(*place).is_some_and(filter)).collect()
}

/// For each tool its best share over the clauses.
fn clause_scores(reading: &Reading, terms: &[Sparse], candidates: &[u32], places: usize) -> Option<Scores> {
    let clauses = reading.clauses.iter().map(|clause| {
        let scores = evidence::sum(places, clause.iter().filter_map(|number| terms.get(*number)));
        share_of_best(scores, candidates, 0.0)
    });
    clauses.reduce(|best, other| best.into_iter().zip(other).map(|(best, other)| best.max(other)).collect())
}

/// Divides scores by the best candidate's, or by `least` if that is more.
fn share_of_best(mut scores: Scores, candidates: &[u32], least: f32) -> Scores {
    let best = candidates.iter().map(|place| at(&scores, *place)).fold(least, f32::max);
    if best > 0.0 {
        for score in &mut scores {
            *score /= best;
        }
    }
    scores
}

fn at(scores: &Scores, place: u32) -> f32 {
    scores.get(place as usize).copied().unwrap_or_default()
}
