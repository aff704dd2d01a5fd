//! The one place that makes foreign text safe for a person to see.
//!
//! A server chooses its tool names, descriptions, results, errors and log lines; a repository chooses its
//! configuration. Shown as they come, they can move the cursor, retitle the window, fill the clipboard, reverse the
//! order of what is read, or carry words that a person does not see and a model does. [`printable`] shows every such
//! character as its escape, so that nothing is hidden and nothing is lost.
//!
//! `cargo xtask tidy` checks that no second function of this kind exists.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns `text` with every character that acts or hides written as `\u{…}`; line breaks and tabs stay.
///
/// Escaped are, beside all other control characters (and with them every ANSI, CSI and OSC sequence):
///
/// 1. bidirectional controls ([UAX #9](https://www.unicode.org/reports/tr9/)), which reorder what is read;
/// 2. zero-width and other invisible characters, and fillers that look like a space;
/// 3. tag characters and variation selectors, which spell out text that nobody sees;
/// 4. line and paragraph separators, and noncharacters.
///
/// ```
/// use mcp_client::printable;
///
/// assert_eq!(printable("two\nlines"), "two\nlines");
/// assert_eq!(printable("\u{1b}[2Jgone"), r"\u{1b}[2Jgone");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |character| acts_or_hides(character) && !matches!(character, '\n' | '\t'))
}

/// Returns `text` as [`printable`] does, on one line: line breaks and tabs are escaped too.
///
/// For names, table cells and messages, where a line break would let a server forge the next line.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    escape(text, acts_or_hides)
}

/// Returns JSON text in which every character that acts or hides is written as `\uXXXX`, which means the same value.
///
/// `json` must be valid JSON: such characters then stand inside strings only.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(|character| acts_or_hides(character) && !matches!(character, '\n' | '\t' | '\r')) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if acts_or_hides(character) && !matches!(character, '\n' | '\t' | '\r') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(escaped, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

fn escape(text: &str, escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if escaped(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

fn acts_or_hides(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    character.is_control() || is_bidirectional(character) || is_invisible(character) || carries_tags(character)
}

fn is_bidirectional(character: char) -> bool {
    matches!(character, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Default-ignorable and blank characters, of the Unicode property lists `Default_Ignorable_Code_Point` and
/// `White_Space` beyond the ordinary spaces.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{00AD}'
            | '\u{034F}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200D}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206A}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
    ) || (character as u32) & 0xFFFE == 0xFFFE
}

/// Tags and variation selectors, but for the one selector (U+FE0F) that ordinary emoji carry.
fn carries_tags(character: char) -> bool {
    matches!(character, '\u{FE00}'..='\u{FE0E}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests;
