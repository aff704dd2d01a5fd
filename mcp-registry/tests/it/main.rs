//! The crate's behaviour, through its public API.

mod audit;
mod batches;
mod faults;
mod likeness;
mod names;
mod output;
mod pins;
mod real_tools;
mod registry;
mod resolve;
mod rule_arguments;
mod rule_meaning;
mod rule_syntax;
mod rule_table;
mod settings;
mod store;
mod support;
mod views;
