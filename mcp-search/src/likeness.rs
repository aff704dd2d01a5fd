//! How alike the letters of two texts are: one less the share of letters that must be added, left out, changed or
//! swapped with their neighbours to make one text of the other.
//!
//! One text is compared with thousands. Of each of these an [`Outline`] is kept, which tells most that are too different
//! without a look at their letters. Of the one, a [`Pattern`], the places of each letter are kept as bits, so that a
//! letter of the other is compared with all of them at once (Hyyrö, *A bit-vector algorithm for computing Levenshtein
//! and Damerau edit distances*, 2003).

use crate::postings::ratio;

/// The longest text that is found alike, in bytes: what is longer is no name.
const COMPARED_BYTES: usize = 384;
/// How many letters the bits of a pattern stand for.
const PATTERN_LETTERS: usize = 64;

/// What can be said about the letters of a text at a glance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// The number of letters; `None` for a text that is too long to be alike to any.
    count: Option<u16>,
    /// How often each letter occurs. Letters that fall into one place of 32 count as the same.
    bag: [u8; 32],
}

impl Outline {
    pub(crate) fn new(text: &str) -> Self {
        let mut bag = [0_u8; 32];
        for letter in text.chars() {
            let place = usize::try_from(u32::from(letter) % 32).unwrap_or_default();
            bag[place] = bag[place].saturating_add(1);
        }
        let count = u16::try_from(text.chars().count()).ok().filter(|_| text.len() <= COMPARED_BYTES);
        Self { count, bag }
    }

    /// The least number of letters that must change: those that one text has more of, whatever their order.
    fn least_distance(&self, other: &Self) -> u16 {
        let (mut more, mut fewer) = (0, 0);
        for (left, right) in self.bag.iter().zip(other.bag) {
            more += u16::from(left.saturating_sub(right));
            fewer += u16::from(right.saturating_sub(*left));
        }
        more.max(fewer)
    }
}

/// A text that is compared with many.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    count: usize,
    outline: Outline,
    /// For each ASCII letter the bits of the places where it stands.
    ascii: [u64; 128],
    /// The same for all other letters.
    others: Vec<(char, u64)>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        let mut pattern = Self {
            text: text.to_owned(),
            count: text.chars().count(),
            outline: Outline::new(text),
            ascii: [0; 128],
            others: Vec::new(),
        };
        for (place, letter) in text.chars().take(PATTERN_LETTERS).enumerate() {
            *pattern.bits_mut(letter) |= 1 << place;
        }
        pattern
    }

    fn bits_mut(&mut self, letter: char) -> &mut u64 {
        let place = letter as usize;
        if place < self.ascii.len() {
            return &mut self.ascii[place];
        }
        let known = self.others.iter().position(|(other, _)| *other == letter);
        let at = known.unwrap_or(self.others.len());
        if known.is_none() {
            self.others.push((letter, 0));
        }
        &mut self.others[at].1
    }

    fn bits(&self, letter: char) -> u64 {
        match self.ascii.get(letter as usize) {
            Some(bits) => *bits,
            None => self.others.iter().find(|(other, _)| *other == letter).map_or(0, |(_, bits)| *bits),
        }
    }

    /// What the likeness to a text of this outline is at most.
    pub(crate) fn at_most(&self, outline: &Outline) -> f32 {
        let least = self.outline.least_distance(outline);
        outline.count.map_or(0.0, |count| self.likeness_at(usize::from(least), usize::from(count)))
    }

    /// The likeness to a text, from 0 to 1.
    pub(crate) fn likeness(&self, text: &str) -> f32 {
        let (distance, count) = match self.count {
            1..=PATTERN_LETTERS => self.distance_by_bits(text),
            _ => (strsim::osa_distance(&self.text, text), text.chars().count()),
        };
        self.likeness_at(distance, count)
    }

    /// The likeness to a text of so many letters, of which so many must change.
    fn likeness_at(&self, distance: usize, count: usize) -> f32 {
        let longer = self.count.max(count).max(1);
        1.0 - ratio(distance.min(longer), longer)
    }

    /// Returns the distance to a text, and the number of its letters.
    fn distance_by_bits(&self, text: &str) -> (usize, usize) {
        let mut column = Column::default();
        let mut count = 0;
        if text.is_ascii() {
            text.bytes()
                .for_each(|letter| column.step(self.ascii.get(usize::from(letter)).copied().unwrap_or_default()));
            count = text.len();
        } else {
            for letter in text.chars() {
                column.step(self.bits(letter));
                count += 1;
            }
        }
        (column.last_row(self.count, count), count)
    }
}

/// A column of the table of distances between all beginnings of both texts: one for each letter of the other text, a row
/// for each letter of the pattern.
///
/// Neighbours in the table differ by at most one, so that only differences are kept, as bits.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// The rows that are one more than the row above.
    rises: u64,
    /// The rows that are one less than the row above.
    falls: u64,
    /// The rows that are the same as the row above in the column before.
    same: u64,
    /// The letter's places in the pattern.
    bits: u64,
}

impl Default for Column {
    /// The column before the first letter: everything in the pattern must be left out.
    fn default() -> Self {
        Self { rises: u64::MAX, falls: 0, same: 0, bits: 0 }
    }
}

impl Column {
    /// Goes on to the next column, whose letter stands at these places of the pattern.
    fn step(&mut self, bits: u64) {
        let swapped = ((!self.same & bits) << 1) & self.bits;
        let same = ((bits & self.rises).wrapping_add(self.rises) ^ self.rises) | bits | self.falls | swapped;
        let rises_across = (self.falls | !(same | self.rises)) << 1 | 1;
        let falls_across = (same & self.rises) << 1;
        *self = Self { rises: falls_across | !(same | rises_across), falls: rises_across & same, same, bits };
    }

    /// The distance in the last of so many rows, in the column of this number.
    fn last_row(&self, rows: usize, number: usize) -> usize {
        let counted = u64::MAX >> (PATTERN_LETTERS.saturating_sub(rows));
        let [rises, falls] = [self.rises, self.falls].map(|rows| (rows & counted).count_ones() as usize);
        (number + rises).saturating_sub(falls)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Outline, Pattern};
    use crate::postings::ratio;

    #[test]
    fn swaps_count_once() {
        for (left, right, likeness) in
            [("", "", 1.0), ("", "ab", 0.0), ("ab", "ba", 0.5), ("ca", "abc", 0.0), ("straßens", "strassen", 0.625)]
        {
            assert_eq!(Pattern::new(left).likeness(right).to_bits(), f32::to_bits(likeness), "{left} {right}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The bits count what the plain table does, on both sides of the length that they hold.
        #[test]
        fn distances_are_those_of_the_plain_table(
            left in "[abß搜]{0,12}|[a-d]{60,70}",
            right in "[abß搜]{0,12}|[a-d]{50,70}",
        ) {
            let pattern = Pattern::new(&left);
            let longer = left.chars().count().max(right.chars().count()).max(1);
            let expected = 1.0 - ratio(strsim::osa_distance(&left, &right), longer);
            prop_assert_eq!(pattern.likeness(&right).to_bits(), expected.to_bits());
            prop_assert!(pattern.likeness(&right) <= pattern.at_most(&Outline::new(&right)));
        }
    }
}
