//! A string with variables in it, as it stands in a file: never expanded at load, expanded once at activation.

mod expand;
mod parse;
mod syntax;
mod translate;

#[cfg(test)]
mod tests;

pub(crate) use expand::{Unresolved, Values, expand, expand_known};
pub(crate) use parse::{Piece, Reference, Variable};
pub(crate) use syntax::Syntax;
pub(crate) use translate::{Substitute, literal};

use std::fmt;

use crate::mask;

/// A string as written, and the syntax its host expands.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Template {
    raw: String,
    syntax: Syntax,
}

impl Template {
    pub(crate) fn new(raw: impl Into<String>, syntax: Syntax) -> Self {
        Self { raw: raw.into(), syntax }
    }

    /// Returns the text as it stands in the file.
    pub(crate) fn raw(&self) -> &str {
        &self.raw
    }

    pub(crate) fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// Cuts the text into literals and variables.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        parse::parse(&self.raw, self.syntax)
    }

    /// Returns every reference, those in defaults included, in order of appearance.
    pub(crate) fn references(&self) -> Vec<Reference> {
        let mut found = Vec::new();
        parse::collect_references(&self.pieces(), &mut found);
        found
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&mask::value(self))
    }
}
