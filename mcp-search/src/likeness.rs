//! How alike the letters of two texts are: one less the share of letters that must be added, left out, changed or
//! swapped with their neighbours to make one text of the other.
//!
//! One text, a [`Pattern`], is compared with thousands. Of each of these an [`Outline`] is kept, which tells most that
//! are too different without a look at their letters.

use crate::letter_bits::{LetterBits, MOST_LETTERS};
use crate::postings::ratio;

/// The longest text that is found alike, in bytes: what is longer is no name.
const COMPARED_BYTES: usize = 384;

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
    count: usize,
    outline: Outline,
    letters: Letters,
}

/// The letters of a pattern in the form in which they are compared soonest.
#[derive(Debug)]
enum Letters {
    Bits(Box<LetterBits>),
    /// None at all, or more than there are bits for.
    Plain(String),
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        let count = text.chars().count();
        let letters = if (1..=MOST_LETTERS).contains(&count) {
            Letters::Bits(Box::new(LetterBits::new(text)))
        } else {
            Letters::Plain(text.to_owned())
        };
        Self { count, outline: Outline::new(text), letters }
    }

    /// What the likeness to a text of this outline is at most.
    pub(crate) fn at_most(&self, outline: &Outline) -> f32 {
        let least = self.outline.least_distance(outline);
        outline.count.map_or(0.0, |count| self.likeness_at(usize::from(least), usize::from(count)))
    }

    /// The likeness to a text, from 0 to 1.
    pub(crate) fn likeness(&self, text: &str) -> f32 {
        let (distance, count) = match &self.letters {
            Letters::Bits(letters) => letters.distance(text),
            Letters::Plain(letters) => (strsim::osa_distance(letters, text), text.chars().count()),
        };
        self.likeness_at(distance, count)
    }

    /// The likeness to a text of so many letters, of which so many must change.
    fn likeness_at(&self, distance: usize, count: usize) -> f32 {
        let longer = self.count.max(count).max(1);
        1.0 - ratio(distance.min(longer), longer)
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

        /// The bits count what the plain table does, on both sides of the lengths that they hold.
        #[test]
        fn distances_are_those_of_the_plain_table(
            left in "[abß搜]{0,12}|[a-d]{60,70}|[a-dß]{120,136}",
            right in "[abß搜]{0,12}|[a-d]{50,70}|[a-dß]{120,136}",
        ) {
            let pattern = Pattern::new(&left);
            let longer = left.chars().count().max(right.chars().count()).max(1);
            let expected = 1.0 - ratio(strsim::osa_distance(&left, &right), longer);
            prop_assert_eq!(pattern.likeness(&right).to_bits(), expected.to_bits());
            prop_assert!(pattern.likeness(&right) <= pattern.at_most(&Outline::new(&right)));
        }
    }
}
