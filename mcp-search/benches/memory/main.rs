//! Memory at 500 and 10,000 tools: the row *max alloc* counts the documents and everything made from them, what the
//! first queries prepare included. The aim is at most 60 MB at 10,000 tools.

#[path = "../scale/catalogue.rs"]
mod catalogue;

use catalogue::{Random, queries, tools};
use divan::{AllocProfiler, Bencher};
use mcp_search::{Index, Options};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench(args = [500, 10_000], sample_count = 3, sample_size = 1)]
fn index_in_use(bencher: Bencher<'_, '_>, count: usize) {
    let tools = tools(count);
    let queries = queries(2_000, &tools, &mut Random::new(7));
    bencher.bench_local(|| {
        let mut index = Index::new(Options::default());
        for tool in &tools {
            index.insert(tool.clone());
        }
        for (_, query) in &queries {
            index.search(query, 5, &|_| true);
        }
        index
    });
}
