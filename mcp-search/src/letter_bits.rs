//! The number of letters that must be added, left out, changed or swapped with their neighbours to make one text of
//! another.
//!
//! The places of each letter in one text are kept as bits, so that a letter of the other is compared with all of them at
//! once (Hyyrö, *A bit-vector algorithm for computing Levenshtein and Damerau edit distances*, 2003).

/// How many letters there are bits for.
pub(crate) const MOST_LETTERS: usize = 128;

/// Where each letter stands in a text of one to [`MOST_LETTERS`] letters.
#[derive(Debug)]
pub(crate) struct LetterBits {
    count: usize,
    ascii: [u128; 128],
    /// The letters beyond ASCII.
    others: Vec<(char, u128)>,
}

impl LetterBits {
    pub(crate) fn new(text: &str) -> Self {
        let mut bits = Self { count: text.chars().count(), ascii: [0; 128], others: Vec::new() };
        for (place, letter) in text.chars().take(MOST_LETTERS).enumerate() {
            *bits.of_mut(letter) |= 1 << place;
        }
        bits
    }

    fn of_mut(&mut self, letter: char) -> &mut u128 {
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

    fn of(&self, letter: char) -> u128 {
        match self.ascii.get(letter as usize) {
            Some(bits) => *bits,
            None => self.others.iter().find(|(other, _)| *other == letter).map_or(0, |(_, bits)| *bits),
        }
    }

    /// Returns the distance to another text, and the number of letters of that.
    pub(crate) fn distance(&self, other: &str) -> (usize, usize) {
        let mut column = Column::first();
        let mut count = 0;
        if other.is_ascii() {
            for letter in other.bytes() {
                column.step(self.ascii.get(usize::from(letter)).copied().unwrap_or(0));
            }
            count = other.len();
        } else {
            for letter in other.chars() {
                column.step(self.of(letter));
                count += 1;
            }
        }
        (column.last_row(self.count, count), count)
    }
}

/// A column of the table of distances between all beginnings of both texts: one for each letter of the other text, a row
/// for each letter of this one.
///
/// Neighbours in the table differ by at most one, so that only differences are kept, as bits.
struct Column {
    /// The rows that are one more than the row above.
    rises: u128,
    /// The rows that are one less than the row above.
    falls: u128,
    /// The rows that are the same as the row above in the column before.
    same: u128,
    /// The places of the column's letter.
    bits: u128,
}

impl Column {
    /// The column before the first letter: each row leaves out one letter more.
    fn first() -> Self {
        Self { rises: !0, falls: 0, same: 0, bits: 0 }
    }

    /// Goes on to the next column, whose letter stands at these places.
    fn step(&mut self, bits: u128) {
        let swapped = ((!self.same & bits) << 1) & self.bits;
        let same = ((bits & self.rises).wrapping_add(self.rises) ^ self.rises) | bits | self.falls | swapped;
        let rises_across = (self.falls | !(same | self.rises)) << 1 | 1;
        let falls_across = (same & self.rises) << 1;
        *self = Self { rises: falls_across | !(same | rises_across), falls: rises_across & same, same, bits };
    }

    /// The distance in the last of so many rows, in the column of this number.
    fn last_row(&self, rows: usize, number: usize) -> usize {
        let rows = u128::MAX >> MOST_LETTERS.saturating_sub(rows);
        let ones = |bits: u128| (bits & rows).count_ones() as usize;
        (number + ones(self.rises)).saturating_sub(ones(self.falls))
    }
}
