//! The crate through its public face, with a home and a project of its own for each test.
#![expect(clippy::unwrap_used, reason = "what a test cannot set up, or did not expect to be missing, is its failure")]
#![expect(clippy::needless_pass_by_value, reason = "an expected text is written where the helper is called")]
#![expect(clippy::needless_raw_string_hashes, reason = "expected texts are written by the test library")]

mod support;

mod basics;
mod bounds;
mod concurrency;
mod consent;
mod consent_laws;
mod dialects;
mod facts;
mod hostile;
mod isolation;
mod leniency;
mod logins;
mod overlays;
mod own_files;
mod places;
mod policy;
mod properties;
mod registry;
mod reports;
mod services;
mod settings_editing;
mod spoken;
mod state;
mod state_key;
mod writing;
