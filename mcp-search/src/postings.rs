//! Which document holds which term in which field, and what that is worth.
//!
//! The score is [BM25F](https://doi.org/10.1145/1031171.1031181) (Robertson, Zaragoza, Taylor 2004): counts are
//! weighted and normalised by length per field, added up, and saturated once. Counts and lengths are kept as integers,
//! and what a term's postings are worth is made from them by the first query for it after a change, so that an index
//! reached by any sequence of insertions and removals gives exactly the scores of one built at once.

use std::sync::OnceLock;

use crate::document::FIELD_COUNT;
use crate::options::Weights;
use crate::vocabulary::TermId;

/// How often a term stands in each field of one document.
pub(crate) type Counts = [u8; FIELD_COUNT];
/// How many terms each field of one document has.
pub(crate) type Lengths = [u32; FIELD_COUNT];

/// The inverted index.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    lists: Vec<List>,
    lengths: Vec<Lengths>,
    totals: [u64; FIELD_COUNT],
    documents: usize,
    /// By the number of documents that have a term, how rare it is.
    rarities: OnceLock<Vec<f32>>,
    /// By term, what each of its postings is worth.
    impacts: OnceLock<Vec<OnceLock<Vec<f32>>>>,
}

/// The documents that hold a term, in the order of their places, and how often each does.
///
/// Two lists of the same length, since scoring reads only the first.
#[derive(Debug, Default)]
struct List {
    documents: Vec<u32>,
    counts: Vec<Counts>,
}

impl List {
    fn insert(&mut self, document: u32, counts: Counts) {
        let at = self.documents.partition_point(|other| *other < document);
        self.documents.insert(at, document);
        self.counts.insert(at, counts);
    }

    fn remove(&mut self, document: u32) {
        if let Ok(at) = self.documents.binary_search(&document) {
            self.documents.remove(at);
            self.counts.remove(at);
        }
    }
}

impl Postings {
    /// Adds a document at a place that is free.
    pub(crate) fn insert(&mut self, document: u32, lengths: Lengths, terms: impl Iterator<Item = (TermId, Counts)>) {
        self.forget_values();
        let place = document as usize;
        if self.lengths.len() <= place {
            self.lengths.resize(place + 1, [0; FIELD_COUNT]);
        }
        if let Some(entry) = self.lengths.get_mut(place) {
            *entry = lengths;
        }
        for (total, length) in self.totals.iter_mut().zip(lengths) {
            *total += u64::from(length);
        }
        self.documents += 1;
        for (term, counts) in terms {
            let term = term as usize;
            if self.lists.len() <= term {
                self.lists.resize_with(term + 1, List::default);
            }
            if let Some(list) = self.lists.get_mut(term) {
                list.insert(document, counts);
            }
        }
    }

    /// Takes a document out again, given the same terms.
    pub(crate) fn remove(&mut self, document: u32, terms: impl Iterator<Item = TermId>) {
        self.forget_values();
        for term in terms {
            if let Some(list) = self.lists.get_mut(term as usize) {
                list.remove(document);
            }
        }
        if let Some(lengths) = self.lengths.get_mut(document as usize) {
            for (total, length) in self.totals.iter_mut().zip(*lengths) {
                *total -= u64::from(length);
            }
            *lengths = [0; FIELD_COUNT];
        }
        self.documents -= 1;
    }

    /// The documents that hold the term, in the order of their places.
    pub(crate) fn documents(&self, term: TermId) -> &[u32] {
        self.lists.get(term as usize).map_or(&[], |list| &list.documents)
    }

    /// The documents that hold the term, with its counts in each.
    pub(crate) fn counted(&self, term: TermId) -> impl Iterator<Item = (u32, Counts)> {
        let list = self.lists.get(term as usize).into_iter();
        list.flat_map(|list| list.documents.iter().copied().zip(list.counts.iter().copied()))
    }

    /// The counts of a term in one document.
    pub(crate) fn counts(&self, term: TermId, document: u32) -> Option<Counts> {
        let list = self.lists.get(term as usize)?;
        let at = list.documents.binary_search(&document).ok()?;
        list.counts.get(at).copied()
    }

    /// How much telling documents apart a term does: the logarithm of its rarity, never negative.
    pub(crate) fn rarity(&self, term: TermId) -> f32 {
        self.rarity_of(self.documents(term).len())
    }

    /// The rarity of something that so many documents have.
    pub(crate) fn rarity_of(&self, with: usize) -> f32 {
        let rarity = |with| ratio((self.documents - with) * 2 + 1, with * 2 + 1).ln_1p();
        let rarities = self.rarities.get_or_init(|| (0..=self.documents).map(rarity).collect());
        rarities.get(with).copied().unwrap_or_default()
    }

    /// What each posting of the term is worth under `weights`: the share of the term's rarity that it earns, between 0
    /// and 1; in the order of [`Postings::documents`].
    ///
    /// Whoever changes the weights must call [`Postings::forget_values`].
    pub(crate) fn impacts(&self, term: TermId, weights: &Weights) -> &[f32] {
        let empty = || self.lists.iter().map(|_| OnceLock::new()).collect();
        let Some(impacts) = self.impacts.get_or_init(empty).get(term as usize) else { return &[] };
        impacts.get_or_init(|| {
            let valuer = Valuer::new(self, weights);
            self.counted(term).map(|(document, counts)| valuer.impact(document, counts)).collect()
        })
    }

    /// Makes the next queries value the postings anew.
    pub(crate) fn forget_values(&mut self) {
        self.rarities.take();
        self.impacts.take();
    }
}

/// Values postings.
struct Valuer<'a> {
    lengths: &'a [Lengths],
    fields: [f32; FIELD_COUNT],
    slopes: [f32; FIELD_COUNT],
    base: f32,
    saturation: f32,
}

impl<'a> Valuer<'a> {
    fn new(postings: &'a Postings, weights: &Weights) -> Self {
        let slope = |total: u64| match usize::try_from(total) {
            Ok(0) => 0.0,
            total => weights.length * ratio(postings.documents, total.unwrap_or(usize::MAX)),
        };
        Self {
            lengths: &postings.lengths,
            fields: weights.fields(),
            slopes: postings.totals.map(slope),
            base: 1.0 - weights.length,
            saturation: weights.saturation,
        }
    }

    fn impact(&self, document: u32, counts: Counts) -> f32 {
        let Some(lengths) = self.lengths.get(document as usize) else { return 0.0 };
        let mut weighted = 0.0;
        for (((count, length), weight), slope) in counts.into_iter().zip(lengths).zip(self.fields).zip(self.slopes) {
            if count > 0 {
                weighted += weight * f32::from(count) / (self.base + slope * real(*length as usize));
            }
        }
        if weighted > 0.0 { weighted / (self.saturation + weighted) } else { 0.0 }
    }
}

/// The quotient of two counts.
pub(crate) fn ratio(numerator: usize, denominator: usize) -> f32 {
    real(numerator) / real(denominator)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of tools and words are far below 2^24, and ranking needs no more"
)]
pub(crate) fn real(count: usize) -> f32 {
    count as f32
}
