//! Reading a query.
//!
//! A query is plain words, names of tools, or both. Two marks are understood besides, as models know them from other
//! hosts: `select:a,b` asks for tools by name and for nothing else, and `+term` admits only tools that hold the term.

use crate::clauses::clauses;
use crate::stop_words::is_stop_word;
use crate::tokenizer;

/// How much of a query is read, in characters. A pasted document is not a query; its beginning will do.
const QUERY_CHARACTERS: usize = 4_096;

/// Returns the parts of a query that are compared by meaning: each clause that says something by itself, or else the
/// whole query. A query that only names tools, by `select:`, has none.
pub fn phrases(query: &str) -> Vec<String> {
    let query = Query::parse(query);
    if query.selected.is_some() || query.text.is_empty() {
        return Vec::new();
    }
    let telling = |clause: &String| tokenizer::words(clause).iter().filter(|word| !is_stop_word(word)).count() >= 2;
    let clauses: Vec<String> = clauses(&query.text).into_iter().filter(telling).collect();
    if clauses.len() > 1 { clauses } else { vec![query.text] }
}

/// A query, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// The names after `select:`, where the query starts with it.
    pub(crate) selected: Option<Vec<String>>,
    /// The words that a tool must hold.
    pub(crate) required: Vec<String>,
    /// The query without its marks.
    pub(crate) text: String,
}

impl Query {
    pub(crate) fn parse(query: &str) -> Self {
        let text: String = query.trim().chars().take(QUERY_CHARACTERS).collect();
        if let Some((mark, names)) = text.split_once(':')
            && mark.trim().eq_ignore_ascii_case("select")
        {
            let names = names.split([',', ';', '\n']).map(bare).filter(|name| !name.is_empty());
            let names: Vec<String> = names.map(str::to_owned).collect();
            return Self { text: names.join(" "), selected: Some(names), required: Vec::new() };
        }
        let mut required = Vec::new();
        let mut parts = Vec::new();
        for part in text.split_whitespace() {
            match part.strip_prefix('+').filter(|rest| rest.starts_with(char::is_alphanumeric)) {
                Some(rest) => {
                    tokenizer::each_word(rest, |word| required.push(word.to_owned()));
                    parts.push(rest);
                }
                None => parts.push(part),
            }
        }
        if required.is_empty() {
            Self { text, ..Self::default() }
        } else {
            Self { selected: None, required, text: parts.join(" ") }
        }
    }

    /// The names of tools that the text may consist of, as alternatives: each list counts only if all its members are
    /// names. First the whole text, then its parts between commas, then its words.
    pub(crate) fn readings(&self) -> [Vec<&str>; 3] {
        let parts = |separator: fn(char) -> bool| {
            self.text.split(separator).map(bare).filter(|part| !part.is_empty()).collect::<Vec<_>>()
        };
        [
            vec![bare(&self.text)],
            parts(|character| matches!(character, ',' | ';' | '\n')),
            parts(|character| character.is_whitespace() || matches!(character, ',' | ';')),
        ]
    }

    /// The words of the text that are written as only names are: with a separator or a hump inside.
    pub(crate) fn identifiers(&self) -> impl Iterator<Item = &str> {
        let parts = self.text.split(|character: char| character.is_whitespace() || matches!(character, ',' | ';'));
        parts.filter(|part| is_quoted(part) || is_identifier(bare(part))).map(bare)
    }
}

/// The text without the quotes, brackets and sentence marks around it.
fn bare(text: &str) -> &str {
    text.trim_matches(|character: char| {
        character.is_whitespace()
            || matches!(character, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '.' | ':' | '?' | '!' | ',')
    })
}

fn is_quoted(part: &str) -> bool {
    part.starts_with('`') || part.starts_with('"')
}

fn is_identifier(part: &str) -> bool {
    let joined = part.chars().any(|character| matches!(character, '_' | '-' | '.' | '/' | ':'));
    let pairs = part.chars().zip(part.chars().skip(1));
    joined || pairs.into_iter().any(|(before, here)| before.is_lowercase() && here.is_uppercase())
}

#[cfg(test)]
mod tests;
