//! The index: documents in, answers out.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::Analysis;
use crate::answer::{Ambiguous, Answer, Hit, Leg, LegReport, LegState, Unknown};
use crate::document::Document;
use crate::name_terms::NameTerms;
use crate::names::Names;
use crate::nearest;
use crate::options::{Options, Weights};
use crate::pairs::Pairs;
use crate::postings::Postings;
use crate::query::Query;
use crate::ranking::{self, Ranked};
use crate::reading::Reading;
use crate::similarities::Dense;
use crate::slots::Slots;
use crate::vocabulary::{Vocabulary, WordId};

/// How many names a query can ask for.
const NAMES_PER_QUERY: usize = 64;
/// How many similar names are offered for one that does not exist.
const NEAREST: usize = 3;

/// A searchable set of tools that changes as servers come and go.
///
/// Searching is pure: the same documents give the same answer, whatever the order they came in and whatever was there
/// before them. See the [crate's documentation](crate) for an example.
#[derive(Debug)]
pub struct Index {
    pub(crate) options: Options,
    pub(crate) documents: Slots<Entry>,
    by_id: BTreeMap<String, u32>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) postings: Postings,
    /// The stems that follow each other in names or descriptions.
    pub(crate) pairs: Pairs,
    pub(crate) name_terms: NameTerms,
    pub(crate) names: Names,
}

/// A document and what it takes to find it and to forget it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) document: Document,
    /// The distinct words of all fields.
    words: Box<[WordId]>,
}

impl Index {
    /// Makes an empty index.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            documents: Slots::default(),
            by_id: BTreeMap::new(),
            vocabulary: Vocabulary::new(),
            postings: Postings::default(),
            pairs: Pairs::default(),
            name_terms: NameTerms::default(),
            names: Names::default(),
        }
    }

    /// Adds a tool, replacing the one with the same id.
    pub fn insert(&mut self, document: Document) {
        self.remove(&document.id);
        let document = clip(document, self.options.field_characters);
        let Analysis { words, terms, lengths, name_terms, pairs } = Analysis::new(&mut self.vocabulary, &document);
        for word in &words {
            self.vocabulary.retain(*word);
        }
        let id = document.id.clone();
        let place = self.documents.insert(Entry { document, words });
        self.postings.insert(place, lengths, &terms);
        self.pairs.insert(place, &pairs);
        self.name_terms.set(place, name_terms);
        if let Some(entry) = self.documents.get(place) {
            self.names.insert(place, &entry.document);
        }
        self.by_id.insert(id, place);
    }

    /// Takes a tool out and returns whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(place) = self.by_id.remove(id) else { return false };
        let Some(entry) = self.documents.remove(place) else { return false };
        let terms = self.vocabulary.terms_of(&entry.words);
        self.postings.remove(place, &terms);
        self.pairs.remove(place, &terms);
        self.name_terms.set(place, Vec::new());
        self.names.remove(place, &entry.document);
        for word in entry.words {
            self.vocabulary.release(word);
        }
        true
    }

    /// Changes what each kind of evidence counts; the next search obeys.
    pub fn set_weights(&mut self, weights: Weights) {
        self.options.weights = weights;
        self.postings.forget_values();
    }

    /// The number of tools.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tool with this id; its texts are cut to [`Options::field_characters`].
    pub fn document(&self, id: &str) -> Option<&Document> {
        self.documents.get(*self.by_id.get(id)?).map(|entry| &entry.document)
    }

    /// All tools, ordered by id.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.by_id.values().filter_map(|place| self.documents.get(*place)).map(|entry| &entry.document)
    }

    /// Finds the tools that fit `query` among those that `filter` admits by their id, by names and words.
    ///
    /// What the filter turns away is not found, named, counted, or offered as similar. `limit` bounds the ranked hits
    /// and the tools that share the name asked for; a tool that is alone in having it is listed in any case, and first.
    pub fn search(&self, query: &str, limit: usize, filter: &dyn Fn(&str) -> bool) -> Answer {
        self.search_with(query, limit, filter, Dense::Off("no embedding model is configured"))
    }

    /// Finds tools as [`Index::search`] does, and by meaning where `dense` knows it.
    ///
    /// Meaning only ever adds: it moves ranked tools and brings in some that share no word with the query, but a tool
    /// that the query names comes first in any case.
    pub fn search_with(&self, query: &str, limit: usize, filter: &dyn Fn(&str) -> bool, dense: Dense<'_>) -> Answer {
        let query = Query::parse(query);
        let reading = Reading::new(self, &query);
        let mut answer = Answer::default();
        let named = self.named(&query, filter, &mut answer);
        let exact: BTreeSet<u32> = named.iter().copied().collect();
        let ranked = if query.selected.is_some() { Vec::new() } else { ranking::rank(self, &reading, filter, dense) };
        answer.legs = legs(exact.len(), &ranked, dense);
        let shown = self.within(limit, &named, &answer.ambiguous);
        answer.hits = shown.into_iter().filter_map(|place| self.hit(place, 1.0, Leg::Exact, &reading)).collect();
        answer.total = exact.len() + ranked.iter().filter(|ranked| !exact.contains(&ranked.place)).count();
        let room = limit.saturating_sub(answer.hits.len());
        let best = ranking::best(self, ranked, &exact, room);
        answer.hits.extend(best.into_iter().filter_map(|best| self.hit(best.place, best.score, best.leg(), &reading)));
        answer
    }

    /// The ids of the tools whose names are most like `name`, best first: what a mistyped name may have meant.
    pub fn nearest(&self, name: &str, limit: usize) -> Vec<String> {
        nearest::nearest(self, name, limit, &|_| true)
    }

    /// The tools that `name` stands for, by the steps of [`Names`], ordered by id.
    pub(crate) fn find(&self, name: &str, filter: &dyn Fn(&str) -> bool) -> Vec<u32> {
        if let Some(place) = self.by_id.get(name)
            && filter(name)
        {
            return vec![*place];
        }
        let own =
            |place| self.documents.get(place).map(|entry| &entry.document).filter(|document| filter(&document.id));
        let mut found = self.names.find(name, |place| own(place).map(|document| document.name.as_str()));
        found.sort_by_key(|place| self.id(*place));
        found
    }

    pub(crate) fn id(&self, place: u32) -> Option<&str> {
        self.documents.get(place).map(|entry| entry.document.id.as_str())
    }

    pub(crate) fn place(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// The number of places, free ones included.
    pub(crate) fn places(&self) -> usize {
        self.documents.places()
    }

    /// The tools that the query asks for by name, each once, in the order of the query.
    fn named(&self, query: &Query, filter: &dyn Fn(&str) -> bool, answer: &mut Answer) -> Vec<u32> {
        let mut places = Vec::new();
        for (name, found) in self.names_in(query, filter) {
            let candidates = || found.iter().filter_map(|place| self.id(*place)).map(str::to_owned).collect();
            if found.is_empty() {
                answer.unknown.push(Unknown { name: name.to_owned(), nearest: self.nearest_allowed(name, filter) });
            } else if found.len() > 1 {
                answer.ambiguous.push(Ambiguous { name: name.to_owned(), candidates: candidates() });
            }
            places.extend(found);
        }
        let mut seen = BTreeSet::new();
        places.retain(|place| seen.insert(*place));
        places
    }

    /// The named tools that are listed: all that are alone in having their name, and then, within the limit, those that
    /// share one.
    fn within(&self, limit: usize, named: &[u32], ambiguous: &[Ambiguous]) -> Vec<u32> {
        let candidates: BTreeSet<&str> =
            ambiguous.iter().flat_map(|ambiguous| &ambiguous.candidates).map(String::as_str).collect();
        let shares_name = |place: &u32| self.id(*place).is_some_and(|id| candidates.contains(id));
        let (sharing, alone): (Vec<u32>, Vec<u32>) = named.iter().partition(|place| shares_name(place));
        let room = limit.saturating_sub(alone.len());
        alone.into_iter().chain(sharing.into_iter().take(room)).collect()
    }

    fn names_in<'q>(&self, query: &'q Query, filter: &dyn Fn(&str) -> bool) -> Vec<(&'q str, Vec<u32>)> {
        if let Some(selected) = &query.selected {
            let names = selected.iter().take(NAMES_PER_QUERY);
            return names.map(|name| (name.as_str(), self.find(name, filter))).collect();
        }
        for reading in query.readings() {
            if reading.len() > NAMES_PER_QUERY {
                continue;
            }
            let found: Vec<_> = reading.into_iter().map(|name| (name, self.find(name, filter))).collect();
            if !found.is_empty() && found.iter().all(|(_, places)| !places.is_empty()) {
                return found;
            }
        }
        let found = query.identifiers().take(NAMES_PER_QUERY).map(|name| (name, self.find(name, filter)));
        found.filter(|(_, places)| !places.is_empty()).collect()
    }

    pub(crate) fn nearest_allowed(&self, name: &str, filter: &dyn Fn(&str) -> bool) -> Vec<String> {
        nearest::nearest(self, name, NEAREST, filter)
    }

    fn hit(&self, place: u32, score: f32, leg: Leg, reading: &Reading) -> Option<Hit> {
        let id = self.id(place)?.to_owned();
        Some(Hit { id, score, matched: ranking::matches(self, place, reading), leg })
    }
}

