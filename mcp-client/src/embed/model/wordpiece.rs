//! `WordPiece`: how BERT cuts a text into pieces that it knows.
//!
//! As in BERT's own tokenizer (<https://arxiv.org/abs/1810.04805>), a text is cut at whitespace and around punctuation and
//! Chinese characters, without accents and in small letters where the model is of that kind. Each word is then covered from
//! its beginning with the longest pieces there are; a word that cannot be covered is unknown as a whole.

use std::collections::HashMap;

use serde::Deserialize;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

/// A longer word is unknown.
const MOST_CHARACTERS: usize = 100;
/// What a piece begins with that goes on with a word.
const CONTINUATION: &str = "##";

/// The pieces, and the letters they are written in.
pub(super) struct WordPiece {
    pieces: HashMap<String, i32>,
    beginning: i32,
    end: i32,
    unknown: i32,
    lower_case: bool,
}

/// The parts of a `tokenizer.json` that say how a text is cut.
#[derive(Deserialize)]
struct Json {
    model: JsonModel,
    normalizer: Option<JsonNormalizer>,
}

#[derive(Deserialize)]
struct JsonModel {
    vocab: HashMap<String, i32>,
    continuing_subword_prefix: String,
}

#[derive(Deserialize)]
struct JsonNormalizer {
    #[serde(default)]
    lowercase: bool,
}

impl WordPiece {
    /// The pieces of a `vocab.txt`, one a line, numbered from 0.
    pub(super) fn of_lines(text: &[u8], lower_case: bool) -> Result<Self, String> {
        let text = std::str::from_utf8(text).map_err(|_error| "expected UTF-8".to_owned())?;
        let numbered = text.lines().zip(0..).map(|(piece, number)| (piece.to_owned(), number));
        Self::new(numbered.collect(), lower_case)
    }

    /// The pieces of a `tokenizer.json`.
    pub(super) fn of_json(text: &[u8]) -> Result<Self, String> {
        let json: Json = serde_json::from_slice(text)
            .map_err(|error| format!("expected a tokenizer of the kind `WordPiece`: {error}"))?;
        if json.model.continuing_subword_prefix != CONTINUATION {
            return Err(format!("expected pieces that go on with a word to begin with `{CONTINUATION}`"));
        }
        Self::new(json.model.vocab, json.normalizer.is_some_and(|normalizer| normalizer.lowercase))
    }

    fn new(pieces: HashMap<String, i32>, lower_case: bool) -> Result<Self, String> {
        let special = |piece: &str| {
            pieces.get(piece).copied().ok_or_else(|| format!("expected the vocabulary of a BERT, which has `{piece}`"))
        };
        let (beginning, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Ok(Self { pieces, beginning, end, unknown, lower_case })
    }

    pub(super) fn lowers_case(&self) -> bool {
        self.lower_case
    }

    /// The number of the piece that was numbered last.
    pub(super) fn last_piece(&self) -> i32 {
        self.pieces.values().copied().max().unwrap_or_default()
    }

    /// The numbers of a text's pieces between a beginning and an end, `most` at most in all. What is cut off is not looked at.
    pub(super) fn tokens(&self, text: &str, most: usize) -> Vec<i32> {
        let mut tokens = vec![self.beginning];
        let readable = text.chars().filter_map(readable);
        if self.lower_case {
            let plain = readable.nfd().filter(|character| category(*character) != GeneralCategory::NonspacingMark);
            self.extend(&mut tokens, most, Words::of(plain.flat_map(char::to_lowercase)));
        } else {
            self.extend(&mut tokens, most, Words::of(readable));
        }
        tokens.truncate(most.saturating_sub(1));
        tokens.push(self.end);
        tokens
    }

    fn extend(&self, tokens: &mut Vec<i32>, most: usize, words: impl Iterator<Item = Vec<char>>) {
        for word in words {
            match self.cover(&word) {
                Some(pieces) => tokens.extend(pieces),
                None => tokens.push(self.unknown),
            }
            if tokens.len() >= most {
                break;
            }
        }
    }

    fn cover(&self, word: &[char]) -> Option<Vec<i32>> {
        if word.len() > MOST_CHARACTERS {
            return None;
        }
        let mut pieces = Vec::new();
        let mut rest = word;
        while !rest.is_empty() {
            let beginning = if pieces.is_empty() { "" } else { CONTINUATION };
            let (piece, after) = (1..=rest.len()).rev().find_map(|length| {
                let (head, tail) = rest.split_at_checked(length)?;
                let text: String = beginning.chars().chain(head.iter().copied()).collect();
                Some((*self.pieces.get(&text)?, tail))
            })?;
            pieces.push(piece);
            rest = after;
        }
        Some(pieces)
    }
}

/// The words of a text, of which no more is kept than shows that they are too long.
struct Words<I> {
    characters: I,
    /// A word of one character that ended the one before it.
    waiting: Option<char>,
}

impl<I: Iterator<Item = char>> Words<I> {
    fn of(characters: I) -> Self {
        Self { characters, waiting: None }
    }
}

impl<I: Iterator<Item = char>> Iterator for Words<I> {
    type Item = Vec<char>;

