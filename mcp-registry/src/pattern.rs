//! Globs over the names of servers and tools.

use crate::error::RuleFault;

/// A glob over a name: `*` stands for any characters, none included, and a backslash makes the next character literal.
///
/// Matching takes the exact name, case included. Characters that other tools take for wildcards must be escaped: whoever writes
/// `delete_{all,one}` does not mean a tool of that name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    /// No star: the name itself.
    Name(Box<str>),
    /// The pieces around the stars, of which there is at least one.
    Glob { first: Box<str>, middle: Vec<Box<str>>, last: Box<str> },
}

impl Pattern {
    pub(crate) fn parse(text: &str) -> Result<Self, RuleFault> {
        let mut pieces = vec![String::new()];
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let piece = pieces.last_mut().expect("there is a piece from the start");
            match character {
                '\\' => piece.push(characters.next().ok_or(RuleFault::Escape)?),
                '*' => pieces.push(String::new()),
                '?' | '[' | ']' | '{' | '}' => return Err(RuleFault::Wildcard),
                _ => piece.push(character),
            }
        }
        let last = pieces.pop().expect("there is a piece from the start");
        let mut pieces = pieces.into_iter().map(String::into_boxed_str);
        Ok(match pieces.next() {
            None => Self::Name(last.into()),
            Some(first) => {
                Self::Glob { first, middle: pieces.filter(|piece| !piece.is_empty()).collect(), last: last.into() }
            }
        })
    }

    /// Returns the name, if the pattern stands for one only.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Glob { .. } => None,
        }
    }

    /// Whether it stands for every name.
    pub(crate) fn is_any(&self) -> bool {
        matches!(self, Self::Glob { first, middle, last } if first.is_empty() && middle.is_empty() && last.is_empty())
    }

    /// Returns what every name that matches starts with.
    pub(crate) fn start(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Glob { first, .. } => first,
        }
    }

    /// Returns the pattern of the names in lower case.
    pub(crate) fn to_lowercase(&self) -> Self {
        let lower = |text: &str| text.to_lowercase().into_boxed_str();
        match self {
            Self::Name(name) => Self::Name(lower(name)),
            Self::Glob { first, middle, last } => Self::Glob {
                first: lower(first),
                middle: middle.iter().map(|piece| lower(piece)).collect(),
                last: lower(last),
            },
        }
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Name(only) => **only == *name,
            Self::Glob { first, middle, last } => {
                let Some(mut rest) = name.strip_prefix(&**first).and_then(|rest| rest.strip_suffix(&**last)) else {
                    return false;
                };
                // Taking each piece at its first place leaves the most for those that follow, so no choice is ever undone.
                middle.iter().all(|piece| match rest.split_once(&**piece) {
                    Some((_, behind)) => {
                        rest = behind;
                        true
                    }
                    None => false,
                })
            }
        }
    }
}

/// Returns a pattern's text that matches this name only, and that a rule does not split in its middle.
///
/// A rule's text separates server and tool by `__`; underscores are escaped where they could be taken for that.
pub(crate) fn escape(name: &str) -> String {
    let underscores = name.contains("__") || name.starts_with('_') || name.ends_with('_');
    let outer = |position: usize, character: char| {
        character.is_whitespace() && (position == 0 || position + character.len_utf8() == name.len())
    };
    let mut text = String::with_capacity(name.len());
    for (position, character) in name.char_indices() {
        if matches!(character, '\\' | '*' | '(' | '?' | '[' | ']' | '{' | '}')
            || (underscores && character == '_')
            || outer(position, character)
        {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests;
