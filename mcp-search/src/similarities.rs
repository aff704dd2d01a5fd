//! How similar in meaning tools are to the phrases of a query.

use std::collections::BTreeMap;

use crate::index::Index;

/// What the dense leg has to say about one query.
#[derive(Clone, Copy, Debug)]
pub enum Dense<'a> {
    /// Nothing, and why, in words for a person: "no embedding model is configured".
    Off(&'a str),
    /// How similar the tools are.
    On(&'a Similarities),
}

/// For each phrase of a query, how similar tools are to it: the cosine between vectors, or any other figure where more
/// is better.
///
/// Made by [`Vectors::similarities`](crate::Vectors::similarities), or pushed by whoever asks a search service that
/// keeps the vectors to itself. A tool without a figure is judged by its words alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Similarities {
    phrases: Vec<BTreeMap<String, f32>>,
}

impl Similarities {
    /// Adds the figures of one more phrase, by tool id. Figures that are not finite are left out.
    pub fn push(&mut self, figures: impl IntoIterator<Item = (String, f32)>) {
        self.phrases.push(figures.into_iter().filter(|(_, figure)| figure.is_finite()).collect());
    }

    /// For each place of the index the best standing over all phrases, where 1 is the most similar of the admitted
    /// tools and 0 the least; `None` for a tool without a figure.
    pub(crate) fn standings(&self, index: &Index, admits: &dyn Fn(u32) -> bool) -> Vec<Option<f32>> {
        let mut standings = vec![None; index.places()];
        for phrase in &self.phrases {
            let placed = phrase.iter().filter_map(|(id, figure)| Some((index.place(id)?, *figure)));
            let placed: Vec<(u32, f32)> = placed.filter(|(place, _)| admits(*place)).collect();
            let most = placed.iter().map(|(_, figure)| *figure).fold(f32::NEG_INFINITY, f32::max);
            let least = placed.iter().map(|(_, figure)| *figure).fold(f32::INFINITY, f32::min);
            for (place, figure) in placed {
                let standing = if most > least { (figure - least) / (most - least) } else { 0.0 };
                if let Some(best) = standings.get_mut(place as usize) {
                    *best = Some(best.map_or(standing, |best: f32| best.max(standing)));
                }
            }
        }
        standings
    }
}