    fn next(&mut self) -> Option<Vec<char>> {
        if let Some(character) = self.waiting.take() {
            return Some(vec![character]);
        }
        let mut word = Vec::new();
        for character in self.characters.by_ref() {
            if stands_alone(character) {
                if word.is_empty() {
                    return Some(vec![character]);
                }
                self.waiting = Some(character);
                return Some(word);
            }
            match character.is_whitespace() {
                true if word.is_empty() => {}
                true => return Some(word),
                false if word.len() <= MOST_CHARACTERS => word.push(character),
                false => {}
            }
        }
        (!word.is_empty()).then_some(word)
    }
}

/// A character as it is read: all space is alike, and what cannot be seen is not there.
fn readable(character: char) -> Option<char> {
    use GeneralCategory::{Control, Format, PrivateUse, Unassigned};
    match character {
        '\t' | '\n' | '\r' => Some(' '),
        '\u{fffd}' => None,
        _ if character.is_ascii_graphic() => Some(character),
        _ if character.is_whitespace() => Some(' '),
        _ if matches!(category(character), Control | Format | PrivateUse | Unassigned) => None,
        _ => Some(character),
    }
}

/// Whether a character is a word by itself.
fn stands_alone(character: char) -> bool {
    use GeneralCategory as Category;
    if character.is_ascii() {
        return character.is_ascii_punctuation();
    }
    let is_punctuation = matches!(
        category(character),
        Category::ClosePunctuation
            | Category::ConnectorPunctuation
            | Category::DashPunctuation
            | Category::FinalPunctuation
            | Category::InitialPunctuation
            | Category::OpenPunctuation
            | Category::OtherPunctuation
    );
    is_punctuation || is_chinese(character)
}

/// The blocks of CJK ideographs; Korean and Japanese syllables are written in words, or nearly.
fn is_chinese(character: char) -> bool {
    matches!(
        character,
        '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2ceaf}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}

fn category(character: char) -> GeneralCategory {
    get_general_category(character)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PIECES: &str = "[PAD] [UNK] [CLS] [SEP] send ##ing ##s mail cafe - ! 中 文 ß ##! naïve";

    fn check(text: &str, most: usize, lower_case: bool, expected: &str) {
        let pieces: Vec<&str> = PIECES.split(' ').collect();
        let tokenizer = WordPiece::of_lines(pieces.join("\n").as_bytes(), lower_case).unwrap();
        let tokens = tokenizer.tokens(text, most);
        let found: Vec<&str> = tokens.iter().map(|number| pieces[usize::try_from(*number).unwrap()]).collect();
        assert_eq!(found.join(" "), format!("[CLS]{expected} [SEP]"), "{text:?}");
    }

    #[test]
    fn a_text_is_cut_as_bert_cuts_it() {
        for (text, expected) in [
            ("", ""),
            (" \n\t\u{3000}", ""),
            ("Sending sends MAIL", " send ##ing send ##s mail"),
            ("e-mail!", " [UNK] - mail !"),
            ("Café CAFE\u{301}", " cafe cafe"),
            ("ma\u{0}il\u{200b} \u{fffd}ma\u{ad}il", " mail mail"),
            ("mail中文mail", " mail 中 文 mail"),
            ("mailbox sendx", " [UNK] [UNK]"),
            ("mail\u{2014}mail", " mail [UNK] mail"),
            ("\u{10ffff}", ""),
        ] {
            check(text, 100, true, expected);
        }
        check("naïve Mail mail", 100, false, " naïve [UNK] mail");
    }

    #[test]
    fn what_is_too_long_is_cut_off_or_unknown() {
        check("mail mail mail mail", 5, true, " mail mail mail");
        check("mail sendings mail", 4, true, " mail send");
        check(&format!("send{} mail", "s".repeat(96)), 200, true, &format!(" send{} mail", " ##s".repeat(96)));
        check(&format!("send{} mail", "s".repeat(97)), 200, true, " [UNK] mail");
        check(&"x".repeat(1 << 16), 5, true, " [UNK]");
    }

    #[test]
    fn other_tokenizers_are_refused() {
        let read = |model: serde_json::Value| {
            let normalizer = json!({"type": "BertNormalizer", "lowercase": true});
            WordPiece::of_json(json!({"normalizer": normalizer, "model": model}).to_string().as_bytes())
        };
        let vocab = json!({"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "mail": 9});
        let bert = read(json!({"vocab": vocab, "continuing_subword_prefix": "##"})).unwrap();
        assert_eq!(bert.tokens("Mail?", 9), [0, 9, 2, 1]);
        for (model, expected) in [
            (json!([]), "of the kind `WordPiece`"),
            (json!({"type": "BPE", "vocab": {}, "merges": []}), "of the kind `WordPiece`"),
            (json!({"vocab": {}, "continuing_subword_prefix": "@@"}), "to begin with `##`"),
            (json!({"vocab": {}, "continuing_subword_prefix": "##"}), "which has `[CLS]`"),
        ] {
            let reason = read(model.clone()).err().unwrap();
            assert!(reason.contains(expected), "{model}: {reason}");
        }
        assert!(WordPiece::of_lines(b"\xff", true).is_err());
    }
}
