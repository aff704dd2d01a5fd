//! Lists of words by key, made at once.

use crate::vocabulary::WordId;

/// A number for a run of letters. Two runs may share one, which only adds a candidate.
pub(crate) type Key = u32;

/// Hashes letters, quickly; nothing is lost when somebody finds runs that share a key.
pub(crate) fn key<'a>(letters: impl IntoIterator<Item = &'a char>) -> Key {
    let mix = |hash: u64, letter: &char| (hash.rotate_left(5) ^ u64::from(*letter)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (letters.into_iter().fold(0, mix) >> 32) as Key
}

/// Keys, and the words that have each.
///
/// Entries stand in buckets by the highest bits of their keys, so that filling takes two passes and no comparison, and
/// looking one up a look at about one entry that does not fit.
#[derive(Debug)]
pub(crate) struct Buckets {
    /// How far a key is shifted to get the number of its bucket.
    shift: u32,
    /// Where each bucket starts among the entries, and where the last ends.
    starts: Vec<u32>,
    entries: Vec<(Key, WordId)>,
}

impl Buckets {
    pub(crate) fn new(pairs: &[(Key, WordId)]) -> Self {
        let bits = pairs.len().max(2).ilog2();
        let shift = Key::BITS - bits.min(Key::BITS - 1);
        let mut starts = vec![0; (1 << (Key::BITS - shift)) + 1];
        for (key, _) in pairs {
            if let Some(count) = starts.get_mut((key >> shift) as usize) {
                *count += 1;
            }
        }
        let mut end = 0;
        for bound in &mut starts {
            end += *bound;
            *bound = end;
        }
        // Now each bucket's bound is its end; filled from there, it becomes its start.
        let mut entries = vec![(0, 0); pairs.len()];
        for pair in pairs.iter().rev() {
            let Some(bound) = starts.get_mut((pair.0 >> shift) as usize) else { continue };
            *bound -= 1;
            if let Some(entry) = entries.get_mut(*bound as usize) {
                *entry = *pair;
            }
        }
        Self { shift, starts, entries }
    }

    /// The words that have this key.
    pub(crate) fn with_key(&self, key: Key) -> impl Iterator<Item = WordId> {
        let bucket = (key >> self.shift) as usize;
        let bounds = self.starts.get(bucket).zip(self.starts.get(bucket + 1));
        let bucket =
            bounds.and_then(|(start, end)| self.entries.get(*start as usize..*end as usize)).unwrap_or_default();
        bucket.iter().filter(move |(other, _)| *other == key).map(|(_, word)| *word)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Buckets;

    proptest! {
        #[test]
        fn each_key_has_its_words(pairs in prop::collection::vec((prop::sample::select(vec![0, 1, 7, 1 << 31, u32::MAX]), 0_u32..9), 0..40)) {
            let buckets = Buckets::new(&pairs);
            for key in [0, 1, 2, 7, 1 << 31, u32::MAX] {
                let expected = pairs.iter().filter(|(other, _)| *other == key).map(|(_, word)| *word);
                prop_assert_eq!(buckets.with_key(key).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            }
        }
    }
}
