//! From text to words, in any script.
//!
//! Tool names are written in every convention there is, so that words are cut where a reader would cut them:
//!
//! 1. Text is folded to compatibility form and its Latin, Greek and Cyrillic accents are dropped (`Résumé` → `resume`,
//!    `ｆｕｌｌ` → `full`). See [UAX #15](https://www.unicode.org/reports/tr15/).
//! 2. Everything that is neither letter, digit nor mark separates words; an apostrophe inside a word is dropped.
//! 3. `createIssue` and `HTTPServer` are cut at their humps *before* lowercasing, `PRs` and `URLs` are not.
//! 4. A word that mixes letters and digits (`base64`) counts whole and in its parts.
//! 5. Scripts that write no spaces (Han, Kana, Thai, Khmer, Lao, Burmese) count as single characters and as pairs of
//!    neighbours.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// The longest word that is kept, in characters; the rest of a longer one is dropped, since nobody types it.
const WORD_CHARACTERS: usize = 64;

/// Calls `each` with every word of `text`, lowercased, in order.
pub(crate) fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut buffers = Buffers::default();
    if !text.is_ascii() {
        return each_word_of(&normalize(text), &mut buffers, &mut each);
    }
    for run in ascii_runs(text) {
        if is_plain(run) {
            each(run);
        } else {
            each_word_of(run, &mut buffers, &mut each);
        }
    }
}

/// The longest parts of an ASCII text that words can be cut from without a look at what surrounds them.
fn ascii_runs(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'\'';
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.bytes().position(|byte| is_part(&byte))?;
        let (_, from) = rest.split_at_checked(start)?;
        let end = from.bytes().position(|byte| !is_part(&byte)).unwrap_or(from.len());
        let (run, after) = from.split_at_checked(end)?;
        rest = after;
        Some(run)
    })
}

/// Whether the run is one word as it stands, as most are.
fn is_plain(run: &str) -> bool {
    let mut bytes = run.bytes();
    let all = |is_like: fn(&u8) -> bool| bytes.clone().all(|byte| is_like(&byte));
    run.len() <= WORD_CHARACTERS && (all(u8::is_ascii_lowercase) || bytes.all(|byte| byte.is_ascii_digit()))
}

/// Room for the word at hand.
#[derive(Default)]
struct Buffers {
    run: Vec<char>,
    lowered: String,
}

fn each_word_of(text: &str, Buffers { run, lowered }: &mut Buffers, each: &mut impl FnMut(&str)) {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if is_word(character) {
            run.push(character);
        } else if is_apostrophe(character) && !run.is_empty() && characters.peek().is_some_and(|next| is_word(*next)) {
        } else {
            cut(run, lowered, each);
            run.clear();
        }
    }
    cut(run, lowered, each);
    run.clear();
}

/// Returns every word of `text`.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// Returns `text` without separators, case and accents, so that all spellings of one name are equal.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        let mut folded = String::with_capacity(text.len());
        let kept = text.bytes().filter(u8::is_ascii_alphanumeric);
        folded.extend(kept.map(|byte| char::from(byte.to_ascii_lowercase())));
        return folded;
    }
    normalize(text).chars().filter(|character| is_word(*character)).flat_map(char::to_lowercase).collect()
}

fn normalize(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfkd().filter(|character| !is_accent(*character)).nfc().collect())
}

/// Combining diacritical marks: what is left of `é` besides `e`.
fn is_accent(character: char) -> bool {
    ('\u{300}'..='\u{36F}').contains(&character)
}

/// Letters, digits, and the marks without which words of Indic scripts would fall apart.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || (!character.is_ascii() && unicode_normalization::char::is_combining_mark(character))
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

/// Whether the character belongs to a script that writes no spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF      // Thai, Lao
        | 0x1000..=0x109F    // Myanmar
        | 0x1780..=0x17FF    // Khmer
        | 0x3040..=0x30FF    // Hiragana, Katakana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF) // Han
}

/// Cuts a run of word characters at its humps and hands each piece on.
fn cut(run: &[char], lowered: &mut String, each: &mut impl FnMut(&str)) {
    let mut start = 0;
    for place in 1..run.len() {
        if is_hump(run, place) {
            emit(run.get(start..place).unwrap_or_default(), lowered, each);
            start = place;
        }
    }
    emit(run.get(start..).unwrap_or_default(), lowered, each);
}

/// Whether a new word starts at `place`: at a capital after a small letter, at the last capital of an acronym that a
/// word follows, and where a script without spaces meets another.
fn is_hump(run: &[char], place: usize) -> bool {
    let (Some(&before), Some(&here)) = (run.get(place.wrapping_sub(1)), run.get(place)) else { return false };
    if is_unspaced(before) != is_unspaced(here) {
        return true;
    }
    if !here.is_uppercase() {
        return false;
    }
    if before.is_lowercase() || before.is_numeric() {
        return true;
    }
    let next = run.get(place + 1).copied();
    let plural = next == Some('s') && !run.get(place + 2).copied().is_some_and(char::is_lowercase);
    before.is_uppercase() && next.is_some_and(char::is_lowercase) && !plural
}

fn emit(piece: &[char], lowered: &mut String, each: &mut impl FnMut(&str)) {
    let Some(first) = piece.first() else { return };
    if is_unspaced(*first) {
        return emit_unspaced(piece, lowered, each);
    }
    let piece = piece.get(..piece.len().min(WORD_CHARACTERS)).unwrap_or(piece);
    send(piece, lowered, each);
    let has_digits = piece.iter().any(|character| character.is_numeric());
    let has_letters = piece.iter().any(|character| !character.is_numeric());
    if has_digits && has_letters {
        for part in piece.chunk_by(|left, right| left.is_numeric() == right.is_numeric()) {
            send(part, lowered, each);
        }
    }
}

fn emit_unspaced(piece: &[char], lowered: &mut String, each: &mut impl FnMut(&str)) {
    for character in piece {
        send(std::slice::from_ref(character), lowered, each);
    }
    for pair in piece.windows(2) {
        send(pair, lowered, each);
    }
}

fn send(word: &[char], lowered: &mut String, each: &mut impl FnMut(&str)) {
    lowered.clear();
    for character in word {
        if character.is_ascii() {
            lowered.push(character.to_ascii_lowercase());
        } else {
            lowered.extend(character.to_lowercase());
        }
    }
    each(lowered);
}

#[cfg(test)]
mod tests;
