//! What a person may type about secrets. A value is never among it: others see a command line, and shells remember it.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum SecretCommand {
    /// Stores a secret, or the answer to a prompt; asks for it at the terminal, or reads it from stdin.
    Set(SecretSet),
    /// Lists what is stored and what servers name, where it is kept, and who refers to it; never what it is.
    List(SecretList),
    /// Forgets a secret, or the answer to a prompt.
    Remove(SecretRemove),
}

#[derive(Debug, Args)]
pub(crate) struct SecretSet {
    /// The NAME of `${keyring:NAME}`; with `--server`, the ID of `${input:ID}`.
    pub(crate) name: String,
    /// Answer a prompt of this server.
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SecretList {
    /// Print a JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SecretRemove {
    /// The NAME of `${keyring:NAME}`; with `--server` or `--file`, the ID of `${input:ID}`.
    pub(crate) name: String,
    /// Forget the answer to a prompt of this server.
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,
    /// Forget the answers to prompts of this file, which may be gone.
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    pub(crate) file: Option<PathBuf>,
}
