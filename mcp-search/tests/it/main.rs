//! Tests of the crate through its public API.

mod search;
mod support;
