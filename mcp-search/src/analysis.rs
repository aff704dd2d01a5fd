//! What the words of a document come to.

use crate::counts::Counts;
use crate::document::{Document, FIELD_COUNT, Field};
use crate::pairs::Pair;
use crate::postings::Lengths;
use crate::tokenizer;
use crate::vocabulary::{Known, TermId, Vocabulary, WordId};

/// How many characters a word and the space behind it take in text of short words: for a first guess at the number of
/// words.
const WORD_CHARACTERS: usize = 5;

/// A document, taken apart.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The distinct words of all fields.
    pub(crate) words: Box<[WordId]>,
    /// The distinct stems of all fields, and where they stand.
    pub(crate) terms: Vec<(TermId, Counts)>,
    /// How many words each field has.
    pub(crate) lengths: Lengths,
    /// The distinct stems of the name, in order.
    pub(crate) name_terms: Vec<TermId>,
    /// The distinct pairs of stems that follow each other in the name or the description.
    pub(crate) pairs: Vec<Pair>,
}

impl Analysis {
    /// Takes a document apart; its words get their numbers.
    pub(crate) fn new(vocabulary: &mut Vocabulary, document: &Document) -> Self {
        let parameters = || document.parameters.iter();
        let described: usize = parameters().map(|(name, description)| name.len() + description.len()).sum();
        let mut reader = Reader::new(vocabulary, (document.description.len() + described) / WORD_CHARACTERS);
        reader.read(Field::Name, &document.name);
        reader.read(Field::Title, document.title.as_deref().unwrap_or_default());
        reader.read(Field::Description, &document.description);
        for (name, description) in parameters() {
            reader.read(Field::ParameterName, name);
            reader.read(Field::ParameterDescription, description);
        }
        reader.read(Field::Server, &document.server);
        reader.finish()
    }
}

struct Reader<'a> {
    vocabulary: &'a mut Vocabulary,
    words: Vec<WordId>,
    occurrences: Vec<Occurrence>,
    lengths: Lengths,
    name_terms: Vec<TermId>,
    pairs: Vec<Pair>,
}

impl<'a> Reader<'a> {
    fn new(vocabulary: &'a mut Vocabulary, words: usize) -> Self {
        Self {
            vocabulary,
            words: Vec::with_capacity(words),
            occurrences: Vec::with_capacity(words),
            lengths: [0; FIELD_COUNT],
            name_terms: Vec::new(),
            pairs: Vec::with_capacity(words),
        }
    }

    fn read(&mut self, field: Field, text: &str) {
        let paired = matches!(field, Field::Name | Field::Description);
        let mut previous = None;
        tokenizer::each_word(text, |word| {
            let Known { word, term, is_stop_word } = self.vocabulary.intern(word);
            self.words.push(word);
            self.occurrences.push(Occurrence::new(term, Counts::one(field)));
            self.lengths[field.place()] += 1;
            if field == Field::Name && !self.name_terms.contains(&term) {
                self.name_terms.push(term);
            }
            if paired && !is_stop_word {
                self.pairs.extend(previous.map(|previous| Pair::new(previous, term)));
                previous = Some(term);
            }
        });
    }

    fn finish(mut self) -> Analysis {
        self.words.sort_unstable();
        self.words.dedup();
        self.occurrences.sort_unstable();
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let mut terms: Vec<(TermId, Counts)> = Vec::with_capacity(self.words.len());
        for occurrence in self.occurrences {
            let (term, counts) = (occurrence.term(), occurrence.counts());
            match terms.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.plus(counts),
                _ => terms.push((term, counts)),
            }
        }
        let Self { words, lengths, name_terms, pairs, .. } = self;
        Analysis { words: words.into(), terms, lengths, name_terms, pairs }
    }
}

/// A stem and where it stands, as one number, which is quick to sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence(u64);

impl Occurrence {
    fn new(term: TermId, counts: Counts) -> Self {
        Self(u64::from(term) << 32 | u64::from(counts.0))
    }

    fn term(self) -> TermId {
        (self.0 >> 32) as TermId
    }

    fn counts(self) -> Counts {
        Counts((self.0 & 0xFFFF) as u16)
    }
}
