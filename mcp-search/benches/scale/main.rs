//! Time at 500 and 10,000 tools; memory is measured by the bench of that name, since counting allocations takes time.
//!
//! The aims: at 10,000 tools an index is built within 250 ms, a query takes at most 2 ms in 99 of 100 cases, and the
//! index holds at most 60 MB; at 500 tools a query takes at most 0.2 ms. `cargo bench -p mcp-search` prints what
//! concerns the aims before the table.
#![expect(clippy::print_stdout, reason = "the program's output is its result")]

mod catalogue;

use std::time::{Duration, Instant};

use catalogue::{Kind, Random, queries, tools};
use divan::{Bencher, black_box};
use mcp_search::{Document, Index, Options};

/// How many times an index is built.
const BUILDS: usize = 9;
/// How many different queries are measured.
const QUERIES: usize = 2_000;
/// How many times each query is measured; the median counts, so that another program's turn is not taken for ours.
const REPEATS: usize = 3;

fn main() {
    for count in [500, 10_000] {
        aims(count);
    }
    divan::main();
}

fn build(tools: Vec<Document>) -> Index {
    let mut index = Index::new(Options::default());
    for tool in tools {
        index.insert(tool);
    }
    index
}

fn aims(count: usize) {
    let tools = tools(count);
    let builds = (0..BUILDS).map(|_| {
        let tools = tools.clone();
        timed(|| build(tools))
    });
    println!("{count} tools: built in {:?} (median of {BUILDS})", share(&sorted(builds), 50));
    let mut index = build(tools.clone());
    println!("  first query after a change: {}", percentiles(first_queries(&mut index, &tools).into_iter()));
    let queries = queries(QUERIES, &tools, &mut Random::new(7));
    let times: Vec<(Kind, Duration)> = queries.iter().map(|(kind, query)| (*kind, usual(&index, query))).collect();
    println!("  {QUERIES} mixed queries: {}", percentiles(times.iter().map(|(_, time)| *time)));
    for kind in [Kind::Words, Kind::Mistyped, Kind::Sentences, Kind::Name, Kind::MistypedName] {
        let times = times.iter().filter(|(other, _)| *other == kind).map(|(_, time)| *time);
        println!("    {kind:?}: {}", percentiles(times));
    }
}

/// The times of queries that each follow a change, and so find nothing prepared.
fn first_queries(index: &mut Index, tools: &[Document]) -> Vec<Duration> {
    let queries = queries(200, tools, &mut Random::new(8));
    let changed = tools.iter().zip(&queries).map(|(tool, (_, query))| {
        index.remove(&tool.id);
        index.insert(tool.clone());
        timed(|| search(index, query))
    });
    changed.collect()
}

fn usual(index: &Index, query: &str) -> Duration {
    share(&sorted((0..REPEATS).map(|_| timed(|| search(index, query)))), 50)
}

fn search(index: &Index, query: &str) {
    black_box(index.search(black_box(query), 5, &|_| true));
}

fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    let result = run();
    let elapsed = started.elapsed();
    drop(result);
    elapsed
}

fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times
}

/// The time that so many of 100 do not exceed.
fn share(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get(sorted.len() * percent / 100).or(sorted.last()).copied().unwrap_or_default()
}

fn percentiles(times: impl Iterator<Item = Duration>) -> String {
    let times = sorted(times);
    let [median, high, most] = [50, 99, 100].map(|percent| share(&times, percent));
    format!("median {median:?}, 99th percentile {high:?}, most {most:?}")
}

#[divan::bench(args = [500, 10_000], sample_count = 10)]
fn build_index(bencher: Bencher<'_, '_>, count: usize) {
    bencher.with_inputs(|| tools(count)).bench_values(build);
}

#[divan::bench(args = [500, 10_000])]
fn short_query(bencher: Bencher<'_, '_>, count: usize) {
    bench_search(bencher, count, "create a customer invoice");
}

#[divan::bench(args = [500, 10_000])]
fn long_query(bencher: Bencher<'_, '_>, count: usize) {
    let query = "Look up the customer's last order, and then create a shipment for it. Also check whether the invoice was \
                 paid; if not, send a reminder by email as well as a message to the account manager.";
    bench_search(bencher, count, query);
}

#[divan::bench(args = [500, 10_000])]
fn exact_name(bencher: Bencher<'_, '_>, count: usize) {
    let name = tools(count).get(count / 2).map(|tool| tool.name.clone()).unwrap_or_default();
    bench_search(bencher, count, &name);
}

#[divan::bench(args = [500, 10_000])]
fn misspelled(bencher: Bencher<'_, '_>, count: usize) {
    bench_search(bencher, count, "craete a custmer invioce");
}

#[divan::bench(args = [500, 10_000])]
fn nearest_names(bencher: Bencher<'_, '_>, count: usize) {
    let index = build(tools(count));
    bencher.bench_local(|| index.nearest(black_box("creat_custmer_invoise"), 3));
}

fn bench_search(bencher: Bencher<'_, '_>, count: usize, query: &str) {
    let index = build(tools(count));
    bencher.bench_local(|| search(&index, query));
}
