//! Tests of the crate through its public API.

mod catalog;
mod dense;
mod hostile;
mod laws;
mod resolver;
mod retrieval_bugs;
mod search;
mod support;
