//! Everything the crate promises, through its public API.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod convert;
mod parameters;
mod passes;
mod support;
mod validator;
