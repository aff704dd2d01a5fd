//! `mcpctl` as a person meets it: the real binary, in a home and a project of its own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot set up its stage has failed, and says what it skips"
)]

mod arguments;
#[cfg(unix)]
mod at_terminal;
mod configuration;
mod consent;
mod demo;
mod doctor;
mod editing;
mod flows;
mod hints;
mod hostile;
mod importing;
mod lacking;
mod leniency;
#[cfg(unix)]
mod limits;
mod loopback;
#[cfg(target_os = "linux")]
mod managed;
mod oidc;
mod passing;
mod peers;
mod permissions;
mod pins;
mod presets;
#[cfg(unix)]
mod programs;
mod proxy;
mod real_servers;
mod recording;
#[cfg(unix)]
mod renewing;
mod safety;
mod schemas;
mod secrets;
mod settings;
mod stage;
#[cfg(unix)]
mod state;
mod trust;
mod withholding;
mod words;
