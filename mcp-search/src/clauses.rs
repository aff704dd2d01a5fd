//! Cutting a long request into the single things it asks for.
//!
//! A request such as "Look up the flights to Oslo, and then book a hotel near the opera" needs two tools, and the words
//! for one drown in the words for the other. Each clause is therefore searched by itself as well.

/// How many clauses are told apart; what follows is part of the last.
const CLAUSES: usize = 12;

/// Words that start a new clause after a comma.
const AFTER_COMMA: &[&str] = &["also", "and", "but", "so", "then"];
/// Words that start a new clause anywhere.
const OPENERS: &[&[&str]] = &[&["and", "then"], &["as", "well", "as"], &["additionally"], &["furthermore"]];

/// Returns the clauses of a query, in order, each trimmed and none empty.
pub(crate) fn clauses(query: &str) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    for sentence in query.split(['\n', ';', '。', '！', '？', '；', '।', '؟']) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let mut start = 0;
        for place in 1..=words.len() {
            if place == words.len() || starts_clause(&words, place) {
                push(&mut clauses, words.get(start..place).unwrap_or_default().join(" "));
                start = place;
            }
        }
    }
    clauses
}

fn push(clauses: &mut Vec<String>, clause: String) {
    if clause.is_empty() {
        return;
    }
    if clauses.len() < CLAUSES {
        clauses.push(clause);
    } else if let Some(last) = clauses.last_mut() {
        last.push(' ');
        last.push_str(&clause);
    }
}

/// Whether a clause ends before the word at `place`.
fn starts_clause(words: &[&str], place: usize) -> bool {
    let before = words.get(place.wrapping_sub(1)).copied().unwrap_or_default();
    let here = words.get(place..).unwrap_or_default();
    let opens = |opener: &&[&str]| {
        here.len() >= opener.len()
            && here.iter().zip(*opener).all(|(word, opener)| bare(word).eq_ignore_ascii_case(opener))
    };
    let after_comma = || {
        let first = here.first().copied().map(bare).unwrap_or_default();
        before.ends_with(',') && AFTER_COMMA.iter().any(|word| word.eq_ignore_ascii_case(first))
    };
    before.trim_end_matches(['"', '\'', ')']).ends_with(['.', '?', '!']) || OPENERS.iter().any(opens) || after_comma()
}

fn bare(word: &str) -> &str {
    word.trim_matches(|character: char| !character.is_alphanumeric())
}

#[cfg(test)]
mod tests;
