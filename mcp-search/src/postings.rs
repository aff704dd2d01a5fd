//! Which document holds which term in which field, and what that is worth.
//!
//! The score is [BM25F](https://doi.org/10.1145/1031171.1031181) (Robertson, Zaragoza, Taylor 2004): counts are
//! weighted and normalised by length per field, added up, and saturated once. Counts and lengths are kept as integers,
//! and what a term's postings are worth is made from them by the first query for it after a change, so that an index
//! reached by any sequence of insertions and removals gives exactly the scores of one built at once.

use std::sync::OnceLock;

use crate::counts::Counts;
use crate::document::FIELD_COUNT;
use crate::options::Weights;
use crate::vocabulary::TermId;

/// How many terms each field of one document has.
pub(crate) type Lengths = [u32; FIELD_COUNT];

/// The inverted index.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// By term, the documents that hold it, in the order of their places.
    lists: Vec<Vec<Posting>>,
    lengths: Vec<Lengths>,
    totals: [u64; FIELD_COUNT],
    documents: usize,
    /// By the number of documents that have a term, how rare it is.
    rarities: OnceLock<Vec<f32>>,
    /// By term, what each of its postings is worth.
    impacts: OnceLock<Vec<OnceLock<Vec<f32>>>>,
}

/// A document that holds a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    pub(crate) document: u32,
    pub(crate) counts: Counts,
}

impl Postings {
    /// Adds a document at a place that is free.
    pub(crate) fn insert(&mut self, document: u32, lengths: Lengths, terms: &[(TermId, Counts)]) {
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
            let term = *term as usize;
            if self.lists.len() <= term {
                self.lists.resize_with(term + 1, Vec::new);
            }
            if let Some(list) = self.lists.get_mut(term) {
                let at = place_from_end(list, |posting| posting.document < document);
                list.insert(at, Posting { document, counts: *counts });
            }
        }
    }

    /// Takes a document out again, given the same terms.
    pub(crate) fn remove(&mut self, document: u32, terms: &[TermId]) {
        self.forget_values();
        for term in terms {
            if let Some(list) = self.lists.get_mut(*term as usize)
                && let Ok(at) = list.binary_search_by_key(&document, |posting| posting.document)
            {
                list.remove(at);
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
    pub(crate) fn list(&self, term: TermId) -> &[Posting] {
        self.lists.get(term as usize).map_or(&[], Vec::as_slice)
    }

    /// The counts of a term in one document.
    pub(crate) fn counts(&self, term: TermId, document: u32) -> Option<Counts> {
        let list = self.list(term);
        let at = list.binary_search_by_key(&document, |posting| posting.document).ok()?;
        list.get(at).map(|posting| posting.counts)
    }

    /// How much telling documents apart a term does: the logarithm of its rarity, never negative.
    pub(crate) fn rarity(&self, term: TermId) -> f32 {
        self.rarity_of(self.list(term).len())
    }

    /// The rarity of something that so many documents have.
    pub(crate) fn rarity_of(&self, with: usize) -> f32 {
        let rarity = |with| ratio((self.documents - with) * 2 + 1, with * 2 + 1).ln_1p();
        let rarities = self.rarities.get_or_init(|| (0..=self.documents).map(rarity).collect());
        rarities.get(with).copied().unwrap_or_default()
    }

    /// What each posting of the term is worth under `weights`: the share of the term's rarity that it earns, between 0
    /// and 1; in the order of [`Postings::list`].
    ///
    /// Whoever changes the weights must call [`Postings::forget_values`].
    pub(crate) fn impacts(&self, term: TermId, weights: &Weights) -> &[f32] {
        let empty = || self.lists.iter().map(|_| OnceLock::new()).collect();
        let Some(impacts) = self.impacts.get_or_init(empty).get(term as usize) else { return &[] };
        impacts.get_or_init(|| {
            let valuer = Valuer::new(self, weights);
            self.list(term).iter().map(|posting| valuer.impact(*posting)).collect()
        })
    }

    /// Makes the next queries value the postings anew.
    pub(crate) fn forget_values(&mut self) {
        self.rarities.take();
        self.impacts.take();
    }
}

/// Where the elements that come `before` end, looking at the last first: most documents are added behind all others.
pub(crate) fn place_from_end<T>(list: &[T], before: impl Fn(&T) -> bool) -> usize {
    if list.last().is_none_or(&before) { list.len() } else { list.partition_point(before) }
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

    fn impact(&self, Posting { document, counts }: Posting) -> f32 {
        let Some(lengths) = self.lengths.get(document as usize) else { return 0.0 };
        let mut weighted = 0.0;
        for (((count, length), weight), slope) in
            counts.each().into_iter().zip(lengths).zip(self.fields).zip(self.slopes)
        {
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
