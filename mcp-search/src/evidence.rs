//! What speaks for a tool, leg by leg.

use crate::document::Field;
use crate::index::Index;
use crate::nearest;
use crate::reading::{Reading, Term};
use crate::vocabulary::TermId;

/// Scores of all places; most are zero.
pub(crate) type Scores = Vec<f32>;

/// A term's scores: places in the order they were met, each once.
pub(crate) type Sparse = Vec<(u32, f32)>;

/// The scores of each term of the query, with what its related words add.
pub(crate) fn term_scores(index: &Index, reading: &Reading) -> Vec<Sparse> {
    let mut scratch = Scratch::new(index.documents.places());
    let score = |term: &Term| {
        let known = term.known.map(|known| (known, 1.0));
        for (other, share) in known.into_iter().chain(term.related.iter().copied()) {
            scratch.add(index, other, share * term.weight);
        }
        scratch.take()
    };
    reading.terms.iter().map(score).collect()
}

/// The scores by words that look like words of the query that the index does not have.
pub(crate) fn alike_scores(index: &Index, reading: &Reading) -> Sparse {
    let mut scratch = Scratch::new(index.documents.places());
    for (term, likeness) in reading.terms.iter().flat_map(|term| &term.alike) {
        scratch.add(index, *term, *likeness);
    }
    scratch.take()
}

/// Adds up the scores of some terms.
pub(crate) fn sum<'a>(places: usize, terms: impl Iterator<Item = &'a Sparse>) -> Scores {
    let mut sum = vec![0.0; places];
    for (place, score) in terms.flatten() {
        if let Some(sum) = sum.get_mut(*place as usize) {
            *sum += score;
        }
    }
    sum
}

/// How much of each tool's name the query covers, by rarity, from 0 to 1.
pub(crate) fn name_coverage(index: &Index, reading: &Reading) -> Scores {
    let mut covered = vec![0.0; index.documents.places()];
    for known in reading.terms.iter().filter_map(|term| term.known) {
        let rarity = index.postings.rarity(known);
        for posting in index.postings.list(known) {
            if posting.counts[Field::Name.place()] > 0
                && let Some(covered) = covered.get_mut(posting.document as usize)
            {
                *covered += rarity;
            }
        }
    }
    for (place, covered) in (0_u32..).zip(&mut covered).filter(|(_, covered)| **covered > 0.0) {
        let Some(entry) = index.documents.get(place) else { continue };
        let all: f32 = entry.name_terms.iter().map(|term| index.postings.rarity(*term)).sum();
        *covered /= all.max(f32::MIN_POSITIVE);
    }
    covered
}

/// How alike the letters of the query and of each tool's name are, where the query may be a misspelled name.
pub(crate) fn misspelled(index: &Index, reading: &Reading) -> Scores {
    let similar = reading.misspelled.as_deref().map(|text| nearest::misspelled(index, text)).unwrap_or_default();
    sum(index.places(), std::iter::once(&similar))
}

/// How rare the pairs of neighbours are that each tool's name or description shares with the query.
pub(crate) fn pairs(index: &Index, reading: &Reading) -> Scores {
    let mut scores = vec![0.0; index.documents.places()];
    for (left, right) in &reading.pairs {
        let rarer = [*left, *right].into_iter().min_by_key(|term| index.postings.list(*term).len());
        let candidates = rarer.map_or(&[][..], |term| index.postings.list(term)).iter();
        let has = |place: &u32| {
            index.documents.get(*place).is_some_and(|entry| entry.pairs.binary_search(&(*left, *right)).is_ok())
        };
        let with: Vec<u32> = candidates.map(|posting| posting.document).filter(has).collect();
        let rarity = index.postings.rarity_of(with.len());
        for place in with {
            if let Some(score) = scores.get_mut(place as usize) {
                *score += rarity;
            }
        }
    }
    scores
}

/// Adds up postings without clearing all places for every term.
struct Scratch {
    scores: Scores,
    touched: Vec<u32>,
}

impl Scratch {
    fn new(places: usize) -> Self {
        Self { scores: vec![0.0; places], touched: Vec::new() }
    }

    fn add(&mut self, index: &Index, term: TermId, share: f32) {
        let worth = share * index.postings.rarity(term);
        if worth <= 0.0 {
            return;
        }
        let impacts = index.postings.impacts(&index.options.weights).get(term as usize);
        for (posting, impact) in index.postings.list(term).iter().zip(impacts.into_iter().flatten()) {
            if let Some(score) = self.scores.get_mut(posting.document as usize) {
                if *score == 0.0 {
                    self.touched.push(posting.document);
                }
                *score += worth * impact;
            }
        }
    }

    fn take(&mut self) -> Sparse {
        let scores = &mut self.scores;
        let taken = self.touched.drain(..).filter_map(|place| {
            let score = scores.get_mut(place as usize)?;
            Some((place, std::mem::take(score)))
        });
        taken.collect()
    }
}
