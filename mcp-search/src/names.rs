//! Finding a tool by its name, in whatever spelling.
//!
//! A name is looked up in these steps; the first that finds a tool decides:
//!
//! 1. the id, letter by letter;
//! 2. the tool's own (bare) name, letter by letter;
//! 3. the id without regard to case, accents and separators;
//! 4. server and name together in that way (`GitHub.createIssue`);
//! 5. the same after a leading `mcp`, since ids of other hosts start so;
//! 6. the bare name in that way (`Create Issue`).
//!
//! When a step finds several tools the name is ambiguous and all of them are candidates.

use std::collections::HashMap;
use std::sync::Arc;

use crate::document::Document;
use crate::likeness::{Outline, Pattern};
use crate::slots::Slots;
use crate::tokenizer::fold;

/// All names of all tools, folded: without regard to case, accents and separators.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The tools' own names.
    pub(crate) bare: Folded,
    /// The ids.
    pub(crate) ids: Folded,
    /// Server and name together.
    pub(crate) full: Folded,
}

/// Names of one kind, each with the tools that have it.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    numbers: HashMap<Arc<str>, u32>,
    names: Slots<Name>,
    /// The outline of each name, by number; that of a name that is gone may be left.
    outlines: Vec<Outline>,
}

/// A name and the places of the tools that have it.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: Arc<str>,
    pub(crate) places: Vec<u32>,
}

impl Names {
    pub(crate) fn insert(&mut self, place: u32, document: &Document) {
        for (names, name) in self.all_of(document) {
            names.insert(&name, place);
        }
    }

    pub(crate) fn remove(&mut self, place: u32, document: &Document) {
        for (names, name) in self.all_of(document) {
            names.remove(&name, place);
        }
    }

    /// Each list with the name that the document has in it.
    fn all_of(&mut self, document: &Document) -> [(&mut Folded, String); 3] {
        let bare = fold(&document.name);
        let full = fold(&document.server) + &bare;
        [(&mut self.ids, fold(&document.id)), (&mut self.full, full), (&mut self.bare, bare)]
    }

    /// The places of the tools that have this name, after steps 2 to 6; step 1 is the index's own map.
    ///
    /// `own` returns the name at a place, letter by letter, if the tool there is allowed.
    pub(crate) fn find<'a>(&self, name: &str, own: impl Fn(u32) -> Option<&'a str>) -> Vec<u32> {
        let folded = fold(name);
        let exact: Vec<u32> =
            self.bare.find(&folded).iter().copied().filter(|place| own(*place) == Some(name)).collect();
        if !exact.is_empty() || folded.is_empty() {
            return exact;
        }
        let steps = [
            self.ids.find(&folded),
            self.full.find(&folded),
            folded.strip_prefix("mcp").map_or(&[], |name| self.full.find(name)),
            self.bare.find(&folded),
        ];
        let allowed = |places: &[u32]| places.iter().copied().filter(|place| own(*place).is_some()).collect();
        steps.into_iter().map(allowed).find(|places: &Vec<u32>| !places.is_empty()).unwrap_or_default()
    }
}

impl Folded {
    fn insert(&mut self, name: &str, place: u32) {
        if let Some(known) = self.numbers.get(name).and_then(|number| self.names.get_mut(*number)) {
            known.places.push(place);
            return;
        }
        let text: Arc<str> = name.into();
        let number = self.names.insert(Name { text: Arc::clone(&text), places: vec![place] });
        self.outlines.resize(self.names.places(), Outline::default());
        if let Some(outline) = self.outlines.get_mut(number as usize) {
            *outline = Outline::new(name);
        }
        self.numbers.insert(text, number);
    }

    fn remove(&mut self, name: &str, place: u32) {
        let Some(number) = self.numbers.get(name).copied() else { return };
        let Some(known) = self.names.get_mut(number) else { return };
        known.places.retain(|other| *other != place);
        if known.places.is_empty() {
            self.names.remove(number);
            self.numbers.remove(name);
        }
    }

    fn find(&self, name: &str) -> &[u32] {
        let known = self.numbers.get(name).and_then(|number| self.names.get(*number));
        known.map_or(&[], |name| &name.places)
    }

    /// The names whose likeness to the pattern may be so much.
    pub(crate) fn maybe_alike<'a>(&'a self, pattern: &'a Pattern, least: f32) -> impl Iterator<Item = &'a Name> {
        let possible = (0_u32..).zip(&self.outlines).filter(move |(_, outline)| pattern.at_most(outline) >= least);
        possible.filter_map(|(number, _)| self.names.get(number))
    }
}
