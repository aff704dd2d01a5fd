//! What a repository that nobody trusts can make `mcpctl list` cost, as a process: time from start to end, and memory.
//!
//! Each is to take no longer than 300 ms and no more than 100 MB. The repositories are those of the bench of `mcp-config`, which
//! measures the library alone. The memory is the kernel's high-water mark, looked at until the process ends (Linux).
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark whose files cannot be made has nothing to measure, and prints what it has measured"
)]

#[path = "../../mcp-config/benches/hostile/cases.rs"]
mod cases;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const MOST_TIME: Duration = Duration::from_millis(300);
const MOST_MEMORY: u64 = 100_000_000;

/// What one run took.
#[derive(Debug, Clone, Copy)]
struct Taken {
    time: Duration,
    memory: u64,
}

fn main() {
    for (name, make) in cases::CASES {
        let stage = tempfile::tempdir().unwrap();
        let (home, project) = (stage.path().join("home"), stage.path().join("project"));
        std::fs::create_dir_all(project.join(".git")).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        make(&project);
        let runs: Vec<Taken> = (0..ROUNDS).map(|_| list(&home, &project)).collect();
        let mut times: Vec<Duration> = runs.iter().map(|taken| taken.time).collect();
        times.sort_unstable();
        let time = times.get(ROUNDS / 2).copied().unwrap();
        let memory = runs.iter().map(|taken| taken.memory).max().unwrap();
        let verdict = if time <= MOST_TIME && memory <= MOST_MEMORY { "" } else { "  TOO MUCH" };
        println!("{name:<34} {:>7.1} ms {:>6.1} MB{verdict}", time.as_secs_f64() * 1e3, to_megabytes(memory));
    }
}

fn list(home: &Path, project: &Path) -> Taken {
    // A file takes whatever is written, so that the process never waits for its reader.
    let output = File::create(home.join("output")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcpctl"));
    command.arg("list").current_dir(project).env_clear().env("HOME", home);
    command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut memory = 0;
    loop {
        let ended = child.try_wait().unwrap();
        let time = begun.elapsed();
        if let Some(status) = ended {
            assert!(status.success(), "{status}");
            return Taken { time, memory };
        }
        memory = peak(child.id()).unwrap_or(memory);
        std::thread::yield_now();
    }
}

/// The most that a process has had in memory so far, in bytes.
fn peak(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

#[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
fn to_megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
