//! Finding a tool by its name, in whatever spelling.
//!
//! A name is looked up in these steps; the first that finds a tool decides:
//!
//! 1. the id, letter by letter;
//! 2. the tool's own (bare) name, letter by letter;
//! 3. the id, or server and name together, without regard to case, accents and separators (`GitHub.createIssue`), and
//!    the same after a leading `mcp`, since ids of other hosts start so;
//! 4. the bare name without regard to case, accents and separators (`Create Issue`).
//!
//! When a step finds several tools the name is ambiguous and all of them are candidates.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::Document;
use crate::tokenizer::fold;

/// All names of all tools.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bare: BTreeMap<String, BTreeSet<u32>>,
    full_folded: BTreeMap<String, BTreeSet<u32>>,
    bare_folded: BTreeMap<String, BTreeSet<u32>>,
}

impl Names {
    pub(crate) fn insert(&mut self, place: u32, document: &Document) {
        self.bare.entry(document.name.clone()).or_default().insert(place);
        for key in full_keys(document) {
            self.full_folded.entry(key).or_default().insert(place);
        }
        self.bare_folded.entry(fold(&document.name)).or_default().insert(place);
    }

    pub(crate) fn remove(&mut self, place: u32, document: &Document) {
        remove_from(&mut self.bare, &document.name, place);
        for key in full_keys(document) {
            remove_from(&mut self.full_folded, &key, place);
        }
        remove_from(&mut self.bare_folded, &fold(&document.name), place);
    }

    /// All bare names without regard to case, accents and separators, and the tools that have them.
    pub(crate) fn bare_folded(&self) -> impl Iterator<Item = (&String, &BTreeSet<u32>)> {
        self.bare_folded.iter()
    }

    /// All names without regard to case, accents and separators, bare and with their servers, and the tools that have them.
    pub(crate) fn folded(&self) -> impl Iterator<Item = (&String, &BTreeSet<u32>)> {
        self.bare_folded.iter().chain(&self.full_folded)
    }

    /// The places of the tools that have this name, after steps 2 to 4; step 1 is the index's own map.
    /// `allowed` decides which tools there are at all.
    pub(crate) fn find(&self, name: &str, allowed: impl Fn(u32) -> bool) -> Vec<u32> {
        let folded = Some(fold(name)).filter(|folded| !folded.is_empty());
        let folded = folded.as_deref();
        let steps = [
            self.bare.get(name),
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

fn full_keys(document: &Document) -> [String; 2] {
    [fold(&document.id), fold(&document.server) + &fold(&document.name)]
}

fn remove_from(map: &mut BTreeMap<String, BTreeSet<u32>>, key: &str, place: u32) {
    if let Some(places) = map.get_mut(key) {
        places.remove(&place);
        if places.is_empty() {
            map.remove(key);
        }
    }
}
