//! What a repository that nobody trusts can make a listing cost, in time and memory; `mcp-cli` measures the whole process.
//!
//! Each case is a repository of few bytes, or of files that take no room, made to keep a reader busy. Listing its servers is
//! to take no longer than 300 ms and no more than 100 MB.
#![expect(clippy::unwrap_used, reason = "a benchmark whose files cannot be made has nothing to measure")]

mod cases;

use mcp_config::{Discovery, Environment, FoundSettings, Platform, TrustStore, merge};

use crate::cases::CASES;

#[global_allocator]
static ALLOCATOR: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench(args = CASES.iter().map(|(name, _)| *name), sample_count = 5, sample_size = 1)]
fn list(bencher: divan::Bencher<'_, '_>, case: &str) {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().join("project");
    std::fs::create_dir_all(project.join(".git")).unwrap();
    std::fs::create_dir_all(directory.path().join("home")).unwrap();
    let (_, make) = CASES.iter().find(|(name, _)| *name == case).unwrap();
    make(&project);
    let environment =
        Environment::new(&project).with_home(directory.path().join("home")).with_platform(Platform::Linux);
    let trust = TrustStore::default();
    bencher.bench(|| {
        let found = Discovery::new(&environment).load();
        let settings = FoundSettings::load(&environment);
        let merged = merge(&found.layers, &trust, &environment);
        let previews: usize = merged.servers.iter().map(|server| server.preview().to_string().len()).sum();
        (found.problems.len(), settings.problems.len(), previews)
    });
}
