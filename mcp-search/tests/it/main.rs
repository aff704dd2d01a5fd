//! Tests of the crate through its public API.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes its snapshots with them")]

mod catalog;
mod dense;
#[cfg(feature = "hoocode")]
mod hoocode;
mod hostile;
mod laws;
mod oracle;
mod quality;
mod resolver;
mod retrieval_bugs;
mod search;
mod support;