fn legs(exact: usize, ranked: &[Ranked], dense: Dense<'_>) -> Vec<LegReport> {
    let answered = |leg, matched| LegReport { leg, state: LegState::Answered { matched } };
    let lexical = ranked.iter().filter(|ranked| ranked.has_words).count();
    let dense = match dense {
        Dense::Off(reason) => LegReport { leg: Leg::Dense, state: LegState::Off { reason: reason.to_owned() } },
        Dense::On(_) => answered(Leg::Dense, ranked.iter().filter(|ranked| ranked.has_meaning).count()),
    };
    vec![answered(Leg::Exact, exact), answered(Leg::Lexical, lexical), dense]
}

/// Cuts the texts that a server sent to what is indexed.
fn clip(mut document: Document, characters: usize) -> Document {
    let mut left = characters;
    clip_text(&mut document.description, &mut left);
    let mut left = characters;
    document.parameters.retain_mut(|(name, description)| {
        if left == 0 {
            return false;
        }
        clip_text(name, &mut left);
        clip_text(description, &mut left);
        true
    });
    for text in [&mut document.name, &mut document.server].into_iter().chain(&mut document.title) {
        clip_text(text, &mut characters.clone());
    }
    document
}

fn clip_text(text: &mut String, left: &mut usize) {
    if text.len() > *left
        && let Some((at, _)) = text.char_indices().nth(*left)
    {
        text.truncate(at);
        text.shrink_to_fit();
        *left = 0;
    } else {
        *left -= text.chars().count();
    }
}
