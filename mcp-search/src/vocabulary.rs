//! The words of an index: each word as written, the stem it is compared by, and how many documents use it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use crate::first::keep_first;
use crate::postings::ratio;
use crate::slots::Slots;
use crate::spelling::{Spelling, is_one_slip, piece_count};
use crate::stem::English;
use crate::stop_words::is_stop_word;

/// The number of a word as written (`issues`).
pub(crate) type WordId = u32;
/// The number of a stem (`issu`).
pub(crate) type TermId = u32;

/// How many words that look like an unknown one are considered.
const ALIKE: usize = 12;

/// Numbers for words and stems; both are given up when the last document that uses them goes, so that servers which
/// come and go leave nothing behind.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    english: English,
    words: Slots<Word>,
    terms: Slots<Term>,
    known: HashMap<Arc<str>, Known>,
    term_ids: HashMap<String, TermId>,
    spelling: OnceLock<Spelling>,
}

/// What a text is read by: all there is to know about a word without a look at [`Word`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) word: WordId,
    /// The stem that it is compared by.
    pub(crate) term: TermId,
    pub(crate) is_stop_word: bool,
}

#[derive(Debug)]
struct Word {
    text: Arc<str>,
    term: TermId,
    documents: u32,
    pieces: usize,
}

#[derive(Debug)]
struct Term {
    stem: String,
    words: Vec<WordId>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        Self {
            english: English::new(),
            words: Slots::default(),
            terms: Slots::default(),
            known: HashMap::new(),
            term_ids: HashMap::new(),
            spelling: OnceLock::new(),
        }
    }

    /// Returns the numbers of the word and its stem, giving them some when they are new. A new word belongs to no document
    /// until [`Vocabulary::retain`] is called.
    pub(crate) fn intern(&mut self, word: &str) -> Known {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let stem = self.english.stem(word);
        let term = self.intern_term(stem);
        let text: Arc<str> = word.into();
        let id = self.words.insert(Word { text: Arc::clone(&text), term, documents: 0, pieces: piece_count(word) });
        let known = Known { word: id, term, is_stop_word: is_stop_word(word) };
        self.known.insert(text, known);
        self.spelling.take();
        if let Some(entry) = self.terms.get_mut(term) {
            entry.words.push(id);
        }
        known
    }

    fn intern_term(&mut self, stem: String) -> TermId {
        if let Some(term) = self.term_ids.get(&stem) {
            return *term;
        }
        let term = self.terms.insert(Term { stem: stem.clone(), words: Vec::new() });
        self.term_ids.insert(stem, term);
        term
    }

    /// Notes that one more document uses the word.
    pub(crate) fn retain(&mut self, word: WordId) {
        if let Some(word) = self.words.get_mut(word) {
            word.documents += 1;
        }
    }

    /// Notes that one document fewer uses the word, and forgets the word when it was the last.
    pub(crate) fn release(&mut self, id: WordId) {
        let Some(word) = self.words.get_mut(id) else { return };
        word.documents = word.documents.saturating_sub(1);
        if word.documents > 0 {
            return;
        }
        let Some(word) = self.words.remove(id) else { return };
        self.known.remove(&word.text);
        self.spelling.take();
        let Some(term) = self.terms.get_mut(word.term) else { return };
        term.words.retain(|other| *other != id);
        if term.words.is_empty()
            && let Some(term) = self.terms.remove(word.term)
        {
            self.term_ids.remove(&term.stem);
        }
    }

    /// The distinct stems of these words.
    pub(crate) fn terms_of(&self, words: &[WordId]) -> Vec<TermId> {
        let mut terms: Vec<TermId> = words.iter().filter_map(|word| Some(self.words.get(*word)?.term)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Reduces a word that need not be in the index.
    pub(crate) fn stem(&self, word: &str) -> String {
        self.english.stem(word)
    }

    /// Finds the number of a stem.
    pub(crate) fn term(&self, stem: &str) -> Option<TermId> {
        self.term_ids.get(stem).copied()
    }

    fn resembling(&self) -> &Spelling {
        self.spelling.get_or_init(|| Spelling::new(self.words.iter().map(|(id, word)| (id, &*word.text))))
    }

    /// The stems of the words that are one slip away from `word`, each once, in alphabetical order of the words.
    pub(crate) fn one_slip_from(&self, word: &str) -> Vec<TermId> {
        let candidates = self.resembling().one_slip_candidates(word).into_iter().filter_map(|id| self.words.get(id));
        let mut found: Vec<&Word> = candidates.filter(|candidate| is_one_slip(&candidate.text, word)).collect();
        found.sort_unstable_by_key(|word| &word.text);
        let mut seen = BTreeSet::new();
        found.into_iter().map(|word| word.term).filter(|term| seen.insert(*term)).collect()
    }

    /// The stems of the words that look most like `word`, each once, and how much so, from 0 to 1: the Dice coefficient
    /// of the pieces of both. Best first, equal ones in alphabetical order of the words.
    pub(crate) fn alike(&self, word: &str) -> Vec<(TermId, f32)> {
        let own = piece_count(word);
        let shared = self.resembling().shared_pieces(word, self.words.places()).into_iter();
        let likeness = |shared: u8, word: &Word| ratio(2 * usize::from(shared), own + word.pieces);
        let mut found: Vec<(f32, &Word)> =
            shared.filter_map(|(id, shared)| self.words.get(id).map(|word| (likeness(shared, word), word))).collect();
        let order = |left: &(f32, &Word), right: &(f32, &Word)| {
            right.0.total_cmp(&left.0).then_with(|| left.1.text.cmp(&right.1.text))
        };
        keep_first(&mut found, ALIKE, order);
        let mut seen = BTreeSet::new();
        let distinct = found.into_iter().filter(|(_, word)| seen.insert(word.term));
        distinct.map(|(likeness, word)| (word.term, likeness)).collect()
    }

    /// The shortest word with this stem, the alphabetically first among equals: the one to show a person.
    pub(crate) fn spelling(&self, term: TermId) -> Option<&str> {
        let words = self.terms.get(term)?.words.iter();
        words.filter_map(|id| self.words.get(*id)).map(|word| &*word.text).min_by_key(|text| (text.len(), *text))
    }
}
