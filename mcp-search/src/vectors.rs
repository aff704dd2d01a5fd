//! The vectors of an index's tools, kept by the content they were made from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::document::Document;
use crate::dot::dot;
use crate::error::Error;
use crate::index::Index;
use crate::similarities::Similarities;
use crate::tokenizer;

/// How much of a description is embedded, in characters; models read little more.
const DESCRIPTION_CHARACTERS: usize = 400;
/// How many parameters are named in the text that is embedded.
const PARAMETERS: usize = 12;

/// What a vector was made from: a hash of the model's name and the text.
///
/// Printed and parsed as 64 hexadecimal digits, so that vectors can be kept in files by that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentKey([u8; 32]);

impl ContentKey {
    /// Returns the key of a text under a model.
    pub fn of(model: &str, text: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(model.len().to_le_bytes());
        hash.update(model);
        hash.update(text);
        Self(hash.finalize().into())
    }
}

impl fmt::Display for ContentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl FromStr for ContentKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut key = [0; 32];
        let (digits, rest) = text.as_bytes().as_chunks::<2>();
        let well_formed = digits.len() == key.len() && rest.is_empty();
        let parsed = digits.iter().zip(&mut key).all(|(digits, byte)| {
            let digits = digits.map(|digit| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
            let [Some(high), Some(low)] = digits else { return false };
            *byte = high << 4 | low;
            true
        });
        if well_formed && parsed {
            Ok(Self(key))
        } else {
            Err(Error::ContentKey { text: text.chars().take(80).collect() })
        }
    }
}

/// A text that has no vector yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Missing {
    /// The key to give with the vector.
    pub key: ContentKey,
    /// What to embed.
    pub text: String,
}

/// The vectors of one model for the tools of an index.
///
/// A tool whose text did not change keeps its vector when its server goes and comes back within one
/// [`Vectors::update`].
#[derive(Clone, Debug)]
pub struct Vectors {
    model: String,
    length: Option<usize>,
    tools: BTreeMap<String, ContentKey>,
    by_content: BTreeMap<ContentKey, Vec<f32>>,
}

impl Vectors {
    /// Starts without any vector, for the model of this name.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), length: None, tools: BTreeMap::new(), by_content: BTreeMap::new() }
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// How many of the tools have a vector.
    pub fn ready(&self) -> usize {
        self.tools.values().filter(|key| self.by_content.contains_key(key)).count()
    }

    /// Follows the index: forgets what it no longer needs, and returns the texts that it needs vectors for, each once,
    /// ordered by the id of the first tool that needs it.
    pub fn update(&mut self, index: &Index) -> Vec<Missing> {
        self.tools.clear();
        let mut wanted = BTreeSet::new();
        let mut missing = Vec::new();
        for document in index.documents() {
            let text = text(document);
            let key = ContentKey::of(&self.model, &text);
            if wanted.insert(key) && !self.by_content.contains_key(&key) {
                missing.push(Missing { key, text });
            }
            self.tools.insert(document.id.clone(), key);
        }
        self.by_content.retain(|key, _| wanted.contains(key));
        missing
    }

    /// Adds a vector.
    ///
    /// # Errors
    /// [`Error::VectorLength`] if it is longer or shorter than the others, and [`Error::VectorDirection`] if it holds a
    /// number that is not finite, or only zeros. The vector is then not added.
    pub fn insert(&mut self, key: ContentKey, vector: Vec<f32>) -> Result<(), Error> {
        let vector = self.normalize(vector)?;
        self.length = Some(vector.len());
        self.by_content.insert(key, vector);
        Ok(())
    }

    /// All vectors, each of length one, by their keys: what is worth keeping on disk.
    pub fn entries(&self) -> impl Iterator<Item = (ContentKey, &[f32])> {
        self.by_content.iter().map(|(key, vector)| (*key, vector.as_slice()))
    }

    /// Compares the vectors of a query's [`phrases`](crate::phrases) with those of the tools.
    ///
    /// # Errors
    /// As for [`Vectors::insert`].
    pub fn similarities(&self, phrases: Vec<Vec<f32>>) -> Result<Similarities, Error> {
        let mut similarities = Similarities::default();
        for phrase in phrases {
            let phrase = self.normalize(phrase)?;
            let vectors = self.tools.iter().filter_map(|(id, key)| Some((id, self.by_content.get(key)?)));
            similarities.push(vectors.map(|(id, vector)| (id.clone(), dot(&phrase, vector))));
        }
        Ok(similarities)
    }

    fn normalize(&self, mut vector: Vec<f32>) -> Result<Vec<f32>, Error> {
        let expected = self.length.unwrap_or(vector.len());
        if vector.len() != expected {
            return Err(Error::VectorLength { model: self.model.clone(), expected, found: vector.len() });
        }
        let length = dot(&vector, &vector).sqrt();
        if !length.is_normal() {
            return Err(Error::VectorDirection { model: self.model.clone() });
        }
        for number in &mut vector {
            *number /= length;
        }
        Ok(vector)
    }
}

/// The text by which a tool is embedded: server, name in words, the beginning of the description, parameter names.
fn text(document: &Document) -> String {
    let mut text = String::new();
    if !document.server.is_empty() {
        text = format!("{}: ", document.server);
    }
    text += &tokenizer::words(&document.name).join(" ");
    text += ". ";
    text.extend(document.description.chars().take(DESCRIPTION_CHARACTERS));
    let parameters: Vec<&str> = document.parameters.iter().take(PARAMETERS).map(|(name, _)| name.as_str()).collect();
    if !parameters.is_empty() {
        text += " Parameters: ";
        text += &parameters.join(", ");
    }
    text
}
