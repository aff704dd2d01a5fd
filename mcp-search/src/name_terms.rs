//! The stems that each tool's name consists of, and how telling they are together.

use std::sync::OnceLock;

use crate::postings::Postings;
use crate::vocabulary::TermId;

/// By place, the distinct stems of the name, in order.
#[derive(Debug, Default)]
pub(crate) struct NameTerms {
    terms: Vec<Box<[TermId]>>,
    /// By place, how rare the stems are together, once somebody has asked.
    rarities: OnceLock<Vec<OnceLock<f32>>>,
}

impl NameTerms {
    /// Notes the stems of the name at a place; a place that is free has none.
    pub(crate) fn set(&mut self, place: u32, terms: Vec<TermId>) {
        self.rarities.take();
        let place = place as usize;
        if self.terms.len() <= place {
            self.terms.resize_with(place + 1, Box::default);
        }
        if let Some(entry) = self.terms.get_mut(place) {
            *entry = terms.into();
        }
    }

    /// The number of stems of the name.
    pub(crate) fn count(&self, place: u32) -> usize {
        self.of(place).len()
    }

    /// The sum of the rarities of the name's stems.
    pub(crate) fn rarity(&self, place: u32, postings: &Postings) -> f32 {
        let empty = || self.terms.iter().map(|_| OnceLock::new()).collect();
        let sum = || self.of(place).iter().map(|term| postings.rarity(*term)).sum();
        self.rarities.get_or_init(empty).get(place as usize).map_or(0.0, |rarity| *rarity.get_or_init(sum))
    }

    fn of(&self, place: u32) -> &[TermId] {
        self.terms.get(place as usize).map_or(&[], |terms| terms)
    }
}
