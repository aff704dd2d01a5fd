//! The workspace's own chores, as `cargo xtask COMMAND`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks on the terminal")]

mod checks;
mod conformance;
mod deny;
mod eval;
mod licenses;
mod model;
mod mutants;
mod pins;
mod servers;
mod soak;
mod suite;
mod thesaurus;
mod tidy;
mod tools;
mod workspace;

use std::process::ExitCode;

use xshell::{Shell, cmd};

/// What every command returns: nothing to say, or an error a developer can act on.
type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  advisories    asks whether a dependency is known to be vulnerable or abandoned; fetches the database from GitHub
  bench         the benchmarks; bench CRATE for one crate's
  ci            fmt, clippy, tidy, deny, licenses, test, docs, leaves alone
  conformance   the MCP conformance suite, installed below target/: client [--suite NAME]
  demo          mcpctl demo
  deny          licences, duplicates, bans and sources of the dependencies, as deny.toml says
  eval          how well search finds tools: eval search [--data DIR] [--dump FILE] [--baseline FILE]
                [--plain] [--dense [MODEL]]; --dense searches by meaning too, with the model of a folder or that of `model`
  faults        what rmcp, without and with a timeout, and mcp-transport make of faulty servers
  licenses      makes THIRD-PARTY-LICENSES.txt anew
  model         an embedding model, installed below target/; prints its folder
  mutants       breaks on purpose what decides on consent and permissions, and asks whether a test notices:
                [--iterate] [MODULE…] [CRATE/MODULE…]; --iterate leaves out what a test noticed last time
  soak          mcp-transport with servers on the SDKs of others, for 30 minutes: [--minutes N]; calls, changes, connections
                and memory
  suite         schema [FOLDER]: the JSON Schema Test Suite through every pass
  test          every test, on real servers and a real embedding model installed below target/
  thesaurus     makes the table of related words: [--model DIR], that of `model` otherwise
  tidy          the invariants of ARCHITECTURE.md
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result {
    let shell = Shell::new()?;
    shell.change_dir(workspace::root());
    match arguments {
        ["advisories"] => deny::advisories(&shell),
        ["ci"] => checks::ci(&shell),
        ["conformance"] | ["conformance", "client"] => conformance::client(&shell, None),
        ["conformance", "client", "--suite", suite] => conformance::client(&shell, Some(suite)),
        ["deny"] => deny::check(&shell),
        ["demo", rest @ ..] => Ok(cmd!(shell, "cargo run --quiet --package mcp-cli -- demo {rest...}").run()?),
        ["eval", "search", rest @ ..] => eval::search(&shell, rest),
        ["bench", rest @ ..] => checks::bench(&shell, rest),
        ["licenses"] => licenses::write(&shell),
        ["model"] => {
            println!("{}", model::install(&shell)?.display());
            Ok(())
        }
        ["mutants", rest @ ..] => mutants::run(&shell, rest),
        ["soak"] => soak::run(&shell, None),
        ["soak", "--minutes", minutes] => soak::run(&shell, Some(minutes)),
        ["suite", "schema"] => suite::schema(&shell, None),
        ["suite", "schema", folder] => suite::schema(&shell, Some(folder)),
        ["faults"] => checks::faults(&shell),
        ["test", rest @ ..] => checks::test(&shell, rest),
        ["thesaurus"] => thesaurus::make(&shell, None),
        ["thesaurus", "--model", folder] => thesaurus::make(&shell, Some(folder)),
        ["tidy"] => tidy::run(&shell),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("no command `{}`\n\n{USAGE}", arguments.join(" ")).into()),
    }
}
