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
    /// How soon more of the same term stops counting: at this weighted count half of the most is reached; known as *k₁*.
    pub saturation: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            name: 3.0,
            title: 1.0,
            description: 1.0,
            parameter_name: 0.5,
            parameter_description: 0.3,
            server: 0.5,
            length: 0.5,
            saturation: 1.5,
        }
    }
}

impl Weights {
    /// The fields' weights in the order of [`Field::ALL`](crate::Field::ALL).
    pub(crate) fn fields(&self) -> [f32; FIELD_COUNT] {
        [self.name, self.title, self.description, self.parameter_name, self.parameter_description, self.server]
    }
}
