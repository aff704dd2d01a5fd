//! Ranking and resolving names as the hoocode agent does, for hosts that must give its answers.
//!
//! Its words, counts and constants are reproduced, over the [`bm25`] crate's scorer; ties are put in order here. It
//! reads no parameters, no other alphabet than ASCII, and no spelling but its own: use [`Index`](crate::Index) unless
//! the answers must be the same.

use std::collections::{BTreeMap, BTreeSet};

use bm25::{Embedding, Scorer, TokenEmbedding};

use crate::document::Document;

/// How soon more of the same word stops counting.
const SATURATION: f64 = 1.2;
/// How much the length of a document counts.
const LENGTH: f64 = 0.75;
/// The constant of reciprocal-rank fusion, as in [Cormack et al. 2009](https://doi.org/10.1145/1571941.1572114).
const RANK_OFFSET: f64 = 60.0;

/// Function words that a query is searched without, sorted; documents keep them.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "get", "how", "i", "in", "is",
    "it", "its", "me", "my", "of", "on", "or", "so", "that", "the", "then", "there", "this", "to", "use", "using",
    "want", "was", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your",
];

/// What a [`ToolResolver`](crate::ToolResolver) makes of a name that tools of several servers have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SharedNames {
    /// None of them is resolved; the answer lists them, so that the model can ask for the one it means.
    #[default]
    List,
    /// All of them are resolved, as hoocode does.
    ResolveAll,
}

/// hoocode's index of tools, built once.
pub struct HoocodeIndex {
    scorer: Scorer<String, String>,
}

impl HoocodeIndex {
    /// Indexes the id (twice), the server and the description of each tool.
    pub fn new<'a>(documents: impl IntoIterator<Item = &'a Document>) -> Self {
        let text = |document: &Document| {
            let Document { id, server, description, .. } = document;
            tokens(&format!("{id} {id} {server} {description}"))
        };
        let documents: Vec<(&String, Vec<String>)> =
            documents.into_iter().map(|document| (&document.id, text(document))).collect();
        let total: usize = documents.iter().map(|(_, tokens)| tokens.len()).sum();
        let average = real(total) / real(documents.len().max(1));
        let mut scorer = Scorer::new();
        for (id, tokens) in documents {
            scorer.upsert(id, embedding(&tokens, average));
        }
        Self { scorer }
    }

    /// The ids and scores of the best tools, best first, equal ones by id.
    pub fn search(&self, query: &str, limit: usize) -> Vec<(String, f32)> {
        let all = tokens(query);
        let telling: Vec<&String> =
            all.iter().filter(|token| STOP_WORDS.binary_search(&token.as_str()).is_err()).collect();
        let used = if telling.is_empty() { all.iter().collect() } else { telling };
        let mut seen = BTreeSet::new();
        let distinct = used.into_iter().filter(|token| seen.insert(*token));
        let query = Embedding(distinct.map(|token| TokenEmbedding { index: token.clone(), value: 1.0 }).collect());
        let mut found: Vec<(String, f32)> =
            self.scorer.matches(&query).into_iter().map(|document| (document.id, document.score)).collect();
        found.retain(|(_, score)| *score > 0.0);
        found.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        found.truncate(limit);
        found
    }
}

impl std::fmt::Debug for HoocodeIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HoocodeIndex").finish_non_exhaustive()
    }
}

/// Fuses rankings by reciprocal rank: each list gives `1 ÷ (60 + rank)` to its members. Best first; equal scores by the
/// number of lists, more first, then by id. A member listed twice counts once, at its better rank.
pub fn fuse_ranks(lists: &[Vec<String>]) -> Vec<(String, f64)> {
    let mut fused: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for list in lists {
        let mut seen = BTreeSet::new();
        for (rank, id) in list.iter().enumerate().filter(|(_, id)| seen.insert(*id)) {
            let (score, members) = fused.entry(id).or_default();
            *score += 1.0 / (RANK_OFFSET + real(rank + 1));
            *members += 1;
        }
    }
    let mut fused: Vec<(&str, (f64, usize))> = fused.into_iter().collect();
    fused.sort_by(|left, right| {
        let (left_score, left_lists) = left.1;
        let (right_score, right_lists) = right.1;
        right_score.total_cmp(&left_score).then(right_lists.cmp(&left_lists)).then(left.0.cmp(right.0))
    });
    fused.into_iter().map(|(id, (score, _))| (id.to_owned(), score)).collect()
}

/// What a document's tokens are worth before their rarity.
fn embedding(tokens: &[String], average: f64) -> Embedding<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for token in tokens {
        *counts.entry(token).or_default() += 1;
    }
    let length = 1.0 - LENGTH + LENGTH * real(tokens.len()) / average.max(f64::MIN_POSITIVE);
    let value = |count: usize| real(count) * (SATURATION + 1.0) / (real(count) + SATURATION * length);
    let embedding =
        counts.into_iter().map(|(token, count)| TokenEmbedding { index: token.clone(), value: single(value(count)) });
    Embedding(embedding.collect())
}

/// hoocode's tokens, repeated ones included: identifiers whole and in their parts, then every run of a letter and the
/// small letters and digits after it, each followed by its singular.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for identifier in identifiers(&text.to_ascii_lowercase()) {
        let parts: Vec<&str> = identifier.split(['_', '-']).filter(|part| !part.is_empty()).collect();
        push(&mut tokens, identifier);
        if parts.len() > 1 {
            for part in parts {
                push(&mut tokens, part);
            }
        }
    }
    for run in runs(text).filter(|run| run.len() > 1) {
        push(&mut tokens, &run.to_ascii_lowercase());
    }
    tokens
}

fn push(tokens: &mut Vec<String>, token: &str) {
    tokens.push(token.to_owned());
    tokens.extend(singular(token));
}

/// Letters and digits, joined by single separators.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|character: char| !(character.is_ascii_alphanumeric() || matches!(character, '_' | '-')));
    runs.flat_map(|run| {
        run.split("__").flat_map(|run| run.split("--")).flat_map(|run| run.split("_-")).flat_map(|run| run.split("-_"))
    })
    .map(|identifier| identifier.trim_matches(['_', '-']))
    .filter(|identifier| !identifier.is_empty())
}

/// The runs that start with a letter and go on with small letters and digits.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|character: char| character.is_ascii_alphabetic())?;
        let (_, from) = rest.split_at_checked(start)?;
        let goes_on = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
        let end =
            from.char_indices().skip(1).find(|(_, character)| !goes_on(*character)).map_or(from.len(), |(at, _)| at);
        let (run, after) = from.split_at_checked(end)?;
        rest = after;
        Some(run)
    })
}

fn singular(token: &str) -> Option<String> {
    if let Some(stem) = token.strip_suffix("ies").filter(|_| token.len() > 4) {
        return Some(format!("{stem}y"));
    }
    let hissing = ["sses", "shes", "ches", "xes", "zes"];
    if token.len() > 4 && hissing.iter().any(|ending| token.ends_with(ending)) {
        return token.strip_suffix("es").map(str::to_owned);
    }
    let plural = token.len() > 3 && !token.ends_with("ss") && !token.ends_with("us");
    token.strip_suffix('s').filter(|_| plural).map(str::to_owned)
}

#[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^53")]
fn real(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, reason = "the crate scores in single precision")]
fn single(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests;
