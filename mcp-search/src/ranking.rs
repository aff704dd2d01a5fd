//! Ranking: the legs of evidence, brought to one scale and added up.
//!
//! Each leg is a number from 0 to 1 per tool:
//!
//! 1. *Whole*: the query's words, by BM25F, as a share of the best tool's score.
//! 2. *Clause*: the same for each clause of a long query, the best clause of each tool counting. A query of one clause has
//!    the first leg twice.
//! 3. *Alike*: words of the index that look like unknown words of the query, as a share of the best tool's score.
//! 4. *Misspelled*: how alike the letters of a short query with unknown words and of the tool's name are.
//! 5. *Name*: how much of the tool's name the query covers.
//! 6. *Pairs*: words that stand together in both.
//!
//! What each leg counts is set by [`Weights`](crate::Weights). The dense leg comes on top, on the same scale.

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::{Leg, Match};
use crate::counts::Counts;
use crate::document::Field;
use crate::evidence::{self, Scores, WordScores};
use crate::first::keep_first;
use crate::index::Index;
use crate::reading::Reading;
use crate::similarities::{Dense, Similarities};

/// The pairs that a tool shares with the query are compared with the best tool's, but with no less than this: one
/// common pair is weak evidence even where nobody has a better one.
const LEAST_PAIRS: f32 = 8.0;
/// How many tools the dense leg brings in at most that share no word with the query. Every tool is somewhat similar to
/// any query; only the nearest are found.
const NEAREST: usize = 50;

/// A tool that was found by its words or its meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) place: u32,
    /// From 0 to 1.
    pub(crate) score: f32,
    /// Whether it shares words with the query.
    pub(crate) has_words: bool,
    /// Whether its meaning is among the nearest.
    pub(crate) has_meaning: bool,
}

impl Ranked {
    pub(crate) fn leg(self) -> Leg {
        if self.has_words { Leg::Lexical } else { Leg::Dense }
    }
}

/// All tools that the filter admits and that share a word with the query or are near in meaning, by place.
pub(crate) fn rank(index: &Index, reading: &Reading, filter: &dyn Fn(&str) -> bool, dense: Dense<'_>) -> Vec<Ranked> {
    let lexical = lexical(index, reading, filter);
    match dense {
        Dense::Off(_) => lexical,
        Dense::On(similarities) => with_meaning(index, reading, filter, (lexical, similarities)),
    }
}

/// Adds what the dense leg says. A tool that it says nothing about stands where its words put it.
fn with_meaning(
    index: &Index,
    reading: &Reading,
    filter: &dyn Fn(&str) -> bool,
    (lexical, similarities): (Vec<Ranked>, &Similarities),
) -> Vec<Ranked> {
    let admits = |place: u32| holds_required(index, reading, place) && index.id(place).is_some_and(filter);
    let standings = similarities.standings(index, &admits);
    let mut nearest: Vec<(f32, &str, u32)> = (0_u32..)
        .zip(&standings)
        .filter_map(|(place, standing)| Some(((*standing)?, index.id(place)?, place)))
        .filter(|(standing, ..)| *standing > 0.0)
        .collect();
    keep_first(&mut nearest, NEAREST, |left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    let nearest: BTreeSet<u32> = nearest.into_iter().map(|(.., place)| place).collect();
    let mut found: BTreeMap<u32, Ranked> = lexical.into_iter().map(|ranked| (ranked.place, ranked)).collect();
    for place in &nearest {
        let unknown = Ranked { place: *place, score: 0.0, has_words: false, has_meaning: false };
        found.entry(*place).or_insert(unknown).has_meaning = true;
    }
    let weight = index.options.weights.dense;
    for ranked in found.values_mut() {
        let standing = standings.get(ranked.place as usize).copied().flatten().unwrap_or(ranked.score);
        ranked.score = (ranked.score + weight * standing) / (1.0 + weight);
    }
    found.into_values().collect()
}

/// All tools that the filter admits and that share a word with the query, by place.
fn lexical(index: &Index, reading: &Reading, filter: &dyn Fn(&str) -> bool) -> Vec<Ranked> {
    let WordScores { whole, clauses } = evidence::words(index, reading);
    let alike = evidence::alike(index, reading);
    let misspelled = evidence::misspelled(index, reading);
    let candidates = candidates(index, reading, &[&whole, &alike, &misspelled], filter);
    let whole = share_of_best(whole, &candidates, 0.0);
    let clauses = best_shares(clauses, &candidates).unwrap_or_else(|| whole.clone());
    let alike = share_of_best(alike, &candidates, 0.0);
    let name = evidence::name_coverage(index, reading);
    let pairs = share_of_best(evidence::pairs(index, reading), &candidates, LEAST_PAIRS);
    let weights = &index.options.weights;
    let legs = [
        (whole, weights.whole),
        (clauses, weights.clause),
        (alike, weights.alike),
        (misspelled, weights.misspelled),
        (name, weights.name_coverage),
        (pairs, weights.pairs),
    ];
    let most: f32 = legs.iter().map(|(_, weight)| weight).sum();
    let mut scores = vec![0.0; index.places()];
    for (leg, weight) in &legs {
        scores.iter_mut().zip(leg).for_each(|(score, leg)| *score += weight * leg);
    }
    let score = |place: u32| at(&scores, place) / most;
    let ranked = |place| Ranked { place, score: score(place), has_words: true, has_meaning: false };
    candidates.into_iter().map(ranked).collect()
}

/// The best `room` of the ranked tools that are not among `exact`, by score and then by id.
pub(crate) fn best(index: &Index, mut ranked: Vec<Ranked>, exact: &BTreeSet<u32>, room: usize) -> Vec<Ranked> {
    ranked.retain(|ranked| !exact.contains(&ranked.place));
    let order = |left: &Ranked, right: &Ranked| {
        right.score.total_cmp(&left.score).then_with(|| index.id(left.place).cmp(&index.id(right.place)))
    };
    keep_first(&mut ranked, room, order);
    ranked
}

/// Which terms of the query the tool holds in which field.
pub(crate) fn matches(index: &Index, place: u32, reading: &Reading) -> Vec<Match> {
    let mut fields: BTreeMap<Field, Vec<String>> = BTreeMap::new();
    let mut note = |counts: Counts, word: &str| {
        for field in Field::ALL {
            let terms = fields.entry(field).or_default();
            if counts.of(field) > 0 && !terms.iter().any(|term| term == word) {
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
    let mut has_score = vec![false; index.places()];
    for scores in scores {
        has_score.iter_mut().zip(*scores).for_each(|(has_score, score)| *has_score |= *score > 0.0);
    }
    let scored = (0_u32..).zip(has_score).filter(|(_, has_score)| *has_score).map(|(place, _)| place);
    scored.filter(|place| holds_required(index, reading, *place) && index.id(*place).is_some_and(filter)).collect()
}

fn holds_required(index: &Index, reading: &Reading, place: u32) -> bool {
    let mut required = reading.required.iter();
    required.all(|term| term.is_some_and(|term| index.postings.counts(term, place).is_some()))
}

/// For each tool its best share over the clauses.
fn best_shares(clauses: Vec<Scores>, candidates: &[u32]) -> Option<Scores> {
    let shares = clauses.into_iter().map(|scores| share_of_best(scores, candidates, 0.0));
    shares.reduce(|best, other| best.into_iter().zip(other).map(|(best, other)| best.max(other)).collect())
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
