//! Chooses the weights of the ranking by cross-validation.
//!
//! ```text
//! cargo run -p mcp-search --example tune -- --data DIR [--only NAME[,NAME…]]
//! ```
//!
//! The queries of every set are dealt into five folds. For each fold the weights are chosen on the other four, by going
//! through them one after the other and keeping the value that does best, until none changes; the fold itself then
//! tells what those weights are worth on queries they were not chosen on. Weights that the folds agree on may become
//! the defaults.
//!
//! What counts is the mean of recall@5 and nDCG@5, averaged over the queries of a set and then over the sets.
#![expect(clippy::print_stdout, reason = "the program's output is its result")]

#[path = "../shared/data.rs"]
#[expect(dead_code, reason = "rankings are not kept here")]
mod data;
#[path = "../shared/metrics.rs"]
#[expect(dead_code, reason = "only two figures count here")]
mod metrics;
mod space;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use data::Set;
use mcp_search::{Index, Options, Weights};
use metrics::{Metrics, real};
use space::{KNOBS, Knob};

/// How many parts the queries are dealt into.
const FOLDS: usize = 5;
/// How often the knobs are gone through at most.
const ROUNDS: usize = 3;
/// What a change must bring to be kept, in points: less is noise.
const WORTHWHILE: f64 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let sets = data::load(Path::new(value("--data").ok_or("--data DIR is needed")?))?;
    let only: Vec<&str> = value("--only").map(|names| names.split(',').collect()).unwrap_or_default();
    let knobs: Vec<&Knob> = KNOBS.iter().filter(|knob| only.is_empty() || only.contains(&knob.name)).collect();
    let mut bench = Bench::new(sets);
    println!("defaults: {:.2}", bench.value(&Weights::default(), |_| true));
    bench.one_by_one(&knobs);
    bench.cross_validate(&knobs);
    Ok(())
}

/// The sets, their indexes, and what is already measured.
struct Bench {
    sets: Vec<Set>,
    indexes: Vec<Index>,
    measured: BTreeMap<String, Vec<Vec<f64>>>,
}

impl Bench {
    fn new(sets: Vec<Set>) -> Self {
        let build = |set: &Set| {
            let mut index = Index::new(Options::default());
            set.tools.iter().cloned().for_each(|tool| index.insert(tool));
            index
        };
        let indexes = sets.iter().map(build).collect();
        Self { sets, indexes, measured: BTreeMap::new() }
    }

    /// What each query is worth under these weights, by set.
    fn measure(&mut self, weights: &Weights) -> &Vec<Vec<f64>> {
        let (sets, indexes) = (&self.sets, &mut self.indexes);
        self.measured.entry(format!("{weights:?}")).or_insert_with(|| {
            std::thread::scope(|scope| {
                let threads: Vec<_> = sets
                    .iter()
                    .zip(indexes)
                    .map(|(set, index)| {
                        index.set_weights(weights.clone());
                        scope.spawn(move || values(set, index))
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().expect("measuring does not panic")).collect()
            })
        })
    }

    /// The value of these weights on the chosen queries, in points.
    fn value(&mut self, weights: &Weights, chosen: impl Fn(usize) -> bool) -> f64 {
        let mean = |values: &Vec<f64>| {
            let chosen: Vec<f64> =
                values.iter().enumerate().filter(|(number, _)| chosen(*number)).map(|(_, value)| *value).collect();
            chosen.iter().sum::<f64>() / real(chosen.len().max(1))
        };
        let measured = self.measure(weights);
        100.0 * measured.iter().map(mean).sum::<f64>() / real(measured.len())
    }

    /// Prints what every other value of each knob alone would change.
    fn one_by_one(&mut self, knobs: &[&Knob]) {
        let base = self.value(&Weights::default(), |_| true);
        for knob in knobs {
            for value in knob.values {
                let changed = self.value(&knob.with(&Weights::default(), *value), |_| true);
                println!("  {:22} {value:<6} {:+.2}", knob.name, changed - base);
            }
        }
    }

    fn cross_validate(&mut self, knobs: &[&Knob]) {
        let mut held_out = 0.0;
        for fold in 0..FOLDS {
            let chosen = self.choose(knobs, |number| number % FOLDS != fold);
            let value = self.value(&chosen, |number| number % FOLDS == fold);
            let before = self.value(&Weights::default(), |number| number % FOLDS == fold);
            let described: Vec<String> =
                knobs.iter().map(|knob| format!("{} {}", knob.name, (knob.read)(&chosen))).collect();
            println!("fold {fold}: {value:.2} (defaults {before:.2}) with {}", described.join(", "));
            held_out += value / real(FOLDS);
        }
        println!("held out: {held_out:.2}");
    }

    /// The weights that do best on the chosen queries.
    fn choose(&mut self, knobs: &[&Knob], chosen: impl Fn(usize) -> bool) -> Weights {
        let mut best = Weights::default();
        let mut best_value = self.value(&best, &chosen);
        for _ in 0..ROUNDS {
            let before = best.clone();
            for knob in knobs {
                for value in knob.values {
                    let other = knob.with(&best, *value);
                    let other_value = self.value(&other, &chosen);
                    if other_value > best_value + WORTHWHILE {
                        (best, best_value) = (other, other_value);
                    }
                }
            }
            if best == before {
                break;
            }
        }
        best
    }
}

fn values(set: &Set, index: &Index) -> Vec<f64> {
    let value = |query: &data::Query| {
        let ranking: Vec<String> = index.search(&query.text, 5, &|_| true).hits.into_iter().map(|hit| hit.id).collect();
        let metrics = Metrics::of(&ranking, &query.relevant);
        metrics.recall_5.midpoint(metrics.ndcg_5)
    };
    set.queries.iter().map(value).collect()
}
