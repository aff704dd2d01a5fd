//! The crate through its public face, with a home and a project of its own for each test.

mod support;

mod basics;
mod dialects;
mod reports;
