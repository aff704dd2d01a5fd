//! How often a term stands in each field of one document.

use crate::document::{FIELD_COUNT, Field};

/// A count for each [`Field`], in two bits each.
///
/// More than three count as three: honest texts seldom repeat a word more often, and stuffed ones gain nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(pub(crate) u16);

const BITS: usize = 2;
const MOST: u16 = (1 << BITS) - 1;

impl Counts {
    /// One in the field.
    pub(crate) fn one(field: Field) -> Self {
        Self(1 << (BITS * field.place()))
    }

    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = |field: Field| (self.of(field) + other.of(field)).min(MOST) << (BITS * field.place());
        Self(Field::ALL.into_iter().map(sum).sum())
    }

    /// How often the term stands in the field.
    pub(crate) fn of(self, field: Field) -> u16 {
        self.0 >> (BITS * field.place()) & MOST
    }

    /// The counts in the order of [`Field::ALL`].
    pub(crate) fn each(self) -> [u16; FIELD_COUNT] {
        Field::ALL.map(|field| self.of(field))
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;
    use crate::document::Field;

    #[test]
    fn fields_count_apart_and_up_to_three() {
        let fields = [&[Field::Title, Field::Title][..], &[Field::Server; 5]].concat();
        let counts = fields.into_iter().map(Counts::one).fold(Counts::default(), Counts::plus);
        assert_eq!(counts.each(), [0, 2, 0, 0, 0, 3]);
    }
}
