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

use std::collections::{BTreeMap, BTreeSet};

use crate::document::Document;
use crate::tokenizer::fold;

/// The tools that have a name.
type Places = BTreeMap<String, BTreeSet<u32>>;

/// All names of all tools.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bare: Places,
    ids_folded: Places,
    full_folded: Places,
    bare_folded: Places,
}

impl Names {
    pub(crate) fn insert(&mut self, place: u32, document: &Document) {
        for (names, name) in self.all_of(document) {
            names.entry(name).or_default().insert(place);
        }
    }

    pub(crate) fn remove(&mut self, place: u32, document: &Document) {
        for (names, name) in self.all_of(document) {
            if let Some(places) = names.get_mut(&name) {
                places.remove(&place);
                if places.is_empty() {
                    names.remove(&name);
                }
            }
        }
    }

    /// Each map with the name that the document has in it.
    fn all_of(&mut self, document: &Document) -> [(&mut Places, String); 4] {
        let bare = fold(&document.name);
        [
            (&mut self.bare, document.name.clone()),
            (&mut self.ids_folded, fold(&document.id)),
            (&mut self.full_folded, fold(&document.server) + &bare),
            (&mut self.bare_folded, bare),
        ]
    }

    /// All bare names without regard to case, accents and separators, and the tools that have them.
    pub(crate) fn bare_folded(&self) -> impl Iterator<Item = (&String, &BTreeSet<u32>)> {
        self.bare_folded.iter()
    }

    /// All names without regard to case, accents and separators, bare and with their servers, and the tools that have
    /// them.
    pub(crate) fn folded(&self) -> impl Iterator<Item = (&String, &BTreeSet<u32>)> {
        self.bare_folded.iter().chain(&self.ids_folded).chain(&self.full_folded)
    }

    /// The places of the tools that have this name, after steps 2 to 6; step 1 is the index's own map.
    /// `allowed` decides which tools there are at all.
    pub(crate) fn find(&self, name: &str, allowed: impl Fn(u32) -> bool) -> Vec<u32> {
        let folded = Some(fold(name)).filter(|folded| !folded.is_empty());
        let folded = folded.as_deref();
        let steps = [
            self.bare.get(name),
            folded.and_then(|name| self.ids_folded.get(name)),
            folded.and_then(|name| self.full_folded.get(name)),
            folded.and_then(|name| self.full_folded.get(name.strip_prefix("mcp")?)),
            folded.and_then(|name| self.bare_folded.get(name)),
        ];
        for places in steps.into_iter().flatten() {
            let places: Vec<u32> = places.iter().copied().filter(|place| allowed(*place)).collect();
            if !places.is_empty() {
                return places;
            }
        }
        Vec::new()
    }
}
