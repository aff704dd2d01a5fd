//! Measures how well the index finds tools.
//!
//! ```text
//! cargo run -p mcp-search --example eval -- [--data DIR] [--dump FILE] [--baseline FILE] [--plain]
//!     [--texts FILE | --vectors FILE]
//! ```
//!
//! - `--data DIR`: one folder per set with `tools.jsonl` and `queries.jsonl`. Default: the crate's own `evaluation` folder.
//! - `--dump FILE`: writes the rankings, one line per query, so that another program can score them.
//! - `--baseline FILE`: a dump of another version; prints by how much the mean nDCG@5 differs, with a 95 % interval.
//!
//! - `--plain`: ranks by BM25F alone, to make a baseline.
//! - `--texts FILE`: writes the texts that the dense leg compares, as JSON strings, one a line, and measures nothing.
//! - `--vectors FILE`: the vectors of those texts in the same order, as 32-bit little-endian numbers; ranks with the dense leg.
//!
//! `cargo xtask eval search --dense` does both, with a model in between.
//!
//! The last line of the output is `mean recall@5 X nDCG@5 Y`.
#![expect(clippy::print_stdout, reason = "the program's output is its result")]

mod arguments;
mod baseline;
#[path = "../shared/data.rs"]
mod data;
mod dense;
#[path = "../shared/metrics.rs"]
mod metrics;
mod names;
#[path = "../shared/vectors.rs"]
mod vectors;

use std::error::Error;
use std::fs;

use arguments::Arguments;
use data::{Ranking, Set};
use dense::Given;
use mcp_search::{Dense, Index, Options, Weights};
use metrics::Metrics;

/// How many tools a ranking holds.
const DEPTH: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let weights = if arguments.plain { Weights::plain() } else { Weights::default() };
    let sets = data::load(&arguments.data)?;
    let indexes: Vec<Index> = sets.iter().map(|set| build(set, &weights)).collect();
    if let Some(path) = &arguments.texts {
        let lines = dense::texts(&sets, &indexes).iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        return Ok(fs::write(path, lines.join("\n") + "\n")?);
    }
    let given =
        arguments.vectors.as_deref().map(|path| Given::read(path, dense::texts(&sets, &indexes))).transpose()?;
    let rankings = sets.iter().zip(&indexes).map(|(set, index)| rank(set, index, given.as_ref()));
    let rankings = rankings.collect::<Result<Vec<Vec<Ranking>>, _>>()?;
    if let Some(path) = &arguments.dump {
        fs::write(path, data::dump(&sets, &rankings)?)?;
    }
    for (set, index) in sets.iter().zip(&indexes) {
        names::report(set, index);
    }
    if let Some(path) = &arguments.baseline {
        baseline::report(&sets, &rankings, &data::load_dump(path)?)?;
    }
    report(&sets, &rankings);
    Ok(())
}

fn build(set: &Set, weights: &Weights) -> Index {
    let mut index = Index::new(Options { weights: weights.clone(), ..Options::default() });
    for tool in &set.tools {
        index.insert(tool.clone());
    }
    index
}

fn rank(set: &Set, index: &Index, given: Option<&Given>) -> Result<Vec<Ranking>, Box<dyn Error>> {
    let vectors = given.map(|given| given.tools(index)).transpose()?;
    let ranking = |query: &data::Query| {
        let answer = match given.zip(vectors.as_ref()) {
            None => index.search(&query.text, DEPTH, &|_| true),
            Some((given, vectors)) => {
                let similarities = given.query(vectors, &query.text)?;
                index.search_with(&query.text, DEPTH, &|_| true, Dense::On(&similarities))
            }
        };
        Ok(answer.hits.into_iter().map(|hit| hit.id).collect())
    };
    set.queries.iter().map(ranking).collect()
}

fn report(sets: &[Set], rankings: &[Vec<Ranking>]) {
    println!("{:24}{:>6}{}", "set", "n", Metrics::HEADER);
    let mut all = Vec::new();
    for (set, rankings) in sets.iter().zip(rankings) {
        let measured: Vec<Metrics> =
            set.queries.iter().zip(rankings).map(|(query, ranking)| Metrics::of(ranking, &query.relevant)).collect();
        let mean = Metrics::mean(&measured);
        println!("{:24}{:>6}{mean}", set.name, set.queries.len());
        all.push(mean);
    }
    let mean = Metrics::mean(&all);
    println!("{:24}{:>6}{mean}", "mean", "");
    println!("mean recall@5 {:.1} nDCG@5 {:.1}", 100.0 * mean.recall_5, 100.0 * mean.ndcg_5);
}
