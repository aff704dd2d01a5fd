//! Bytes to text: byte order marks, line endings, and where a byte is.

use crate::problem::{Position, Problem, ProblemKind, Severity};

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A file's text without its byte order mark, and whether it had one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) content: String,
    pub(crate) marked: bool,
}

impl Text {
    /// Returns the bytes as they were on disk.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mark: &[u8] = if self.marked { UTF8_MARK } else { b"" };
        [mark, self.content.as_bytes()].concat()
    }
}

/// Decodes UTF-8, with or without a byte order mark.
///
/// # Errors
/// Anything else is a problem that says which encoding was found and what to save instead.
pub(crate) fn decode(bytes: &[u8]) -> Result<Text, Problem> {
    let (marked, rest) = match bytes.strip_prefix(UTF8_MARK) {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    if rest.starts_with(b"\xFF\xFE") || rest.starts_with(b"\xFE\xFF") {
        return Err(unreadable("expected UTF-8, found UTF-16"));
    }
    match std::str::from_utf8(rest) {
        Ok(content) => Ok(Text { content: content.to_owned(), marked }),
        Err(error) => {
            let valid = rest.get(..error.valid_up_to()).unwrap_or_default();
            let position = Lines::new(&String::from_utf8_lossy(valid)).position(error.valid_up_to());
            Err(unreadable("expected UTF-8, found bytes that are not text").at_position(position))
        }
    }
}

fn unreadable(message: &str) -> Problem {
    Problem::new(Severity::Error, ProblemKind::Unreadable, message).with_fix("save the file as UTF-8")
}

/// How many bytes one entry of [`Lines::characters`] stands for.
const BLOCK: usize = 64;

/// Turns byte offsets into lines and columns; built once per file, so that a file of one long line costs no more than
/// another.
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
    /// The number of characters that begin before each block; empty for text in ASCII.
    characters: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.as_bytes();
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(index, _)| index + 1);
        let mut characters = Vec::new();
        // Where every byte is a character there is nothing to count.
        if !text.is_ascii() {
            let mut total = 0;
            characters.push(total);
            for block in text.chunks(BLOCK) {
                total += count(block);
                characters.push(total);
            }
        }
        Self { text, starts: std::iter::once(0).chain(breaks).collect(), characters }
    }

    /// Returns the place of a byte; an offset past the end, or inside a character, is the nearest place before it.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let column = self.characters_before(offset) - self.characters_before(start) + 1;
        Position { line: saturate(line), column: saturate(column) }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        if self.characters.is_empty() {
            return offset;
        }
        let block = offset / BLOCK;
        let rest = self.text.get(block * BLOCK..offset).unwrap_or_default();
        self.characters.get(block).copied().unwrap_or_default() + count(rest)
    }
}

/// Counts the bytes that begin a character, which counts characters without asking where the boundaries are.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
