//! Everything the crate promises, through its public API.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bugs;
mod convert;
mod generate;
mod generators;
mod headers;
mod hostile;
mod laws;
mod lint;
mod mutants;
mod parameters;
mod passes;
mod random;
#[path = "../../examples/suite/runner.rs"]
#[expect(dead_code, reason = "the program uses more of it than the tests")]
mod runner;
mod suite;
mod support;
mod traits;
mod validator;
