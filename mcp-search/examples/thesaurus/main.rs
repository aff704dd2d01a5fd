//! Makes `src/thesaurus.bin`, the table of related words. `cargo xtask thesaurus` does all of it:
//!
//! ```text
//! cargo run --release -p mcp-search --example thesaurus -- --vocabulary vocab.txt --texts words.jsonl
//! … embed each line of words.jsonl with the model …
//! cargo run --release -p mcp-search --example thesaurus -- --vocabulary vocab.txt --vectors vectors.f32 --out src/thesaurus.bin
//! ```
//!
//! The words are the whole English words of the vocabulary of `all-MiniLM-L6-v2` (`vocab.txt`, one entry a line) and
//! the words of software and business in `words.txt` beside this file, which that vocabulary has only in pieces. Each
//! is embedded by itself. `vectors.f32` holds one vector after the other, as 32-bit little-endian numbers, in the order
//! of `words.jsonl`. The committed table holds 14,219 stems and 58,049 relations, and was made by `cargo xtask thesaurus` with
//! the model of `cargo xtask model`: the int8 weights. The model and its vocabulary are licensed under the [Apache License
//! 2.0](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2); the table holds neither weights nor vectors, only which
//! words are alike.
//!
//! Words with one stem are averaged, the mean of all is subtracted (words by themselves all point roughly the same
//! way), and each stem's nearest others are kept by the cosine of the angle between them.
#![expect(clippy::print_stderr, reason = "a program tells what it has done")]

#[path = "../../src/dot.rs"]
mod dot;
#[path = "../../src/stem.rs"]
mod stem;
mod table;
#[path = "../shared/vectors.rs"]
mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use dot::dot;
use stem::English;
use table::Relation;

/// How many related stems are kept at most.
const NEAREST: usize = 6;
/// The cosine below which stems are not related.
const LEAST: f32 = 0.45;
/// The cosine that counts as no similarity at all; 1 counts as the same.
const NOTHING: f32 = 0.35;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let vocabulary = fs::read_to_string(value("--vocabulary").ok_or("--vocabulary FILE is needed")?)?;
    let words = words(&vocabulary);
    if let Some(path) = value("--texts") {
        let lines: Vec<String> = words.iter().map(|word| format!("\"{word}\"\n")).collect();
        fs::write(path, lines.concat())?;
    }
    if let Some(path) = value("--vectors") {
        let vectors = vectors::read(Path::new(path), words.len())?;
        let stems = stem_vectors(&words, &vectors);
        let relations = relations(&stems.values().map(Vec::as_slice).collect::<Vec<_>>());
        let names: Vec<&str> = stems.keys().map(String::as_str).collect();
        let bytes = table::encode(&names, &relations)?;
        eprintln!("{} stems, {} relations", names.len(), relations.iter().map(Vec::len).sum::<usize>());
        fs::write(value("--out").ok_or("--out FILE is needed")?, bytes)?;
    }
    Ok(())
}

/// The words of at least three small Latin letters, sorted.
fn words(vocabulary: &str) -> Vec<&str> {
    let own = include_str!("words.txt");
    let lines = vocabulary.lines().chain(own.lines()).map(str::trim);
    let words = lines.filter(|word| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase()));
    words.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The mean vector of each stem's words, centred and of length one.
fn stem_vectors(words: &[&str], vectors: &[Vec<f32>]) -> BTreeMap<String, Vec<f32>> {
    let english = English::new();
    let mut groups: BTreeMap<String, Vec<&[f32]>> = BTreeMap::new();
    for (word, vector) in words.iter().zip(vectors) {
        groups.entry(english.stem(word)).or_default().push(vector);
    }
    let mut stems: BTreeMap<String, Vec<f32>> = groups.into_iter().map(|(stem, group)| (stem, mean(&group))).collect();
    let centre = mean(&stems.values().map(Vec::as_slice).collect::<Vec<_>>());
    for vector in stems.values_mut() {
        vector.iter_mut().zip(&centre).for_each(|(number, centre)| *number -= centre);
        let length = dot(vector, vector).sqrt().max(f32::MIN_POSITIVE);
        scale(vector, 1.0 / length);
    }
    stems
}

fn mean(vectors: &[&[f32]]) -> Vec<f32> {
    let mut mean = vec![0.0; vectors.first().map_or(0, |vector| vector.len())];
    for vector in vectors {
        mean.iter_mut().zip(*vector).for_each(|(mean, number)| *mean += number);
    }
    let share = vectors.iter().map(|_| 1.0_f32).sum::<f32>().max(1.0);
    scale(&mut mean, 1.0 / share);
    mean
}

fn scale(vector: &mut [f32], factor: f32) {
    for number in vector {
        *number *= factor;
    }
}

/// For each vector the most similar others, most similar first.
fn relations(vectors: &[&[f32]]) -> Vec<Vec<Relation>> {
    let nearest = |(number, vector): (usize, &&[f32])| {
        let others = vectors.iter().enumerate().filter(|(other, _)| *other != number);
        let similar = others.map(|(other, other_vector)| (other, dot(vector, other_vector)));
        let mut similar: Vec<(usize, f32)> = similar.filter(|(_, cosine)| *cosine >= LEAST).collect();
        similar.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let kept = similar.into_iter().take(NEAREST);
        kept.map(|(stem, cosine)| Relation { stem, similarity: (cosine - NOTHING) / (1.0 - NOTHING) }).collect()
    };
    vectors.iter().enumerate().map(nearest).collect()
}
