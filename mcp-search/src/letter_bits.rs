//! The number of letters that must be added, left out, changed or swapped with their neighbours to make one text of
//! another.
//!
//! The places of each letter in one text are kept as bits, so that a letter of the other is compared with all of them at
//! once (Hyyrö, *A bit-vector algorithm for computing Levenshtein and Damerau edit distances*, 2003).

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl};

/// A number that is used for its bits.
pub(crate) trait Bits:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
{
    /// How many bits it has.
    const COUNT: usize;
    /// No bit.
    const NONE: Self;
    /// The first bit alone.
    const FIRST: Self;

    /// The sum, without what does not fit.
    fn plus(self, other: Self) -> Self;

    /// How many of the first `count` bits are set.
    fn ones_of_first(self, count: usize) -> usize;
}

impl Bits for u64 {
    const COUNT: usize = 64;
    const NONE: Self = 0;
    const FIRST: Self = 1;

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn ones_of_first(self, count: usize) -> usize {
        (self & Self::MAX >> Self::COUNT.saturating_sub(count)).count_ones() as usize
    }
}

impl Bits for u128 {
    const COUNT: usize = 128;
    const NONE: Self = 0;
    const FIRST: Self = 1;

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn ones_of_first(self, count: usize) -> usize {
        (self & Self::MAX >> Self::COUNT.saturating_sub(count)).count_ones() as usize
    }
}

/// Where each letter stands in a text of one to [`Bits::COUNT`] letters.
#[derive(Debug)]
pub(crate) struct LetterBits<B> {
    count: usize,
    ascii: [B; 128],
    /// The letters beyond ASCII.
    others: Vec<(char, B)>,
}

impl<B: Bits> LetterBits<B> {
    pub(crate) fn new(text: &str) -> Self {
        let mut bits = Self { count: text.chars().count(), ascii: [B::NONE; 128], others: Vec::new() };
        for (place, letter) in text.chars().take(B::COUNT).enumerate() {
            let at = bits.of_mut(letter);
            *at = *at | B::FIRST << place;
        }
        bits
    }

    fn of_mut(&mut self, letter: char) -> &mut B {
        let place = letter as usize;
        if place < self.ascii.len() {
            return &mut self.ascii[place];
        }
        let known = self.others.iter().position(|(other, _)| *other == letter);
        let at = known.unwrap_or(self.others.len());
        if known.is_none() {
            self.others.push((letter, B::NONE));
        }
        &mut self.others[at].1
    }

    fn of(&self, letter: char) -> B {
        match self.ascii.get(letter as usize) {
            Some(bits) => *bits,
            None => self.others.iter().find(|(other, _)| *other == letter).map_or(B::NONE, |(_, bits)| *bits),
        }
    }

    /// Returns the distance to another text, and the number of letters of that.
    pub(crate) fn distance(&self, other: &str) -> (usize, usize) {
        let mut column = Column::first();
        let mut count = 0;
        if other.is_ascii() {
            for letter in other.bytes() {
                column.step(self.ascii.get(usize::from(letter)).copied().unwrap_or(B::NONE));
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
struct Column<B> {
    /// The rows that are one more than the row above.
    rises: B,
    /// The rows that are one less than the row above.
    falls: B,
    /// The rows that are the same as the row above in the column before.
    same: B,
    /// The places of the column's letter.
    bits: B,
}

impl<B: Bits> Column<B> {
    /// The column before the first letter: each row leaves out one letter more.
    fn first() -> Self {
        Self { rises: !B::NONE, falls: B::NONE, same: B::NONE, bits: B::NONE }
    }

    /// Goes on to the next column, whose letter stands at these places.
    fn step(&mut self, bits: B) {
        let swapped = ((!self.same & bits) << 1) & self.bits;
        let same = ((bits & self.rises).plus(self.rises) ^ self.rises) | bits | self.falls | swapped;
        let rises_across = (self.falls | !(same | self.rises)) << 1 | B::FIRST;
        let falls_across = (same & self.rises) << 1;
        *self = Self { rises: falls_across | !(same | rises_across), falls: rises_across & same, same, bits };
    }

    /// The distance in the last of so many rows, in the column of this number.
    fn last_row(&self, rows: usize, number: usize) -> usize {
        (number + self.rises.ones_of_first(rows)).saturating_sub(self.falls.ones_of_first(rows))
    }
}
