//! The crate's behaviour, through its public API.

mod batches;
mod faults;
mod names;
mod output;
mod registry;
mod resolve;
mod rule_syntax;
mod rule_table;
mod settings;
mod support;
