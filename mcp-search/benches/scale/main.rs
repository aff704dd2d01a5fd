//! Time and memory at 500 and 10,000 tools.
//!
//! The aims: at 10,000 tools an index is built within 250 ms, a query takes at most 2 ms in 99 of 100 cases, and the
//! index holds at most 60 MB; at 500 tools a query takes at most 0.2 ms. `cargo bench -p mcp-search` prints the 99th
//! percentile and the memory before the table.
#![expect(clippy::print_stdout, reason = "the program's output is its result")]

mod catalogue;

use std::time::{Duration, Instant};

use catalogue::{Random, queries, tools};
use divan::{AllocProfiler, Bencher, black_box};
use mcp_search::{Document, Index, Options};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    for count in [500, 10_000] {
        percentiles(count);
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

fn percentiles(count: usize) {
    let tools = tools(count);
    let started = Instant::now();
    let index = build(tools);
    let built = started.elapsed();
    index.search("the frist query prepares the index for the others", 1, &|_| true);
    let mut times: Vec<Duration> = queries(2_000, &mut Random::new(7))
        .iter()
        .map(|query| {
            let started = Instant::now();
            black_box(index.search(query, 5, &|_| true));
            started.elapsed()
        })
        .collect();
    times.sort();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    println!("{count} tools: built in {built:?}; queries: median {:?}, 99th percentile {:?}", at(50), at(99));
}

#[divan::bench(args = [500, 10_000], sample_count = 10)]
fn build_index(bencher: Bencher<'_, '_>, count: usize) {
    bencher.with_inputs(|| tools(count)).bench_values(build);
}

#[divan::bench(args = [500, 10_000])]
fn short_query(bencher: Bencher<'_, '_>, count: usize) {
    search(bencher, count, "create a customer invoice");
}

#[divan::bench(args = [500, 10_000])]
fn long_query(bencher: Bencher<'_, '_>, count: usize) {
    let query = "Look up the customer's last order, and then create a shipment for it. Also check whether the invoice was \
                 paid; if not, send a reminder by email as well as a message to the account manager.";
    search(bencher, count, query);
}

#[divan::bench(args = [500, 10_000])]
fn exact_name(bencher: Bencher<'_, '_>, count: usize) {
    let name = tools(count).get(count / 2).map(|tool| tool.name.clone()).unwrap_or_default();
    search(bencher, count, &name);
}

#[divan::bench(args = [500, 10_000])]
fn misspelled(bencher: Bencher<'_, '_>, count: usize) {
    search(bencher, count, "craete a custmer invioce");
}

#[divan::bench(args = [500, 10_000])]
fn nearest_names(bencher: Bencher<'_, '_>, count: usize) {
    let index = build(tools(count));
    bencher.bench_local(|| index.nearest(black_box("creat_custmer_invoise"), 3));
}

fn search(bencher: Bencher<'_, '_>, count: usize, query: &str) {
    let index = build(tools(count));
    bencher.bench_local(|| index.search(black_box(query), 5, &|_| true));
}
