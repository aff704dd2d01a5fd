//! The BM25 scores of the index against those of the `bm25` crate.

use std::collections::BTreeMap;

use bm25::{EmbedderBuilder, Scorer, Tokenizer};
use mcp_search::{Document, Index, Options, Weights};
use proptest::prelude::*;

use crate::support::all;

/// Splits at spaces; the words of the tests are their own stems.
struct Spaces;

impl Tokenizer for Spaces {
    fn tokenize(&self, text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }
}

const SATURATION: f32 = 1.5;
const LENGTH: f32 = 0.5;

fn ours(texts: &[String], query: &str) -> BTreeMap<String, f32> {
    let weights = Weights { name: 0.0, saturation: SATURATION, length: LENGTH, ..Weights::plain() };
    let mut index = Index::new(Options { weights, ..Options::default() });
    for (number, text) in texts.iter().enumerate() {
        index.insert(Document { id: number.to_string(), description: text.clone(), ..Document::default() });
    }
    index.search(query, 100, &all).hits.into_iter().map(|hit| (hit.id, hit.score)).collect()
}

fn theirs(texts: &[String], query: &str) -> BTreeMap<String, f32> {
    let corpus: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedder = EmbedderBuilder::<u64, Spaces>::with_tokenizer_and_fit_to_corpus(Spaces, &corpus);
    let embedder = embedder.k1(SATURATION).b(LENGTH).build();
    let mut scorer = Scorer::<String, u64>::new();
    for (number, text) in corpus.iter().enumerate() {
        scorer.upsert(&number.to_string(), embedder.embed(text));
    }
    let found = scorer.matches(&embedder.embed(query));
    let best = found.iter().map(|found| found.score).fold(0.0, f32::max);
    found.into_iter().map(|found| (found.id, found.score / best)).collect()
}

/// Words that are neither stop words nor related to each other, each at most three times in a text: more are not
/// counted.
fn text() -> impl Strategy<Value = String> {
    let counts = prop::collection::vec(0_usize..4, 6);
    counts.prop_map(|counts| {
        let words = ["xanthon", "qulib", "vortek", "zimbor", "plugrat", "drofnik"];
        let repeated = words.iter().zip(counts).flat_map(|(word, count)| std::iter::repeat_n(*word, count));
        repeated.collect::<Vec<_>>().join(" ")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_are_those_of_the_bm25_crate(
        texts in prop::collection::vec(text(), 1..12),
        query in prop::sample::subsequence(vec!["xanthon", "qulib", "vortek", "zimbor"], 1..4),
    ) {
        let query = query.join(" ");
        let (ours, theirs) = (ours(&texts, &query), theirs(&texts, &query));
        prop_assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        for (id, score) in &ours {
            prop_assert!((score - theirs[id]).abs() < 1e-4, "{}: {} and {}", id, score, theirs[id]);
        }
    }
}
