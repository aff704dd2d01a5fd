//! What speaks for a tool, leg by leg.

use crate::document::Field;
use crate::index::Index;
use crate::nearest;
use crate::reading::{Reading, Term};
use crate::vocabulary::TermId;

/// Scores of all places; most are zero. A leg that finds nothing may have none at all.
pub(crate) type Scores = Vec<f32>;

/// What the words of the query come to.
pub(crate) struct WordScores {
    /// For all its words together.
    pub(crate) whole: Scores,
    /// For the words of each of its clauses.
    pub(crate) clauses: Vec<Scores>,
}

/// Scores the words of the query, each with what its related words add.
pub(crate) fn words(index: &Index, reading: &Reading) -> WordScores {
    let places = index.places();
    let mut words = WordScores { whole: vec![0.0; places], clauses: vec![vec![0.0; places]; reading.clauses.len()] };
    let mut sums = Sums::new(places);
    for (number, term) in reading.terms.iter().enumerate() {
        let clauses = words.clauses.iter_mut().zip(&reading.clauses);
        let clauses = clauses.filter(|(_, terms)| terms.contains(&number)).map(|(scores, _)| scores);
        let mut targets: Vec<&mut Scores> = std::iter::once(&mut words.whole).chain(clauses).collect();
        sums.of_term(index, term).each(|place, score| targets.iter_mut().for_each(|scores| add(scores, place, score)));
    }
    words
}

/// The scores by words that look like words of the query that the index does not have.
pub(crate) fn alike(index: &Index, reading: &Reading) -> Scores {
    let alike = reading.terms.iter().flat_map(|term| &term.alike);
    let mut scores = Scores::new();
    for (term, likeness) in alike {
        scores.resize(index.places(), 0.0);
        each_worth(index, *term, *likeness, |place, worth| add(&mut scores, place, worth));
    }
    scores
}

/// How much of each tool's name the query covers, by rarity, from 0 to 1.
pub(crate) fn name_coverage(index: &Index, reading: &Reading) -> Scores {
    let mut covered = vec![0.0; index.places()];
    for known in reading.terms.iter().filter_map(|term| term.known) {
        let rarity = index.postings.rarity(known);
        for posting in index.postings.list(known) {
            if posting.counts.of(Field::Name) > 0 {
                add(&mut covered, posting.document, rarity);
            }
        }
    }
    for (place, covered) in (0_u32..).zip(&mut covered).filter(|(_, covered)| **covered > 0.0) {
        *covered /= index.name_terms.rarity(place, &index.postings).max(f32::MIN_POSITIVE);
    }
    covered
}

/// How alike the letters of the query and of each tool's name are, where the query may be a misspelled name.
pub(crate) fn misspelled(index: &Index, reading: &Reading) -> Scores {
    let Some(text) = reading.misspelled.as_deref() else { return Scores::new() };
    let mut scores = vec![0.0; index.places()];
    for (place, similarity) in nearest::misspelled(index, text) {
        add(&mut scores, place, similarity);
    }
    scores
}

/// How rare the pairs of neighbours are that each tool's name or description shares with the query.
pub(crate) fn pairs(index: &Index, reading: &Reading) -> Scores {
    let mut scores = Scores::new();
    for (left, right) in &reading.pairs {
        let with: Vec<u32> = index.pairs.documents(*left, *right).collect();
        let rarity = index.postings.rarity_of(with.len());
        scores.resize(index.places(), 0.0);
        for place in with {
            add(&mut scores, place, rarity);
        }
    }
    scores
}

fn add(scores: &mut Scores, place: u32, score: f32) {
    if let Some(sum) = scores.get_mut(place as usize) {
        *sum += score;
    }
}

/// Calls `each` with what every posting of a term is worth.
fn each_worth(index: &Index, term: TermId, share: f32, mut each: impl FnMut(u32, f32)) {
    let worth = share * index.postings.rarity(term);
    if worth > 0.0 {
        let impacts = index.postings.impacts(term, &index.options.weights);
        for (posting, impact) in index.postings.list(term).iter().zip(impacts) {
            each(posting.document, worth * impact);
        }
    }
}

/// Adds up scores term by term, without clearing all places for every term.
struct Sums {
    scores: Scores,
    touched: Vec<u32>,
}

impl Sums {
    fn new(places: usize) -> Self {
        Self { scores: vec![0.0; places], touched: Vec::new() }
    }

    /// Adds up what a term of the query and its related words are worth.
    fn of_term(&mut self, index: &Index, term: &Term) -> &mut Self {
        let known = term.known.map(|known| (known, 1.0));
        for (other, share) in known.into_iter().chain(term.related.iter().copied()) {
            each_worth(index, other, share * term.weight, |place, worth| {
                let Some(score) = self.scores.get_mut(place as usize) else { return };
                if *score == 0.0 {
                    self.touched.push(place);
                }
                *score += worth;
            });
        }
        self
    }

    /// Calls `each` with every place that has a score, and forgets the scores.
    fn each(&mut self, mut each: impl FnMut(u32, f32)) {
        for place in self.touched.drain(..) {
            if let Some(score) = self.scores.get_mut(place as usize) {
                each(place, std::mem::take(score));
            }
        }
    }
}
