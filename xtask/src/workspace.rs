//! Where the workspace is and what it consists of.

use std::path::{Path, PathBuf};

use serde_json::Value;
use xshell::{Shell, cmd};

use crate::Result;

/// The crates that no other leaf may depend on, and that depend on no leaf.
pub(crate) const LEAVES: [&str; 6] =
    ["mcp-config", "mcp-oauth", "mcp-registry", "mcp-schema", "mcp-search", "mcp-transport"];

/// One member of the workspace, as `cargo metadata` describes it.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a dependency table.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// For tests and benches only.
    pub(crate) dev: bool,
}

/// The folder of the workspace's root manifest.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// The folder that cargo builds into.
pub(crate) fn target(shell: &Shell) -> Result<PathBuf> {
    let folder = metadata(shell)?["target_directory"].as_str().map(PathBuf::from);
    Ok(folder.ok_or("`cargo metadata` names no target directory")?)
}

/// The oldest compiler that builds us, as `rust-version` says.
pub(crate) fn rust_version(shell: &Shell) -> Result<String> {
    let version = metadata(shell)?["packages"][0]["rust_version"].as_str().map(str::to_owned);
    Ok(version.ok_or("`cargo metadata` names no rust-version")?)
}

/// The members of the workspace, by name.
pub(crate) fn packages(shell: &Shell) -> Result<Vec<Package>> {
    let metadata = metadata(shell)?;
    let packages = metadata["packages"].as_array().ok_or("`cargo metadata` lists no packages")?;
    let mut packages: Vec<Package> = packages.iter().map(package).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

fn metadata(shell: &Shell) -> Result<Value> {
    let text = cmd!(shell, "cargo metadata --format-version 1 --no-deps").quiet().read()?;
    Ok(serde_json::from_str(&text)?)
}

fn package(value: &Value) -> Package {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let manifest = PathBuf::from(text(&value["manifest_path"]));
    let dependencies = value["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    Package {
        name: text(&value["name"]),
        folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
        dependencies: dependencies
            .iter()
            .map(|dependency| Dependency { name: text(&dependency["name"]), dev: dependency["kind"] == "dev" })
            .collect(),
    }
}

/// Every file below `folder` with the extension, sorted.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = all_files(folder)?;
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    Ok(files)
}

/// Every file below `folder`, sorted.
pub(crate) fn all_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a machine runs this for everybody: what a developer may skip is then a failure.
#[expect(clippy::disallowed_methods, reason = "a binary reads its own process's environment")]
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI").is_some()
}
