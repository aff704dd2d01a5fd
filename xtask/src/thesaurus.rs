//! `cargo xtask thesaurus`: makes `mcp-search/src/thesaurus.bin`, the table of related words.

use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::{Result, model, workspace};

/// Makes the table from the words and the vectors of the model in `folder`, or of the one that [`model::install`] installs.
pub(crate) fn make(shell: &Shell, folder: Option<&str>) -> Result {
    let model = folder.map_or_else(|| model::install(shell), |folder| Ok(PathBuf::from(folder)))?;
    let vocabulary = model.join("vocab.txt").display().to_string();
    let table = workspace::root().join("mcp-search").join("src").join("thesaurus.bin").display().to_string();
    let scratch = shell.create_temp_dir()?;
    let texts = scratch.path().join("words.jsonl").display().to_string();
    let run = |more: &[&str]| {
        let thesaurus = cmd!(shell, "cargo run --release --quiet --package mcp-search --example thesaurus --");
        thesaurus.args(["--vocabulary", &vocabulary]).args(more).run()
    };
    run(&["--texts", &texts])?;
    let vectors = model::vectors(shell, &model, &texts)?;
    Ok(run(&["--vectors", &vectors, "--out", &table])?)
}
