//! `cargo xtask eval`: how well search finds tools.

use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::{Result, model};

/// Measures `mcp-search` on its own queries or on those of `--data DIR`; with `--dense [MODEL]` also by meaning, with the model
/// of that folder or the one that [`model::install`] installs.
///
/// The last line of what is printed is `mean recall@5 X nDCG@5 Y`.
pub(crate) fn search(shell: &Shell, arguments: &[&str]) -> Result {
    let (dense, rest) = Dense::of(arguments);
    let Some(dense) = dense else { return run(shell, &rest, &[]) };
    let model = match dense {
        Dense::Installed => model::install(shell)?,
        Dense::At(folder) => folder,
    };
    let folder = shell.create_temp_dir()?;
    let texts = folder.path().join("texts.jsonl").display().to_string();
    run(shell, &rest, &["--texts", &texts])?;
    let vectors = model::vectors(shell, &model, &texts)?;
    run(shell, &rest, &["--vectors", &vectors])
}

fn run(shell: &Shell, arguments: &[&str], more: &[&str]) -> Result {
    let eval = cmd!(shell, "cargo run --release --quiet --package mcp-search --example eval --");
    Ok(eval.args(arguments).args(more).run()?)
}

/// Which model searches by meaning.
#[derive(Debug, PartialEq)]
enum Dense {
    Installed,
    At(PathBuf),
}

impl Dense {
    /// Takes `--dense [MODEL]` out of the arguments.
    fn of<'a>(arguments: &[&'a str]) -> (Option<Self>, Vec<&'a str>) {
        let mut rest = arguments.to_vec();
        let Some(at) = rest.iter().position(|word| *word == "--dense") else { return (None, rest) };
        rest.remove(at);
        let dense = match rest.get(at) {
            Some(word) if !word.starts_with("--") => Self::At(rest.remove(at).into()),
            _ => Self::Installed,
        };
        (Some(dense), rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_taken_out_of_the_arguments() {
        let check = |line: &str, dense: Option<Dense>, rest: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let expected: Vec<&str> = rest.split_whitespace().collect();
            assert_eq!(Dense::of(&words), (dense, expected), "{line}");
        };
        check("", None, "");
        check("--plain --data d", None, "--plain --data d");
        check("--dense", Some(Dense::Installed), "");
        check("--data d --dense --plain", Some(Dense::Installed), "--data d --plain");
        check("--dense m --data d", Some(Dense::At("m".into())), "--data d");
    }
}
