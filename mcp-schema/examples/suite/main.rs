//! Runs the JSON Schema Test Suite through every pass and tells whether a verdict changed.
//!
//! ```text
//! cargo run --release --example suite -- path/to/JSON-Schema-Test-Suite
//! ```
//!
//! The folder is a checkout of <https://github.com/json-schema-org/JSON-Schema-Test-Suite>. Every mandatory group of the
//! five drafts is taken as it is and once more as the property of a tool; each of its instances must get the verdict
//! the suite states, after upgrading, after resolving and after merging. Groups listed in `exceptions.json` may differ,
//! and must. Ends with 1 when anything else does.

mod runner;

use std::{path::Path, process::ExitCode};

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program talks to the person who runs it")]
fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: suite FOLDER, where FOLDER is a checkout of the JSON Schema Test Suite");
        return ExitCode::from(2);
    };
    match runner::run(Path::new(&folder)) {
        Ok(summary) => {
            for change in &summary.changes {
                println!("{change}");
            }
            for exception in &summary.unused_exceptions {
                println!("listed as an exception, but passes: {exception}");
            }
            println!("{summary}");
            if summary.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
