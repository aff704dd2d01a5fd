//! What an index can be told.

use crate::document::FIELD_COUNT;

/// Settings of an [`Index`](crate::Index).
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many characters of a document's description, and of all its parameters' names and descriptions together, are
    /// indexed. Default: 8,192. What lies beyond is not found; a server cannot make the index grow by sending more.
    pub field_characters: usize,
    /// What each kind of evidence counts.
    pub weights: Weights,
}

impl Default for Options {
    fn default() -> Self {
        Self { field_characters: 8_192, weights: Weights::default() }
    }
}

/// What each kind of evidence counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// A term in the tool's name.
    pub name: f32,
    /// A term in the title.
    pub title: f32,
    /// A term in the description.
    pub description: f32,
    /// A term in a parameter's name.
    pub parameter_name: f32,
    /// A term in a parameter's description.
    pub parameter_description: f32,
    /// A term in the server's name.
    pub server: f32,
    /// How much a field longer than the average is held against a term in it, from 0 (not at all) to 1 (fully);
    /// known as *b*.
    pub length: f32,
    /// How soon more of the same term stops counting: at this weighted count half of the most is reached; known as
    /// *k₁*.
    pub saturation: f32,
    /// What a filler word such as *find* or *please* counts, where another word counts 1.
    pub filler: f32,
    /// What a related word counts, times its similarity.
    pub related: f32,
    /// How many related words of each word are tried.
    pub related_terms: usize,
    /// What a word counts that is one slip away from an unknown word of the query.
    pub slip: f32,
    /// What the whole query's score counts in the end.
    pub whole: f32,
    /// What the best clause's score counts.
    pub clause: f32,
    /// What words count that look like unknown words of the query.
    pub alike: f32,
    /// What the likeness of a misspelled query to the tool's name counts.
    pub misspelled: f32,
    /// What the part of the tool's name that the query covers counts.
    pub name_coverage: f32,
    /// What the meaning counts, by the dense leg, where words count 1 altogether.
    pub dense: f32,
    /// What words count that stand together both in the query and in the tool's name or description.
    pub pairs: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            name: 3.0,
            title: 1.0,
            description: 1.0,
            parameter_name: 0.5,
            parameter_description: 0.5,
            server: 0.5,
            length: 0.5,
            saturation: 1.5,
            filler: 0.5,
            related: 0.7,
            related_terms: 6,
            slip: 0.8,
            whole: 0.2,
            clause: 0.3,
            alike: 0.1,
            misspelled: 0.4,
            name_coverage: 0.12,
            dense: 0.875,
            pairs: 0.08,
        }
    }
}

impl Weights {
    /// Words alone, by BM25F over the fields: what the ranking is measured against.
    pub fn plain() -> Self {
        Self {
            filler: 1.0,
            related: 0.0,
            related_terms: 0,
            slip: 0.0,
            whole: 1.0,
            clause: 0.0,
            alike: 0.0,
            misspelled: 0.0,
            name_coverage: 0.0,
            pairs: 0.0,
            ..Self::default()
        }
    }

    /// The fields' weights in the order of [`Field::ALL`](crate::Field::ALL).
    pub(crate) fn fields(&self) -> [f32; FIELD_COUNT] {
        [self.name, self.title, self.description, self.parameter_name, self.parameter_description, self.server]
    }
}
