//! The crate through its public face, with a home and a project of its own for each test.

mod support;

mod basics;
mod concurrency;
mod dialects;
mod hostile;
mod isolation;
mod places;
mod properties;
mod reports;
mod services;
mod writing;
