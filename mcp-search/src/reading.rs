//! A query as an index understands it: which of its words the index has, what else they may mean, and what stands
//! together.

use std::collections::BTreeMap;

use crate::clauses::clauses;
use crate::index::Index;
use crate::query::Query;
use crate::stop_words::{is_filler, is_stop_word};
use crate::vocabulary::TermId;
use crate::{abbreviations, thesaurus, tokenizer};

/// How many distinct words of a query count, the first ones. Enough for a page of text.
const TERMS: usize = 96;
/// How many words a query has at most that may be a misspelled name.
const NAME_WORDS: usize = 8;

/// A query, read against an index.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The distinct stems of the query that tell something.
    pub(crate) terms: Vec<Term>,
    /// For each clause that says something by itself, the numbers of its terms. Empty when there is only one.
    pub(crate) clauses: Vec<Vec<usize>>,
    /// The stems that follow each other, as the index numbers them.
    pub(crate) pairs: Vec<(TermId, TermId)>,
    /// The query without separators and case, where it may be a misspelled name: it is short and has an unknown word.
    pub(crate) misspelled: Option<String>,
    /// The stems that a tool must have; `None` where the index does not have one at all.
    pub(crate) required: Vec<Option<TermId>>,
}

/// One stem of a query.
#[derive(Debug)]
pub(crate) struct Term {
    /// The word as typed.
    pub(crate) word: String,
    /// Whether neither the index nor the thesaurus knows the word.
    pub(crate) is_misspelled: bool,
    /// What it counts, from 0 to 1.
    pub(crate) weight: f32,
    /// The stem in the index, if it is there.
    pub(crate) known: Option<TermId>,
    /// Stems of the index with a similar meaning or one slip away, and what each counts.
    pub(crate) related: Vec<(TermId, f32)>,
    /// For a word that the index does not have: stems of the index that look alike, and how much so.
    pub(crate) alike: Vec<(TermId, f32)>,
}

impl Reading {
    pub(crate) fn new(index: &Index, query: &Query) -> Self {
        let mut reader = Reader { index, numbers: BTreeMap::new(), reading: Self::default(), keep_stop_words: false };
        let words = tokenizer::words(&query.text);
        reader.keep_stop_words = words.iter().all(|word| is_stop_word(word));
        reader.read(&query.text);
        let may_be_name = reader.reading.terms.iter().any(|term| term.is_misspelled) && words.len() <= NAME_WORDS;
        reader.reading.misspelled = may_be_name.then(|| tokenizer::fold(&query.text));
        let stem = |word: &String| index.vocabulary.term(&index.vocabulary.stem(word));
        reader.reading.required = query.required.iter().map(stem).collect();
        reader.reading
    }
}

struct Reader<'a> {
    index: &'a Index,
    numbers: BTreeMap<String, usize>,
    reading: Reading,
    keep_stop_words: bool,
}

impl Reader<'_> {
    fn read(&mut self, text: &str) {
        let mut read = Vec::new();
        for clause in clauses(text) {
            let mut numbers: Vec<usize> = Vec::new();
            let mut previous: Option<usize> = None;
            for word in tokenizer::words(&clause) {
                if is_stop_word(&word) && !self.keep_stop_words {
                    continue;
                }
                let Some(number) = self.number(word) else { continue };
                if let Some(previous) = previous {
                    self.pair(previous, number);
                }
                previous = Some(number);
                numbers.push(number);
            }
            if numbers.len() >= 2 {
                numbers.sort_unstable();
                numbers.dedup();
                read.push(numbers);
            }
        }
        if read.len() > 1 {
            self.reading.clauses = read;
        }
    }

    /// The number of the word's stem among the query's terms.
    fn number(&mut self, word: String) -> Option<usize> {
        let stem = self.index.vocabulary.stem(&word);
        if let Some(number) = self.numbers.get(&stem) {
            return Some(*number);
        }
        if self.reading.terms.len() == TERMS {
            return None;
        }
        let number = self.reading.terms.len();
        self.reading.terms.push(term(self.index, &stem, word));
        self.numbers.insert(stem, number);
        Some(number)
    }

    fn pair(&mut self, left: usize, right: usize) {
        let known = |number: usize| self.reading.terms.get(number).and_then(|term| term.known);
        if let (Some(left), Some(right)) = (known(left), known(right))
            && left != right
            && !self.reading.pairs.contains(&(left, right))
        {
            self.reading.pairs.push((left, right));
        }
    }
}

fn term(index: &Index, stem: &str, word: String) -> Term {
    let weights = &index.options.weights;
    let vocabulary = &index.vocabulary;
    let known = vocabulary.term(stem);
    let filler = is_filler(stem);
    let weight = if filler { weights.filler } else { 1.0 };
    let mut related = if filler { Vec::new() } else { related(index, stem, &word) };
    let mut alike = Vec::new();
    let is_misspelled = known.is_none() && !thesaurus::is_word(stem);
    if known.is_none() {
        if is_misspelled {
            related.extend(vocabulary.one_slip_from(&word).into_iter().map(|term| (term, weights.slip)));
        }
        alike = vocabulary.alike(&word);
    }
    Term { word, is_misspelled, weight, known, related, alike }
}

/// The stems of the index that mean the same as the word or something similar, and what each counts.
fn related(index: &Index, stem: &str, word: &str) -> Vec<(TermId, f32)> {
    let weights = &index.options.weights;
    let written_short =
        abbreviations::related(word).map(|(word, similarity)| (index.vocabulary.stem(word), similarity));
    let similar = thesaurus::related(stem).take(weights.related_terms);
    let similar = similar.map(|(stem, similarity)| (stem.to_owned(), similarity));
    let mut found: Vec<(TermId, f32)> = Vec::new();
    for (stem, similarity) in written_short.chain(similar) {
        if let Some(term) = index.vocabulary.term(&stem)
            && !found.iter().any(|(other, _)| *other == term)
        {
            found.push((term, weights.related * similarity));
        }
    }
    found
}
