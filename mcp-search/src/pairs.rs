//! Which documents have which two terms next to each other.

use crate::postings::place_from_end;
use crate::vocabulary::TermId;

/// Two terms next to each other, as one number, which is quick to sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair(u64);

impl Pair {
    pub(crate) fn new(left: TermId, right: TermId) -> Self {
        Self(u64::from(left) << 32 | u64::from(right))
    }

    fn left(self) -> TermId {
        (self.0 >> 32) as TermId
    }

    fn right(self) -> TermId {
        (self.0 & 0xFFFF_FFFF) as TermId
    }
}

/// For each term the documents in which others follow it, in the order of their places.
///
/// A list is read whole for every pair that is looked for, which is quick, since it is read in one go; a map from pairs
/// to documents would take several times the memory.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    lists: Vec<Vec<Follower>>,
}

#[derive(Clone, Copy, Debug)]
struct Follower {
    document: u32,
    term: TermId,
}

impl Pairs {
    /// Adds a document at a place that is free, with its distinct pairs.
    pub(crate) fn insert(&mut self, document: u32, pairs: &[Pair]) {
        for pair in pairs {
            let left = pair.left() as usize;
            if self.lists.len() <= left {
                self.lists.resize_with(left + 1, Vec::new);
            }
            if let Some(list) = self.lists.get_mut(left) {
                let at = place_from_end(list, |follower| follower.document < document);
                list.insert(at, Follower { document, term: pair.right() });
            }
        }
    }

    /// Takes a document out again, given all its terms.
    pub(crate) fn remove(&mut self, document: u32, terms: &[TermId]) {
        for term in terms {
            let Some(list) = self.lists.get_mut(*term as usize) else { continue };
            let start = list.partition_point(|follower| follower.document < document);
            let end = list.partition_point(|follower| follower.document <= document);
            list.drain(start..end);
        }
    }

    /// The documents in which `right` follows `left`, each once.
    pub(crate) fn documents(&self, left: TermId, right: TermId) -> impl Iterator<Item = u32> {
        let list = self.lists.get(left as usize).into_iter().flatten();
        list.filter(move |follower| follower.term == right).map(|follower| follower.document)
    }
}
